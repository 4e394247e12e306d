/* The arithmetic of the daily close: what the stakes of a shard have accrued for pools since the
 * close before, in whole minor units of each currency, and what is carried to the next one. No
 * fraction is ever dropped: carried + accrued = moved x 10^9 + carry, exactly. */
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

/* What a close does to one pool in one currency; amounts in 10^-9 minor units where they say so. */
struct close_account {
	uint32_t pool, currency;
	int64_t carried_nano; /* of the close before: 0 to 10^9 - 1 */
	int128 accrued_nano;
	int64_t moved_minor, carry_nano;
};

/* The account of (pool, currency): its index, or n where there is none. */
size_t close_account_find(
	const struct close_account *accounts, size_t n, uint32_t pool, uint32_t currency);
/* Counts the tallies into the accounts, of which carried_nano is given, and fills the rest. Every
 * tally's account must be there. False, with the accounts undefined: a total that falls, a share or
 * carry out of bounds, an account that is missing, or an amount beyond 63 bits. */
bool close_count(const struct close_tally *tallies, size_t tallies_n,
	struct close_account *accounts, size_t accounts_n);

#endif
