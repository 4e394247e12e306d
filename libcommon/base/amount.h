/* Pool amounts: exact decimal fractions of a euro in checked signed 128-bit integers (shared rules
 * of the progressive: T in 10^-18 EUR, values, carries and books in 10^-27 EUR, good to 1.7 x 10^11
 * EUR). Nothing here rounds but amount_floor_div, whose remainder is returned. */
#ifndef CARILLON_BASE_AMOUNT_H
#define CARILLON_BASE_AMOUNT_H

#include "libcommon/base/money.h"

#include <stddef.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

#define AMOUNT_TEXT_MAX 48 /* sign, 39 digits, a point, a leading zero, NUL */

/* An amount in 10^-27 EUR. */
struct amount {
	int128 e27;
};

CARILLON_MUST_CHECK bool amount_add(struct amount a, struct amount b, struct amount *sum_r);
CARILLON_MUST_CHECK bool amount_sub(struct amount a, struct amount b, struct amount *difference_r);
CARILLON_MUST_CHECK bool amount_mul(struct amount a, int64_t factor, struct amount *product_r);
CARILLON_MUST_CHECK bool int128_mul(int128 a, int128 b, int128 *product_r);

/* Floor of a / b for a >= 0, b > 0, with the remainder; false when the signs are otherwise. */
CARILLON_MUST_CHECK bool amount_floor_div(
	struct amount a, int128 b, int128 *quotient_r, struct amount *remainder_r);

/* Decimal integer text of a 128-bit number, as Postgres `numeric` reads and writes it. out holds
 * AMOUNT_TEXT_MAX bytes; returns its length. */
size_t int128_format(int128 value, char *out);
/* Reads an optional sign and digits only, whole text; false on anything else or when it does not
 * fit. */
CARILLON_MUST_CHECK bool int128_parse(const char *text, int128 *value_r);

#endif
