/* The arithmetic of the daily close: how many whole minor units of each currency a shard's stakes
 * have accrued for pools since the previous close, and the fraction carried to the next close. No
 * fraction is lost: carried + accrued = moved x 10^9 + carry, exactly. */
#ifndef CARILLON_WALLET_CORE_CLOSE_H
#define CARILLON_WALLET_CORE_CLOSE_H

#include "libcommon/base/amount.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLOSE_NANO INT64_C(1000000000)

/* A tally whose total has grown. share_nano: part of the stake that accrues, x 10^9. */
struct close_tally {
	uint32_t tally, pool, currency;
	int64_t share_nano;
	uint64_t total_before, total; /* minor units, total > total_before */
};

/* The effect of a close on one pool in one currency; _nano fields are in 10^-9 minor units. */
struct close_account {
	uint32_t pool, currency;
	int64_t carried_nano; /* from the previous close: 0 to 10^9 - 1 */
	int128 accrued_nano;
	int64_t moved_minor, carry_nano;
};

/* Index of the account of (pool, currency); n if there is none. */
size_t close_account_find(
	const struct close_account *accounts, size_t n, uint32_t pool, uint32_t currency);
/* Adds the tallies to the accounts: carried_nano is given, the other amounts are filled in. Every
 * tally needs its account. False, with the accounts undefined: a total falls, a share or carry is
 * out of bounds, an account is missing, or an amount exceeds 63 bits. */
bool close_count(const struct close_tally *tallies, size_t tallies_n,
	struct close_account *accounts, size_t accounts_n);

#endif
