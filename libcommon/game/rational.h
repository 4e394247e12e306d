/* Exact numbers as text. Texts belong to the caller; when memory ends, par_refuse. */
#ifndef CARILLON_GAME_RATIONAL_H
#define CARILLON_GAME_RATIONAL_H

#include <gmp.h>
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define DIGITS 12 /* behind the point, in JSON */

/* Decimals of a rational, correctly rounded (half away from zero). The caller frees it. */
char *rational_decimals(const mpq_t value, unsigned digits);
/* The square root of a rational, 40 digits good; for deviations. */
char *rational_root_decimals(const mpq_t value, const char *factor, unsigned digits);
/* x 100, as people write percents. */
char *rational_percent(const mpq_t value, unsigned digits);
json_t *json_decimals(const mpq_t value);
json_t *json_fraction(const mpq_t value); /* "p/q" */

/* 1 / frequency, "0" where it never happens. */
char *one_in(const mpq_t frequency, unsigned digits);

/* z of a two-sided 90 % interval: the volatility index is this many standard deviations of one
 * round's win in stakes. */
#define VOLATILITY_Z "1.644853626951472714863848907991632136"
/* The same of 99 % and 99.9 %. */
#define Z_99 2.5758293035489004
#define Z_999 3.2905267314919255

void hex_text(const uint8_t *bytes, size_t count, char *out);

#endif
