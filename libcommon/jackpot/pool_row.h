/* One counter of a jackpot: a watermark over a running total. Progressive pools have one for each
 * (currency, coin value), sets of Jackpot Cards one for each level; the arithmetic is the same:
 *
 *     value = seed + (T - W) x share + r
 *
 * T is all that was ever contributed (the pool's, handed in), W is T at the row's last win, r what
 * flooring the payout left over. A win moves the W of its own row only, so that no other row is
 * touched. Scales: T and W in 10^-18 EUR, the share in 10^-9, hence values and r in 10^-27 EUR;
 * a seed and a payout are whole minor units of the row's currency and turn into euros at the row
 * rate. Everything is exact and checked; the one rounding is the floor of a payout to the minor
 * unit, and its remainder is the next r. Source: docs/progressive.md. */
#ifndef CARILLON_JACKPOT_POOL_ROW_H
#define CARILLON_JACKPOT_POOL_ROW_H

#include "libcommon/base/amount.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POOL_NANO INT64_C(1000000000)
#define POOL_EXPONENT_MAX 18 /* decimals of a minor unit that the scale of 10^-27 can hold */
#define POOL_SEED_MINOR_MAX INT64_C(1000000000000)   /* 10^12: ten thousand million euros */
#define POOL_RATE_NANO_MAX INT64_C(1000000000000000) /* 10^6 EUR for one unit of a currency */

/* What a row keeps from one win to the next: taken at its reseed, never read from a definition
 * in between. */
struct pool_terms {
	int64_t seed_minor;
	int64_t row_rate_nano; /* EUR for one unit of the row's currency, x 10^9; EUR: 10^9 */
	int64_t share_nano;    /* of each contribution, x 10^9 */
};

struct pool_row {
	uint32_t currency;  /* ISO 4217 */
	uint32_t exponent;  /* decimals of its minor unit */
	int64_t coin_minor; /* progressive: the coin value; 0 for levels */
	uint32_t level;	    /* Jackpot Cards: 1..4; 0 for progressive rows */
	struct pool_terms terms;
	bool next_waits; /* changed terms wait for this row's next win */
	struct pool_terms next;
	int128 w_e18;
	struct amount r;
	uint64_t hits;
};

/* What a win at the row's present value pays. value = cost + carry. */
struct pool_price {
	struct amount value;
	int64_t paid_minor;  /* value floored to the minor unit of the row's currency */
	struct amount cost;  /* of paid_minor, in euros at the row rate */
	struct amount carry; /* the next r */
};

enum pool_row_status {
	POOL_ROW_OK = 0,
	POOL_ROW_OVERFLOW, /* does not fit 128 bits, or the payout 63 */
	POOL_ROW_NEGATIVE, /* below zero: the books are broken */
	POOL_ROW_TERMS,	   /* a seed, rate, share or exponent that no row may have */
};

/* The share of a coin value: coin x row rate / base coin, floored to 10^-9. base_coin_minor is in
 * euro cents. False when an argument is not positive or the share exceeds 1. */
CARILLON_MUST_CHECK bool pool_row_share(int64_t coin_minor, uint32_t exponent,
	int64_t row_rate_nano, int64_t base_coin_minor, int64_t *share_nano_r);

/* Seed >= 1, rate > 0, share 0..10^9, all within their bounds, and the seed itself fits. */
bool pool_terms_valid(const struct pool_terms *terms, uint32_t exponent);

/* What one minor unit of a currency costs at a row rate. */
CARILLON_MUST_CHECK bool pool_unit(int64_t row_rate_nano, uint32_t exponent, struct amount *unit_r);
CARILLON_MUST_CHECK bool pool_seed(
	const struct pool_terms *terms, uint32_t exponent, struct amount *seed_r);

/* (T - W) x share + r: what the row holds of the contributions. */
CARILLON_MUST_CHECK enum pool_row_status pool_row_accrued(
	const struct pool_row *row, int128 t_e18, struct amount *accrued_r);
/* Price of a win now; nothing changes. */
CARILLON_MUST_CHECK enum pool_row_status pool_row_price(
	const struct pool_row *row, int128 t_e18, struct pool_price *price_r);
/* The same, paid in another currency than the row's: floored to its minor unit, at that rate (EUR
 * for one unit of it, x 10^9). What the floor leaves over is carried all the same. */
CARILLON_MUST_CHECK enum pool_row_status pool_row_price_in(const struct pool_row *row, int128 t_e18,
	int64_t rate_nano, uint32_t exponent, struct pool_price *price_r);
/* A win: W to T, r to the carry, waiting terms come into force, one more hit. */
void pool_row_reset(struct pool_row *row, int128 t_e18, struct amount carry);

/* Sum of the shares in force, and of what they could become while some terms wait (the larger of
 * the two in each row, for rows are won in any order). */
int64_t pool_rows_share(const struct pool_row *rows, size_t n);
int64_t pool_rows_share_worst(const struct pool_row *rows, size_t n);

#endif
