/* A pool's copy of the wallet's tallies: the largest running total of each (wallet shard, tally),
 * and T, their weighted sum. Totals only grow, so a message that is repeated, late or lost makes no
 * difference in the end.
 *
 *     T = sum over (shard, tally) of total x rate x ppm
 *
 * in 10^-18 EUR. This is exact for minor units with up to three decimals, because the rate has nine
 * decimals and ppm six. A currency with more decimals is floored once, from the running total, so
 * no remainder is lost between messages. Fixed storage, no allocation. */
#ifndef CARILLON_JACKPOT_POOL_TALLY_H
#define CARILLON_JACKPOT_POOL_TALLY_H

#include "libcommon/base/amount.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POOL_TALLIES_MAX 256 /* of one pool, closed ones included until they are folded */
#define POOL_VECTOR_MAX 4096 /* entries (wallet shard, tally) of one pool */
#define POOL_PPM_MAX 1000000
#define POOL_TALLY_EXPONENT_MAX 18
/* T of a progressive in 10^-18 EUR: forty billion euros. Beyond it the books would have no room. */
#define POOL_T_E18_MAX ((int128)40000000000 * 1000000000 * 1000000000)
/* T of a set of Jackpot Cards, which is all wagers: eight thousand billion euros. The books have
 * room while the levels take at most 0.5 % of them; figures in 10^-6 EUR fit in 63 bits. */
#define POOL_WAGERS_E18_MAX (200 * POOL_T_E18_MAX)

/* How much one minor unit staked in (game, currency) contributes; the running totals are in
 * pool_vector_entry. Only `open` ever changes. */
struct pool_tally {
	uint32_t id;
	uint32_t game;
	uint32_t currency;
	uint32_t exponent;
	int64_t rate_nano; /* EUR for one unit of the currency, x 10^9, when the tally was opened */
	uint32_t ppm;	   /* of the stake: 5,000 = 0.5 % */
	bool open;
};

struct pool_vector_entry {
	uint32_t shard; /* of the wallet */
	uint32_t tally;
	uint64_t total_minor;
	uint64_t seq; /* of the last row of the shard's journal that the total includes */
	bool dirty;   /* changed since entries were last stored */
	bool noted;   /* the last change is already in the event log */
};

struct pool_vector {
	uint32_t tally_count;
	struct pool_tally tally[POOL_TALLIES_MAX];
	uint32_t entry_count;
	struct pool_vector_entry entry[POOL_VECTOR_MAX];
	int128 t_e18;	   /* all contributions, folded ones included */
	int128 folded_e18; /* contributions of folded tallies */
	int128 most_e18;   /* the bound of T; 0: POOL_T_E18_MAX */
};

enum pool_vector_status {
	POOL_VECTOR_OK = 0,
	POOL_VECTOR_SEEN,    /* not larger than the known total: nothing changed */
	POOL_VECTOR_UNKNOWN, /* no such tally in this pool */
	POOL_VECTOR_FULL,
	POOL_VECTOR_OVERFLOW,
	POOL_VECTOR_TALLY, /* pool_vector_add_tally only: an invalid rate, ppm or exponent, or a
			      duplicate id */
};

/* Contribution of a running total, in 10^-18 EUR. */
CARILLON_MUST_CHECK bool pool_tally_contribution(
	const struct pool_tally *tally, uint64_t total_minor, int128 *e18_r);

CARILLON_MUST_CHECK enum pool_vector_status pool_vector_add_tally(
	struct pool_vector *vector, const struct pool_tally *tally);
const struct pool_tally *pool_vector_tally(const struct pool_vector *vector, uint32_t id);
/* The open tally of (game, currency), NULL if none. */
struct pool_tally *pool_vector_open_tally(
	struct pool_vector *vector, uint32_t game, uint32_t currency);
/* Keeps the larger total and raises T by the difference. Any status but OK: nothing has changed. */
CARILLON_MUST_CHECK enum pool_vector_status pool_vector_offer(struct pool_vector *vector,
	uint32_t shard, uint32_t tally, uint64_t total_minor, uint64_t seq);

/* Folding frees the place of a closed tally to which the wallet no longer adds stakes. The
 * contributions of the tally stay in T, exact to the last digit. If a message names the tally
 * later, the caller restores it from storage: the tally by pool_vector_add_tally, each total by
 * pool_vector_unfold. T stays the same.
 *
 *     t_e18 = folded_e18 + sum over the entries of their contributions */

/* Folds a tally. False when the tally is unknown or open, or when one of its totals is not stored
 * yet (dirty). */
CARILLON_MUST_CHECK bool pool_vector_fold(struct pool_vector *vector, uint32_t tally);
/* Adds a stored total of a folded tally. The total gets no entry here; its whole contribution goes
 * into T. */
CARILLON_MUST_CHECK enum pool_vector_status pool_vector_add_folded(
	struct pool_vector *vector, const struct pool_tally *tally, uint64_t total_minor);
/* Puts a folded total back among the entries; T does not change. */
CARILLON_MUST_CHECK enum pool_vector_status pool_vector_unfold(struct pool_vector *vector,
	uint32_t shard, uint32_t tally, uint64_t total_minor, uint64_t seq);

#endif
