/* A progressive pool: its rows (one for each currency and coin value), the price and order of hits,
 * and the pool's own books. Pure: the caller supplies T (from the wallet's running totals), keeps
 * the hits, and makes everything durable. Every call either succeeds completely or changes nothing
 * and returns the reason. Amounts are exact (libcommon/jackpot/pool_row.h, pool_books.h).
 *
 * RULE bewitched 4.4; RULE mona-lisa 4.7: kept in euro, a seed and all increments. RULE
 * bewitched 4.6; RULE mona-lisa 4.9: a row for each coin value, in proportion to it. RULE
 * bewitched 4.9; RULE mona-lisa 4.12: the first of two near winners takes the whole, the next one
 * the seed and what came in between. */
#ifndef CARILLON_PROGRESSIVE_POOL_CORE_POOL_H
#define CARILLON_PROGRESSIVE_POOL_CORE_POOL_H

#include "libcommon/base/ids.h"
#include "libcommon/jackpot/pool_books.h"

#define POOL_ROWS_MAX 256
#define POOL_WHERE_MAX 80

enum pool_status {
	POOL_OK = 0,
	POOL_REPEATED,	    /* this claim was priced before: returns the same hit */
	POOL_NO_ROW,	    /* no row for the currency and coin value */
	POOL_CLAIM_DIFFERS, /* the claim has another currency or coin value than before: an alarm */
	POOL_INSOLVENT,	    /* the sum of all rows' shares would exceed 1 */
	POOL_ROW_EXISTS,
	POOL_FULL,	  /* POOL_ROWS_MAX */
	POOL_TERMS,	  /* seed, rate, share or exponent out of bounds */
	POOL_BACKWARDS,	  /* T would fall */
	POOL_BELOW_SEED,  /* an adjustment would take a row below its seed */
	POOL_WRONG_STATE, /* the pool's state does not allow it */
	POOL_OVERFLOW,
};

enum pool_state {
	POOL_LIVE = 0,
	POOL_PAUSING, /* the pool's games take no bets; booked rounds contribute and are paid */
	POOL_PAUSED,  /* and no claim is open */
	POOL_RETIRED,
};

struct pool {
	uint32_t number;
	enum pool_state state;
	int128 t_e18;
	uint64_t hits;
	uint32_t row_count;
	struct pool_row row[POOL_ROWS_MAX];
	struct pool_books books;
};

/* A claim on the pool: its id and the row that pays it. */
struct pool_claim {
	struct claim_id id;
	uint32_t currency;
	int64_t coin_minor;
};

/* A priced hit. Hits are kept for ever. */
struct pool_hit {
	uint64_t number; /* 1, 2, .. in this pool's order of hits */
	struct pool_claim claim;
	struct pool_price price;
	struct amount seed;	 /* the part of the price that was the row's seed */
	struct amount next_seed; /* the row's seed after the hit */
	struct pool_reseed reseed;
	int128 t_e18; /* at the hit: the row's new W */
	int128 w_before_e18;
};

/* Finds the hit of a claim in the caller's storage; NULL: none. The result must live until the
 * pool_ function that called it returns. */
typedef const struct pool_hit *pool_hit_find(void *context, const struct claim_id *id);

/* "live", "pausing", "paused", "retired"; and back (false: none of these). */
const char *pool_state_text(enum pool_state state);
bool pool_state_parse(const char *text, enum pool_state *state_r);
/* What is wrong, in a few words, for refusals to operators. Static. */
const char *pool_status_text(enum pool_status status);

void pool_begin(struct pool *pool, uint32_t number);
/* Adds a row, at the start or later: W = T, the house pays its seed. */
CARILLON_MUST_CHECK enum pool_status pool_launch(struct pool *pool, uint32_t currency,
	uint32_t exponent, int64_t coin_minor, const struct pool_terms *terms);
/* Raises all contributions to T. The present T changes nothing. */
CARILLON_MUST_CHECK enum pool_status pool_contribute_to(struct pool *pool, int128 t_e18);

struct pool_row *pool_row_find(struct pool *pool, uint32_t currency, int64_t coin_minor);
/* What a row would pay now, floored to its minor unit. */
CARILLON_MUST_CHECK enum pool_status pool_value(
	const struct pool *pool, const struct pool_row *row, int64_t *value_minor_r);

/* Prices a claim and books it: POOL_OK with a new hit, POOL_REPEATED with the hit of the first
 * time. */
CARILLON_MUST_CHECK enum pool_status pool_hit(struct pool *pool, const struct pool_claim *claim,
	pool_hit_find *find, void *context, struct pool_hit *hit_r);

/* Sets new terms of a row, in force after its next hit. The terms in force cancel pending ones. */
CARILLON_MUST_CHECK enum pool_status pool_terms_change(
	struct pool *pool, uint32_t currency, int64_t coin_minor, const struct pool_terms *terms);
/* Changes a row's carry for an operator: up to reverse a paid jackpot, or down, at most to the
 * row's seed. */
CARILLON_MUST_CHECK enum pool_status pool_adjust(
	struct pool *pool, uint32_t currency, int64_t coin_minor, struct amount delta);
/* Removes a row; its whole value goes to the reserve. Only while the pool is paused, when no claim
 * can be open. */
CARILLON_MUST_CHECK enum pool_status pool_row_remove(
	struct pool *pool, uint32_t currency, int64_t coin_minor);

CARILLON_MUST_CHECK enum pool_status pool_pause(struct pool *pool);
CARILLON_MUST_CHECK enum pool_status pool_resume(struct pool *pool);
/* Take the money out of a pool that is to be retired: while it is paused, row by row, then the
 * reserve. Contributions still in flight arrive in the reserve; send it again after them. Each
 * function returns the amount that has left the books; the caller must deliver it. */
CARILLON_MUST_CHECK enum pool_status pool_row_send(
	struct pool *pool, uint32_t currency, int64_t coin_minor, struct amount *amount_r);
CARILLON_MUST_CHECK enum pool_status pool_reserve_send(struct pool *pool, struct amount *amount_r);
/* Retires a paused pool without rows and without money. */
CARILLON_MUST_CHECK enum pool_status pool_retire(struct pool *pool);
/* Receives money of another pool: adds it to a row's value, or to the reserve if currency is 0, the
 * row no longer exists, or the sum would overflow. Money that was sent is never returned. */
CARILLON_MUST_CHECK enum pool_status pool_receive(struct pool *pool, uint32_t currency,
	int64_t coin_minor, struct amount amount, bool *to_row_r);
/* Call when no claim of the pool is open: pauses a pausing pool. True if the state changed. */
bool pool_claims_closed(struct pool *pool);

/* False: a stored pool has a row that cannot be priced, or shares that could exceed 1 once all
 * waiting terms are in force; where (POOL_WHERE_MAX bytes) says which. A pool that is valid stays
 * so: each change checks it. */
bool pool_rows_valid(const struct pool *pool, char *where);
/* *where_r: the identity that does not hold, "" if all hold; never NULL. */
bool pool_identities_hold(const struct pool *pool, const char **where_r);

#endif
