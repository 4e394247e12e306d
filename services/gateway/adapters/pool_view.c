/* A progressive pool in exact figures, for operators that take part: T, the books, each row with
 * its watermark and carry, and waiting claims. Amounts are exact decimals of a euro (stored as
 * whole 10^-18 and 10^-27). Read from Postgres, at most a second late. */
#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/pool_actions.h"
#include "services/gateway/adapters/reports.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define E18(x) "trim_scale(" x " * 1e-18)::text"
#define E27(x) "trim_scale(" x " * 1e-27)::text"
#define NANO(x) "trim_scale(" x " * 1e-9)::text"
#define VALUE "(r.seed_minor * r.unit_e27 + (p.t_e18 - r.w_e18) * r.share_nano + r.r_e27)"
#define POOL_COLUMNS 15

/* Each row repeats the pool's columns. */
static const char
	view_sql[] = "select p.id, p.state, " E18("p.t_e18") ", " E27("p.contributions_e27") ", " E27("p.jp_pool_e27") ", " E27("p.jp_reserve_e27") ", " E27("p.jp_seed_e27") ", " E27("p."
																						       "house_seed_e27") ", " E27("p.paid_e27") ", p.hits, p.version, (extract(epoch from "
																												"p.updated) * 1000000)::bigint, " NANO(
																													"sum(r.share_nano) over ()") ", p.shard, (select count(*) from pool.tally t where "
																																     "t.pool = p.pool and t.closed is null), "
																																     "r.currency, r.coin_minor, r.seed_minor, " NANO("r.row_rate_nano") ", " NANO("r.share_nano") ", " E18("r.w_e18") ", " E27("r.r_"
																																															       "e27") ", " E27(VALUE) ", div(" VALUE
																																																		      ", r.unit_e27)::text, r.hits, (r.next_seed_minor is not "
																																																		      "null)::integer, r.next_seed_minor, " NANO("r.next_row_rate_nano") ", " NANO(
																																																			      "r.next_share_nano") ", " E27("p.received_e27") ", " E27("p.sent_e27") " from pool.pool p left join pool.row r using (pool) where "
																																																												     "p.pool = $1::integer order by r.currency, r.coin_minor";

struct waiting {
	struct gateway *gateway;
	uint64_t ticket;
	int64_t pool;
};

static void row_json(struct json_out *out, const PGresult *rows, int i)
{
	int at = POOL_COLUMNS;
	const struct currency *currency = currency_by_number((uint32_t)pg_number(rows, i, at));
	out_open(out, NULL, '{');
	out_string(out, "currency", currency == NULL ? "" : currency->code);
	out_int(out, "coin_minor", pg_number(rows, i, at + 1));
	out_int(out, "seed_minor", pg_number(rows, i, at + 2));
	out_string(out, "row_rate", PQgetvalue(rows, i, at + 3));
	out_string(out, "share", PQgetvalue(rows, i, at + 4));
	out_string(out, "w", PQgetvalue(rows, i, at + 5));
	out_string(out, "r", PQgetvalue(rows, i, at + 6));
	out_string(out, "value", PQgetvalue(rows, i, at + 7));
	out_int(out, "value_minor", pg_number(rows, i, at + 8));
	out_int(out, "hits", pg_number(rows, i, at + 9));
	if (pg_number(rows, i, at + 10) == 0) {
		out_null(out, "next");
	} else {
		out_open(out, "next", '{');
		out_int(out, "seed_minor", pg_number(rows, i, at + 11));
		out_string(out, "row_rate", PQgetvalue(rows, i, at + 12));
		out_string(out, "share", PQgetvalue(rows, i, at + 13));
		out_close(out, '}');
	}
	out_close(out, '}');
}

