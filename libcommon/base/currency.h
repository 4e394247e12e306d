/* The currencies that ISO 4217 lists as in use, each with number, code, exponent, symbol and rough
 * value. This is the only list of currencies: pages, OpenAPI and checks are generated from it
 * (scripts/currencies.py), everything else asks it. Carillon adds currencies that ISO does not
 * list; their numbers begin at 1,000, and they have up to 9 decimals.
 * In a currency with up to 3 decimals, contributions are exact. With more decimals they are floored
 * once, from the running total of stakes, and not stake by stake, so no remainder is lost
 * (jackpot/pool_tally.h). */
#ifndef CARILLON_BASE_CURRENCY_H
#define CARILLON_BASE_CURRENCY_H

#include <stddef.h>
#include <stdint.h>

/* The largest rate of a currency, x 10^9: 10^6 EUR for one unit. Definitions, pools and operators'
 * rates have this same limit. */
#define CURRENCY_RATE_NANO_MAX INT64_C(1000000000000000)

#define MINOR_MAX                                                                                  \
	INT64_C(1000000000000000) /* largest amount in a request or setting, minor units */

struct currency {
	uint32_t number;   /* ISO 4217 numeric code: 978 */
	char code[8];	   /* "EUR": three or four letters */
	uint32_t exponent; /* decimals of the minor unit: 2 */
	char symbol[8];	   /* shown where the reader's language has no sign of its own */
	/* About as many minor units as one euro is worth: 170 yen. Only defaults of settings use
	 * it; what is booked is converted by the rates that operators set. */
	int64_t euro_minor;
};

/* NULL when unknown. The result is static. */
const struct currency *currency_by_number(uint32_t number);
const struct currency *currency_by_code(const char *code);
/* The amount that is worth about as much as these euro cents, in minor units: from 1 to MINOR_MAX,
 * for cents from 1. In euros, exact. NULL, an unknown currency: the number as it is. */
int64_t currency_from_cents(const struct currency *currency, int64_t euro_cents);
/* The i-th known currency, NULL past the end. Migrations and help texts list them all. */
const struct currency *currency_at(size_t i);

#endif
