/* Double-entry books of a jackpot pool, in 10^-27 EUR. These identities hold exactly (T, W, share
 * and r as in pool_row.h):
 *
 *     jp_pool = sum over rows of (T - W) x share + r
 *     jp_seed = sum over rows of seed
 *     contributions + house_seed + received = jp_pool + jp_reserve + jp_seed + paid + sent
 *
 * The part of a contribution that goes to no live row goes to the reserve. The reserve pays for
 * reseeding before the house does.
 *
 * Each function applies the whole entry, or returns false and changes nothing. It returns false
 * when a sum does not fit or an amount is out of range. Only pool_books_adjust and pool_books_send
 * also refuse to overdraw the pool's accounts. pool_books_hit and pool_books_release do not check
 * this: they may make jp_pool or jp_seed negative, which pool_books_hold then finds. */
#ifndef CARILLON_JACKPOT_POOL_BOOKS_H
#define CARILLON_JACKPOT_POOL_BOOKS_H

#include "libcommon/jackpot/pool_row.h"

struct pool_books {
	struct amount contributions; /* all contributions from stakes, ever */
	struct amount jp_pool;	     /* accrued in the rows */
	struct amount jp_reserve;
	struct amount jp_seed;	  /* the rows' seeds */
	struct amount house_seed; /* all money from the house: launches, reseeding, adjustments */
	struct amount paid;	  /* cost of all hits */
	struct amount received;	  /* all money from retired pools */
	struct amount sent;	  /* all money to other pools */
};

/* Where the money for a new seed came from. */
struct pool_reseed {
	struct amount from_reserve;
	struct amount from_house;
};

/* T grows by delta_e18: share_nano x 10^-9 of it goes to the rows, (funded_nano - share_nano) x
 * 10^-9 to the reserve. A progressive's contribution is funded in full (10^9). Jackpot Cards are
 * funded with exactly their levels' shares, so nothing goes to the reserve. */
CARILLON_MUST_CHECK bool pool_books_contribute(
	struct pool_books *books, int128 delta_e18, int64_t share_nano, int64_t funded_nano);
/* A row starts: the house pays its seed. */
CARILLON_MUST_CHECK bool pool_books_launch(struct pool_books *books, struct amount seed);
/* A hit costs `cost`, of which `seed` was the row's seed; then the row is reseeded with
 * `next_seed`. */
CARILLON_MUST_CHECK bool pool_books_hit(struct pool_books *books, struct amount cost,
	struct amount seed, struct amount next_seed, struct pool_reseed *reseed_r);
/* An operator changes a row's r by delta: the house pays the money in or takes it out. */
CARILLON_MUST_CHECK bool pool_books_adjust(struct pool_books *books, struct amount delta);
/* A row is removed: all its money goes to the reserve. */
CARILLON_MUST_CHECK bool pool_books_release(
	struct pool_books *books, struct amount accrued, struct amount seed);

/* Money leaves for another pool: from a row's contributions, from its seed and from the reserve. */
CARILLON_MUST_CHECK bool pool_books_send(
	struct pool_books *books, struct amount accrued, struct amount seed, struct amount reserve);
/* Money arrives from another pool, for a row or for the reserve. */
CARILLON_MUST_CHECK bool pool_books_receive(
	struct pool_books *books, struct amount amount, bool to_row);

/* Checks the three identities, that no row and no account is negative, and that no sum overflows.
 * house_seed may be negative: an adjustment may take out more than the house has paid in. *where_r
 * names the first check that fails ("jp_pool", "jp_seed", "balance", "negative", "overflow"); it is
 * "" when all hold. A row whose accrued money is negative gives "overflow". */
CARILLON_MUST_CHECK bool pool_books_hold(const struct pool_books *books, int128 t_e18,
	const struct pool_row *rows, size_t n, const char **where_r);

#endif
