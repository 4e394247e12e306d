/* Exact numbers as text. The caller frees the texts. The functions call par_refuse if memory runs
 * out. */
#ifndef CARILLON_GAME_RATIONAL_H
#define CARILLON_GAME_RATIONAL_H

#include <gmp.h>
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define DIGITS 12 /* decimals in JSON */

/* A rational as a decimal number, correctly rounded (half away from zero). */
char *rational_decimals(const mpq_t value, unsigned digits);
/* `factor` times the square root of a rational, for standard deviations. The root is correct to 40
 * digits. */
char *rational_root_decimals(const mpq_t value, const char *factor, unsigned digits);
/* x 100: a percentage. */
char *rational_percent(const mpq_t value, unsigned digits);
json_t *json_decimals(const mpq_t value);
json_t *json_fraction(const mpq_t value); /* "p/q" */

/* 1 / frequency; "0" if frequency is 0. */
char *one_in(const mpq_t frequency, unsigned digits);

/* z of a two-sided 90 % interval. The volatility index is z times the standard deviation of one
 * round's win, in stakes. */
#define VOLATILITY_Z "1.644853626951472714863848907991632136"
/* z of two-sided 99 % and 99.9 % intervals. */
#define Z_99 2.5758293035489004
#define Z_999 3.2905267314919255

void hex_text(const uint8_t *bytes, size_t count, char *out);

#endif
