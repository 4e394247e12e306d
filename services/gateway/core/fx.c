/* FX rates as text, without floating point: the stored rate is exactly the operator's. */
#include "services/gateway/core/fx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NANO INT64_C(1000000000)
#define DECIMALS 9

#define AT(field, has) offsetof(struct fx_body, field), offsetof(struct fx_body, has), NULL, NULL

const struct field fx_fields[] = {
	{ "currency", FIELD_TEXT, true, 1, CURRENCY_MAX, AT(currency, has_currency) },
	{ "rate", FIELD_TEXT, true, 1, FX_RATE_MAX, AT(rate, has_rate) },
	{ "valid_from_us", FIELD_INT, false, 1, MOVE_MAX, AT(valid_from_us, has_valid_from) },
	{ "reason", FIELD_TEXT, false, 1, REASON_MAX, AT(reason, has_reason) },
	{ NULL, FIELD_INT, false, 0, 0, 0, 0, NULL, NULL },
};

/* Reads the digits at *text and moves it past them. False for none or too many. */
static bool digits(const char **text, size_t max, int64_t *value_r, size_t *n_r)
{
	int64_t value = 0;
	size_t n = 0;

	for (; **text >= '0' && **text <= '9'; (*text)++, n++) {
		if (n == max)
			return false;
		value = value * 10 + (**text - '0');
	}
	*value_r = value;
	*n_r = n;
	return n > 0;
}

bool fx_rate_read(const char *text, int64_t *nano_r)
{
	int64_t whole;
	int64_t part = 0;
	size_t n;

	if (!digits(&text, DECIMALS, &whole, &n))
		return false;
	if (*text == '.') {
		text++;
		if (!digits(&text, DECIMALS, &part, &n))
			return false;
		for (; n < DECIMALS; n++)
			part *= 10;
	}
	int64_t nano = whole * NANO + part; /* below 10^18 */
	if (*text != '\0' || nano < 1 || nano > FX_RATE_NANO_MAX)
		return false;
	*nano_r = nano;
	return true;
}

void fx_rate_format(int64_t nano, char *out)
{
	int length =
		snprintf(out, FX_RATE_MAX + 1, "%" PRId64 ".%09" PRId64, nano / NANO, nano % NANO);

	while (length > 0 && out[length - 1] == '0')
		out[--length] = '\0';
	if (length > 0 && out[length - 1] == '.')
		out[--length] = '\0';
}
