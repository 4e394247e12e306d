#include "libcommon/game/rational.h"

#include "libcommon/game/par.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT_BITS 256

/* The digits of round(value * 10^digits), with a decimal point. */
static char *place_point(const mpz_t scaled, unsigned digits)
{
	char *plain = mpz_get_str(NULL, 10, scaled), *out;
	bool negative = plain[0] == '-';
	const char *figures = plain + negative;
	size_t length = strlen(figures), pad = length <= digits ? digits + 1 - length : 0;

	out = calloc(1, length + pad + 3);
	if (!out)
		par_refuse("out of memory");
	if (negative)
		out[0] = '-';
	memset(out + negative, '0', pad);
	memcpy(out + negative + pad, figures, length + 1);
	if (digits > 0) {
		size_t point = strlen(out) - digits;

		memmove(out + point + 1, out + point, digits + 1);
		out[point] = '.';
	}
	free(plain);
	return out;
}

char *rational_decimals(const mpq_t value, unsigned digits)
{
	mpz_t scaled, twice;
	char *text;

	mpz_init(scaled);
	mpz_init(twice);
	mpz_ui_pow_ui(scaled, 10, digits);
	mpz_mul(scaled, scaled, mpq_numref(value));
	mpz_mul_ui(scaled, scaled, 2);
	if (mpz_sgn(scaled) < 0)
		mpz_sub(scaled, scaled, mpq_denref(value));
	else
		mpz_add(scaled, scaled, mpq_denref(value));
	mpz_mul_ui(twice, mpq_denref(value), 2);
	mpz_tdiv_q(scaled, scaled, twice);
	text = place_point(scaled, digits);
	mpz_clear(scaled);
	mpz_clear(twice);
	return text;
}

char *rational_root_decimals(const mpq_t value, const char *factor, unsigned digits)
{
	mpf_t root, times;
	mpq_t exact;
	char *text;

	mpf_init2(root, ROOT_BITS);
	mpf_init2(times, ROOT_BITS);
	mpq_init(exact);
	mpf_set_q(root, value);
	mpf_sqrt(root, root);
	mpf_set_str(times, factor, 10);
	mpf_mul(root, root, times);
	mpq_set_f(exact, root);
	text = rational_decimals(exact, digits);
	mpq_clear(exact);
	mpf_clear(root);
	mpf_clear(times);
	return text;
}

char *rational_percent(const mpq_t value, unsigned digits)
{
	mpq_t percent, hundred;
	char *text;

	mpq_init(percent);
	mpq_init(hundred);
	mpq_set_ui(hundred, 100, 1);
	mpq_mul(percent, value, hundred);
	text = rational_decimals(percent, digits);
	mpq_clear(percent);
	mpq_clear(hundred);
	return text;
}

json_t *json_decimals(const mpq_t value)
{
	char *text = rational_decimals(value, DIGITS);
	json_t *json = json_string(text);

	free(text);
	return json;
}

json_t *json_fraction(const mpq_t value)
{
	char *text = mpq_get_str(NULL, 10, value);
	json_t *json = mpz_cmp_ui(mpq_denref(value), 1) == 0 ? json_sprintf("%s/1", text)
							     : json_string(text);

	free(text);
	return json;
}

char *one_in(const mpq_t frequency, unsigned digits)
{
	mpq_t inverse;
	char *text;

	mpq_init(inverse);
	if (mpq_sgn(frequency) != 0)
		mpq_inv(inverse, frequency);
	text = rational_decimals(inverse, digits);
	mpq_clear(inverse);
	return text;
}

void hex_text(const uint8_t *bytes, size_t count, char *out)
{
	for (size_t i = 0; i < count; i++)
		sprintf(out + 2 * i, "%02x", bytes[i]);
}
