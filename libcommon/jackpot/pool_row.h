/* A row of a jackpot pool. A progressive has a row for each (currency, coin value), a set of
 * Jackpot Cards has one for each level. The arithmetic is the same:
 *
 *     value = seed + (T - W) x share + r
 *
 * T is the sum of all contributions to the pool; the caller passes it. W, the watermark, is T at
 * the row's last hit. r, the carry, is the remainder of the last payout and any adjustment since. A
 * hit moves only its own row's W; no other row changes.
 *
 * T and W are in 10^-18 EUR and the share is in 10^-9, hence values and r are in 10^-27 EUR. A
 * seed is in whole minor units of the row's currency, and a payout is in whole minor units of the
 * currency paid; rates convert both to euros. All arithmetic is exact and checked. Only two things
 * are rounded: a share is floored to 10^-9 when it is set, and a payout is floored to the minor
 * unit; the payout's remainder is the next r. Source: docs/progressive.md. */
#ifndef CARILLON_JACKPOT_POOL_ROW_H
#define CARILLON_JACKPOT_POOL_ROW_H

#include "libcommon/base/amount.h"
#include "libcommon/base/currency.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POOL_NANO INT64_C(1000000000)
#define POOL_EXPONENT_MAX 18 /* decimals of a currency; with the row rate's 9, at most 27 */
#define POOL_SEED_MINOR_MAX INT64_C(1000000000000) /* 10^12: ten billion euros */
#define POOL_RATE_NANO_MAX CURRENCY_RATE_NANO_MAX

/* The terms of a row from one hit to the next. Set when the row is reseeded; a definition changes
 * them only then. */
struct pool_terms {
	int64_t seed_minor;
	int64_t row_rate_nano; /* EUR for one unit of the row's currency, x 10^9; EUR: 10^9 */
	int64_t share_nano;    /* of each contribution, x 10^9 */
};

struct pool_row {
	uint32_t currency;  /* ISO 4217 */
	uint32_t exponent;  /* decimals of its minor unit */
	int64_t coin_minor; /* progressive: the coin value; level: 0 */
	uint32_t level;	    /* Jackpot Cards: 1..4; progressive: 0 */
	struct pool_terms terms;
	bool next_waits; /* changed terms wait for this row's next hit */
	struct pool_terms next;
	int128 w_e18;
	struct amount r;
	uint64_t hits;
};

/* The price of a hit at the row's present value: value = cost + carry. */
struct pool_price {
	struct amount value;
	int64_t paid_minor;  /* value floored to the minor unit of the currency paid */
	struct amount cost;  /* of paid_minor, in EUR at the rate used */
	struct amount carry; /* the next r */
};

enum pool_row_status {
	POOL_ROW_OK = 0,
	POOL_ROW_OVERFLOW, /* a value needs more than 128 bits, or the payout more than 63 */
	POOL_ROW_NEGATIVE, /* below zero: the books are wrong */
	POOL_ROW_TERMS,	   /* an invalid seed, rate, share or exponent */
};

/* The share of a coin value: coin x row rate / base coin, floored to 10^-9. base_coin_minor is in
 * euro cents. False when an argument is not positive or the share exceeds 1. */
CARILLON_MUST_CHECK bool pool_row_share(int64_t coin_minor, uint32_t exponent,
	int64_t row_rate_nano, int64_t base_coin_minor, int64_t *share_nano_r);

/* Checks that seed (>= 1), rate (> 0), share (0..10^9) and exponent are in their bounds, and that
 * the seed, converted to EUR, fits a struct amount. */
bool pool_terms_valid(const struct pool_terms *terms, uint32_t exponent);

/* One minor unit of a currency in EUR, at the row rate. */
CARILLON_MUST_CHECK bool pool_unit(int64_t row_rate_nano, uint32_t exponent, struct amount *unit_r);
/* The seed in EUR. */
CARILLON_MUST_CHECK bool pool_seed(
	const struct pool_terms *terms, uint32_t exponent, struct amount *seed_r);

/* (T - W) x share + r: the row's part of the contributions. */
CARILLON_MUST_CHECK enum pool_row_status pool_row_accrued(
	const struct pool_row *row, int128 t_e18, struct amount *accrued_r);
/* The price of a hit now; changes nothing. */
CARILLON_MUST_CHECK enum pool_row_status pool_row_price(
	const struct pool_row *row, int128 t_e18, struct pool_price *price_r);
/* The same, paid in a currency other than the row's. rate_nano (EUR for one unit, x 10^9) and
 * exponent are those of the paid currency, and the payout is floored to its minor unit. The
 * remainder is carried as usual. */
CARILLON_MUST_CHECK enum pool_row_status pool_row_price_in(const struct pool_row *row, int128 t_e18,
	int64_t rate_nano, uint32_t exponent, struct pool_price *price_r);
/* Books a hit in the row: W becomes T, r becomes the carry, waiting terms take effect, hits grows
 * by one. */
void pool_row_reset(struct pool_row *row, int128 t_e18, struct amount carry);

/* Sum of the shares in force. The worst case takes the larger of the present and the waiting share
 * of each row, because rows are hit in any order. */
int64_t pool_rows_share(const struct pool_row *rows, size_t n);
int64_t pool_rows_share_worst(const struct pool_row *rows, size_t n);

#endif
