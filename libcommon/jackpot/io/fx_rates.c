/* FX rates in force. */
#include "libcommon/jackpot/io/fx_rates.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg_args.h"

#include <string.h>

#define LOOK_US 1000000u

/* One index probe for each currency, however long the history is. */
static const char in_force_sql[] =
	"with recursive c as (select min(currency) as currency from carillon.fx_rate"
	" union all select (select min(f.currency) from carillon.fx_rate f where f.currency > "
	"c.currency) from c where c.currency is not null)"
	" select c.currency, r.rate_nano, coalesce((select (extract(epoch from min(valid_from)) * "
	"1000000)::bigint from carillon.fx_rate where valid_from > now()), 0)"
	" from c cross join lateral (select rate_nano from carillon.fx_rate f where f.currency = "
	"c.currency and f.valid_from <= now() order by f.valid_from desc limit 1) r"
	" order by c.currency";

static void read_rates(PGconn *conn, struct fx_rates *rates_r)
{
	PGresult *rows = pg_query(conn, in_force_sql, 0, NULL);
	int n = PQntuples(rows);

	memset(rates_r, 0, sizeof(*rates_r));
	if (n > FX_CURRENCIES_MAX) {
		log_error_as("jackpot.rates.too_many",
			"ALARM carillon.fx_rate: found %d currencies, expected at most %d: a "
			"new rate of the others is noticed late",
			n, FX_CURRENCIES_MAX);
		n = FX_CURRENCIES_MAX;
	}
	for (int i = 0; i < n; i++) {
		rates_r->rate[i].currency = pg_u32(rows, i, 0);
		rates_r->rate[i].rate_nano = pg_number(rows, i, 1);
		rates_r->next_us = pg_u64(rows, i, 2);
	}
	rates_r->count = (size_t)n;
	PQclear(rows);
}

static bool same(const struct fx_rates *a, const struct fx_rates *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->rate[i].currency != b->rate[i].currency ||
			a->rate[i].rate_nano != b->rate[i].rate_nano)
			return false;
	return true;
}

bool fx_rates_changed(struct fx_rates *rates, PGconn *conn, uint64_t mono_us, uint64_t wall_us)
{
	bool moment = rates->next_us != 0 && wall_us >= rates->next_us;
	struct fx_rates found;

	if (rates->read && !moment && mono_us < rates->looked_us + LOOK_US)
		return false;
	read_rates(conn, &found);
	found.read = true;
	found.looked_us = mono_us;
	/* The server's clock may be behind ours; the next regular read then finds the rate. */
	if (found.next_us <= wall_us)
		found.next_us = 0;
	bool changed = !rates->read || !same(rates, &found);
	*rates = found;
	return changed;
}
