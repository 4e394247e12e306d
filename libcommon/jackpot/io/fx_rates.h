/* Reads the FX rates in force from carillon.fx_rate for a jackpot service: every second, and when a
 * dated rate takes effect. So tallies follow a new rate without a restart. */
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
	uint64_t next_us; /* wall clock: when the next dated rate takes effect; 0: none is known */
};

/* Reads the rates when it is time. True when a rate has changed since the last read: then call
 * pool_source_open for each game and currency of a pool. The first read counts as a change. */
bool fx_rates_changed(struct fx_rates *rates, PGconn *conn, uint64_t mono_us, uint64_t wall_us);

#endif