static void view_json(struct json_out *out, int64_t pool, const PGresult *rows)
{
	static const char *const books[] = { "contributions", "jp_pool", "jp_reserve", "jp_seed",
		"house_seed", "paid" };
	out_begin(out);
	out_open(out, NULL, '{');
	out_int(out, "pool", pool);
	out_string(out, "id", PQgetvalue(rows, 0, 0));
	out_string(out, "status", PQgetvalue(rows, 0, 1));
	out_string(out, "t", PQgetvalue(rows, 0, 2));
	out_open(out, "books", '{');
	for (int i = 0; i < (int)(sizeof(books) / sizeof(books[0])); i++)
		out_string(out, books[i], PQgetvalue(rows, 0, 3 + i));
	out_string(out, "received", PQgetvalue(rows, 0, POOL_COLUMNS + 14));
	out_string(out, "sent", PQgetvalue(rows, 0, POOL_COLUMNS + 15));
	out_close(out, '}');
	out_int(out, "hits", pg_number(rows, 0, 9));
	out_int(out, "version", pg_number(rows, 0, 10));
	out_int(out, "updated_us", pg_number(rows, 0, 11));
	out_string(out, "share", PQgetisnull(rows, 0, 12) ? "0" : PQgetvalue(rows, 0, 12));
	out_int(out, "shard", pg_number(rows, 0, 13));
	out_int(out, "tallies_open", pg_number(rows, 0, 14));
	out_open(out, "rows", '[');
	for (int i = 0; i < PQntuples(rows) && !PQgetisnull(rows, i, POOL_COLUMNS); i++)
		row_json(out, rows, i);
	out_close(out, ']');
	out_close(out, '}');
}

static void on_view(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = edge_find(waiting->gateway->edge, waiting->ticket);
	bool good = result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK;
	if (request != NULL && !good) {
		answer_unavailable(request, error != NULL ? error : PQresultErrorMessage(result));
	} else if (request != NULL && PQntuples(result) == 0) {
		pool_unknown(waiting->gateway, request, waiting->pool, true);
	} else if (request != NULL) {
		view_json(&waiting->gateway->out, waiting->pool, result);
		answer_sent(waiting->gateway, request, 200);
	}
	free(waiting);
}

void on_pool_view(struct edge_request *request, void *context)
{
	static const char *const names[] = { NULL };
	struct gateway *gateway = context;
	struct waiting *waiting;
	uint32_t operator_id;
	int64_t pool;
	char number[24];
	const char *parameters[] = { number };
	if (!auth_operator_path(gateway, request, &operator_id) || !answer_query(request, names))
		return;
	if (!number_read(edge_parameter(request, 1), 1, UINT16_MAX, &pool)) {
		answer_bad(request, "pool", edge_parameter(request, 1), "a number from 1 to 65535");
		return;
	}
	if (!key_may_pool(gateway, request, operator_id, (uint32_t)pool) ||
		!pool_part_needed(request, operator_id, (uint32_t)pool))
		return;
	waiting = calloc(1, sizeof(*waiting));
	if (waiting == NULL)
		fatal("out of memory");
	*waiting = (struct waiting){ gateway, edge_ticket(request), pool };
	(void)snprintf(number, sizeof(number), "%" PRId64, pool);
	pg_pool_query(gateway->pg_ro, view_sql, 1, parameters, QUERY_MS, on_view, waiting);
}

/* ---- what a function of the database makes of a pool ---- */

struct made {
	struct waiter waiter; /* first */
	uint32_t pool;
};

static void on_made(void *context, PGresult *result, const char *error)
{
	struct made *made = context;
	struct edge_request *request = waiter_rows(&made->waiter, result, error);

	if (request != NULL && PQgetisnull(result, 0, 0))
		pool_unknown(made->waiter.gateway, request, made->pool, false);
	else if (request != NULL)
		answer_text(request, PQgetvalue(result, 0, 0), (size_t)PQgetlength(result, 0, 0),
			false);
	free(made);
}

void pool_json_ask(struct gateway *gateway, struct edge_request *request, uint32_t pool,
	const char *sql, int n, const char *const *parameters)
{
	struct made *made = waiter_new(sizeof(*made), gateway, request, 0);

	made->pool = pool;
	pg_pool_query(rollups_pool(), sql, n, parameters, REPORT_MS, on_made, made);
}
