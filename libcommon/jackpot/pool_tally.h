/* What the wallet's shards have told a pool about its tallies: the largest running total of each
 * (wallet shard, tally), and T, which is their sum. Totals only grow, so messages that come twice,
 * late or never change nothing in the end.
 *
 *     T = sum over (shard, tally) of total x rate x ppm
 *
 * in 10^-18 EUR: minor units with up to three decimals times 10^-9 times 10^-6 are whole there. A
 * currency with more decimals is floored once, from the running total, so that what one message
 * floored is found again in the next. Fixed storage, no allocation. */
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

/* Immutable but for `open`: what one minor unit staked in (game, currency) contributes. */
struct pool_tally {
	uint32_t id;
	uint32_t game;
	uint32_t currency;
	uint32_t exponent;
	int64_t rate_nano; /* EUR for one unit of the currency, x 10^9, when it was opened */
	uint32_t ppm;	   /* of the stake: 5,000 = 0.5 % */
	bool open;
};

struct pool_vector_entry {
	uint32_t shard; /* of the wallet */
	uint32_t tally;
	uint64_t total_minor;
	uint64_t seq; /* journal row of the shard after which the total holds */
	bool dirty;   /* for who stores it: changed since it was cleared */
	bool noted;   /* for who writes down each change: it has been since it changed last */
};

struct pool_vector {
	uint32_t tally_count;
	struct pool_tally tally[POOL_TALLIES_MAX];
	uint32_t entry_count;
	struct pool_vector_entry entry[POOL_VECTOR_MAX];
	int128 t_e18;	   /* all contributions, folded ones included */
	int128 folded_e18; /* of tallies that were folded */
};

enum pool_vector_status {
	POOL_VECTOR_OK = 0,
	POOL_VECTOR_SEEN,    /* not larger than what is known: nothing changed */
	POOL_VECTOR_UNKNOWN, /* no such tally in this pool */
	POOL_VECTOR_FULL,
	POOL_VECTOR_OVERFLOW,
	POOL_VECTOR_TALLY, /* pool_vector_add_tally: a rate, ppm or exponent no tally may have, or
			      an id twice */
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
/* Keeps the larger total and moves T by what it adds. Every status but OK leaves all unchanged. */
CARILLON_MUST_CHECK enum pool_vector_status pool_vector_offer(struct pool_vector *vector,
	uint32_t shard, uint32_t tally, uint64_t total_minor, uint64_t seq);

/* Folding: a closed tally that nobody counts into any more gives its place free. What it
 * contributed stays in T, to the last digit. Should it be told of once more after all, its owner
 * brings it back with what it has stored: the tally by pool_vector_add_tally, each total by
 * pool_vector_unfold, and nothing has changed.
 *
 *     t_e18 = folded_e18 + sum over the entries of their contributions
 */

/* False when there is no such tally, it is open, or a total of it is not stored yet (dirty). */
CARILLON_MUST_CHECK bool pool_vector_fold(struct pool_vector *vector, uint32_t tally);
/* Counts a stored total of a tally that is not here: all it ever contributed is T's, and stays
 * folded. */
CARILLON_MUST_CHECK enum pool_vector_status pool_vector_add_folded(
	struct pool_vector *vector, const struct pool_tally *tally, uint64_t total_minor);
/* A folded total takes its place among the entries again; T does not change. */
CARILLON_MUST_CHECK enum pool_vector_status pool_vector_unfold(struct pool_vector *vector,
	uint32_t shard, uint32_t tally, uint64_t total_minor, uint64_t seq);

#endif
