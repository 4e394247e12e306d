/* The double entry of a jackpot pool, in 10^-27 EUR, and its identities, which hold exactly:
 *
 *     jp_pool = sum over rows of (T - W) x share + r
 *     jp_seed = sum over rows of seed
 *     contributions + house_seed + received = jp_pool + jp_reserve + jp_seed + paid + sent
 *
 * What the live rows do not get of a contribution goes to the reserve, which pays for reseeding
 * before the house does. Every function either applies the whole entry or, when something does not
 * fit or an account would be overdrawn, returns false and changes nothing. */
#ifndef CARILLON_JACKPOT_POOL_BOOKS_H
#define CARILLON_JACKPOT_POOL_BOOKS_H

#include "libcommon/jackpot/pool_row.h"

struct pool_books {
	struct amount contributions; /* all that was ever put in out of stakes */
	struct amount jp_pool;	     /* accrued in the rows */
	struct amount jp_reserve;
	struct amount jp_seed;	  /* the rows' seeds */
	struct amount house_seed; /* put in by the house in all: launches, reseeding, adjustments */
	struct amount paid;	  /* cost of all hits */
	struct amount received;	  /* from pools that were retired, in all */
	struct amount sent;	  /* to other pools, in all */
};

/* How a seed was found again. */
struct pool_reseed {
	struct amount from_reserve;
	struct amount from_house;
};

/* T grew by delta_e18: share_nano of it to the rows, the rest up to funded_nano to the reserve.
 * A progressive's contribution is funded whole (10^9); Jackpot Cards are funded with exactly what
 * their levels get, so nothing is left for a reserve. */
CARILLON_MUST_CHECK bool pool_books_contribute(
	struct pool_books *books, int128 delta_e18, int64_t share_nano, int64_t funded_nano);
/* A row begins: the house lays its seed. */
CARILLON_MUST_CHECK bool pool_books_launch(struct pool_books *books, struct amount seed);
/* A win of `cost`, of which `seed` was the row's seed; then the row is reseeded with `next_seed`.
 */
CARILLON_MUST_CHECK bool pool_books_hit(struct pool_books *books, struct amount cost,
	struct amount seed, struct amount next_seed, struct pool_reseed *reseed_r);
/* An operator moves a row's r by delta: the house's money in or out. */
CARILLON_MUST_CHECK bool pool_books_adjust(struct pool_books *books, struct amount delta);
/* A row is taken off: all it holds goes to the reserve. */
CARILLON_MUST_CHECK bool pool_books_release(
	struct pool_books *books, struct amount accrued, struct amount seed);

/* Money leaves for another pool: what a row had accrued, its seed, and of the reserve. */
CARILLON_MUST_CHECK bool pool_books_send(
	struct pool_books *books, struct amount accrued, struct amount seed, struct amount reserve);
/* Money of another pool, into a row or into the reserve. */
CARILLON_MUST_CHECK bool pool_books_receive(
	struct pool_books *books, struct amount amount, bool to_row);

/* The three identities. *where_r names the first that does not hold ("jp_pool", "jp_seed",
 * "balance", "negative", "overflow"), "" when all do. */
CARILLON_MUST_CHECK bool pool_books_hold(const struct pool_books *books, int128 t_e18,
	const struct pool_row *rows, size_t n, const char **where_r);

#endif
