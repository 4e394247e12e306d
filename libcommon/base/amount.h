/* Pool amounts: exact decimal fractions of a euro in checked signed 128-bit integers. T, the sum of
 * a pool's contributions, is in 10^-18 EUR. The values and carries of its rows (jackpot/pool_row.h)
 * and its books (jackpot/pool_books.h) are in 10^-27 EUR and can reach 1.7 x 10^11 EUR
 * (docs/progressive.md). Only amount_floor_div rounds, and it returns the remainder. */
#ifndef CARILLON_BASE_AMOUNT_H
#define CARILLON_BASE_AMOUNT_H

#include "libcommon/base/money.h"

#include <stddef.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

#define AMOUNT_TEXT_MAX 48 /* sign, 39 digits, NUL, and room to spare */

/* An amount in 10^-27 EUR. */
struct amount {
	int128 e27;
};

/* The next four functions return false, and leave the result unchanged, when it does not fit 128
 * bits. */
CARILLON_MUST_CHECK bool amount_add(struct amount a, struct amount b, struct amount *sum_r);
CARILLON_MUST_CHECK bool amount_sub(struct amount a, struct amount b, struct amount *difference_r);
CARILLON_MUST_CHECK bool amount_mul(struct amount a, int64_t factor, struct amount *product_r);
CARILLON_MUST_CHECK bool int128_mul(int128 a, int128 b, int128 *product_r);

/* Floor of a / b, with the remainder. False unless a >= 0 and b > 0. */
CARILLON_MUST_CHECK bool amount_floor_div(
	struct amount a, int128 b, int128 *quotient_r, struct amount *remainder_r);

/* Writes a 128-bit number as decimal text, the form of Postgres `numeric`. out holds
 * AMOUNT_TEXT_MAX bytes. Returns the length. */
size_t int128_format(int128 value, char *out);
/* Reads text that is an optional sign and digits, nothing else. False on any other text or when the
 * number does not fit. */
CARILLON_MUST_CHECK bool int128_parse(const char *text, int128 *value_r);

#endif
