/* A progressive pool: its rows (one counter for each currency and coin value), the price and order
 * of hits, and the pool's own books. Pure: the caller brings T (from the wallet's running totals),
 * keeps the hits, and makes everything durable. Every call either does the whole of it or changes
 * nothing and says why. Amounts are exact (libcommon/jackpot/pool_row.h, pool_books.h).
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

enum pool_status {
	POOL_OK = 0,
	POOL_REPEATED,	    /* this claim was priced before: the same hit is given back */
	POOL_NO_ROW,	    /* no row for the currency and coin value */
	POOL_CLAIM_DIFFERS, /* the claim's id is known with another currency or coin: an alarm */
	POOL_INSOLVENT,	    /* the shares of all rows would exceed 1 */
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
	POOL_PAUSING, /* linked games refuse new rounds; booked rounds accrue and are paid */
	POOL_PAUSED,  /* and no claim is open any more */
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

/* What a round has won: a claim's id and the row it is paid from. */
struct pool_claim {
	struct claim_id id;
	uint32_t currency;
	int64_t coin_minor;
};

/* A priced hit, as it is kept for ever. */
struct pool_hit {
	uint64_t number; /* 1, 2, .. in the order of this pool */
	struct pool_claim claim;
	struct pool_price price;
	struct amount seed;	 /* the part of the price that was the row's seed */
	struct amount next_seed; /* what the row was reseeded with */
	struct pool_reseed reseed;
	int128 t_e18; /* at the hit: the row's new W */
	int128 w_before_e18;
};

/* The hit of a claim, from wherever the caller keeps them; NULL if it has none. The result must
 * live until the call that asked returns. */
typedef const struct pool_hit *pool_hit_find(void *context, const struct claim_id *id);

/* "live", "pausing", "paused", "retired"; and back (false when it is none of them). */
const char *pool_state_text(enum pool_state state);
bool pool_state_parse(const char *text, enum pool_state *state_r);
/* For refusals to operators: what is wrong, in a few words. Static. */
const char *pool_status_text(enum pool_status status);

void pool_begin(struct pool *pool, uint32_t number);
/* A new row, at the start or later: W = T, the house lays its seed. */
CARILLON_MUST_CHECK enum pool_status pool_launch(struct pool *pool, uint32_t currency,
	uint32_t exponent, int64_t coin_minor, const struct pool_terms *terms);
/* All contributions are now T. Equal to the present T: nothing happens. */
CARILLON_MUST_CHECK enum pool_status pool_contribute_to(struct pool *pool, int128 t_e18);

struct pool_row *pool_row_find(struct pool *pool, uint32_t currency, int64_t coin_minor);
/* What a row would pay now, floored to its minor unit. */
CARILLON_MUST_CHECK enum pool_status pool_value(
	const struct pool *pool, const struct pool_row *row, int64_t *value_minor_r);

/* Prices a claim and books it: POOL_OK with a new hit, POOL_REPEATED with the one it had. */
CARILLON_MUST_CHECK enum pool_status pool_hit(struct pool *pool, const struct pool_claim *claim,
	pool_hit_find *find, void *context, struct pool_hit *hit_r);

/* New terms of a row wait for its next win. Terms that equal those in force end the waiting. */
CARILLON_MUST_CHECK enum pool_status pool_terms_change(
	struct pool *pool, uint32_t currency, int64_t coin_minor, const struct pool_terms *terms);
/* An operator moves a row's carry: undoes a paid jackpot (up), or takes back (down to its seed). */
CARILLON_MUST_CHECK enum pool_status pool_adjust(
	struct pool *pool, uint32_t currency, int64_t coin_minor, struct amount delta);
/* Takes a row off; all it holds goes to the reserve. Only while the pool is paused, when no claim
 * can be on its way. */
CARILLON_MUST_CHECK enum pool_status pool_row_remove(
	struct pool *pool, uint32_t currency, int64_t coin_minor);

CARILLON_MUST_CHECK enum pool_status pool_pause(struct pool *pool);
CARILLON_MUST_CHECK enum pool_status pool_resume(struct pool *pool);
/* The pool is retired: while it is paused all its money leaves, row by row and then the reserve;
 * contributions that were on their way still arrive in the reserve, which is sent after them. Each
 * gives the amount that has left the books and that the caller must see to it arrives. */
CARILLON_MUST_CHECK enum pool_status pool_row_send(
	struct pool *pool, uint32_t currency, int64_t coin_minor, struct amount *amount_r);
CARILLON_MUST_CHECK enum pool_status pool_reserve_send(struct pool *pool, struct amount *amount_r);
/* Paused, and nothing is left in it. */
CARILLON_MUST_CHECK enum pool_status pool_retire(struct pool *pool);
/* Money of another pool, onto a row's value; into the reserve where currency is 0, or there is no
 * such row any more, or the row's value would not fit: what was sent never comes back. */
CARILLON_MUST_CHECK enum pool_status pool_receive(struct pool *pool, uint32_t currency,
	int64_t coin_minor, struct amount amount, bool *to_row_r);
/* No claim of the pool is open: a pausing pool is paused now. True when that changed something. */
bool pool_claims_closed(struct pool *pool);

/* *where_r: the identity that does not hold, "" when all do; never NULL. */
bool pool_identities_hold(const struct pool *pool, const char **where_r);

#endif
