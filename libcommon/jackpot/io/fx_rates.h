/* Exchange rates in force, as a jackpot service sees them in carillon.fx_rate: read every second,
 * and at the moment a dated one becomes valid, so that tallies follow without a restart. */
#ifndef CARILLON_JACKPOT_IO_FX_RATES_H
#define CARILLON_JACKPOT_IO_FX_RATES_H

#include <libpq-fe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FX_CURRENCIES_MAX 256

struct fx_rates {
	bool read;
	size_t count;
	struct {
		uint32_t currency;
		int64_t rate_nano; /* EUR for one unit of the currency, x 10^9 */
	} rate[FX_CURRENCIES_MAX];
	uint64_t looked_us; /* monotonic */
	uint64_t next_us;   /* wall clock; when a dated rate becomes valid; 0: none is known */
};

/* True when it looked and a rate has changed since it looked last: the tallies are to be compared.
 * The first look is a change. */
bool fx_rates_changed(struct fx_rates *rates, PGconn *conn, uint64_t mono_us, uint64_t wall_us);

#endif
