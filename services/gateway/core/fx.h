/* FX rates in requests: converts decimal text to whole 10^-9 and back, and describes the body of
 * POST /v1/operators/{op}/fx-rates. Pure. */
#ifndef CARILLON_GATEWAY_CORE_FX_H
#define CARILLON_GATEWAY_CORE_FX_H

#include "libcommon/base/currency.h"
#include "services/gateway/core/requests.h"

#define FX_RATE_MAX 24 /* characters of a rate */
#define FX_RATE_NANO_MAX CURRENCY_RATE_NANO_MAX

struct fx_body {
	char currency[CURRENCY_MAX + 1];
	char rate[FX_RATE_MAX + 1];
	char reason[REASON_MAX + 1];
	int64_t valid_from_us;
	bool has_currency, has_rate, has_reason, has_valid_from;
};
extern const struct field fx_fields[];

/* "0.0875" to 87,500,000: digits, at most one point with a digit on each side, at most nine
 * decimals, above 0 and at most 10^6. False otherwise; never rounds. */
bool fx_rate_read(const char *text, int64_t *nano_r);
/* Writes the shortest such text; `out` holds FX_RATE_MAX + 1 bytes. `nano` must be >= 0. */
void fx_rate_format(int64_t nano, char *out);

#endif
