/* Lists of the actions on a pool or set and of the transfers between pools, read from Postgres. */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/pool_actions.h"

#include "libcommon/base/currency.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_NUMBER 24
#define ACTOR_TEXT 24
#define LIMIT_DEFAULT 50
#define LIMIT_MAX 200

static void action_json(struct json_out *out, const PGresult *rows, int i)
{
	out_open(out, NULL, '{');
	out_string(out, "id", PQgetvalue(rows, i, 0));
	out_string(out, "action", pool_action_text((uint32_t)pg_number(rows, i, 1)));
	out_string(out, "actor", PQgetvalue(rows, i, 2));
	out_string(out, "second", PQgetvalue(rows, i, 3));
	out_string(out, "reason", PQgetvalue(rows, i, 4));
	out_string(out, "parameters", PQgetvalue(rows, i, 5));
	out_string(out, "status", PQgetvalue(rows, i, 12));
	out_bool(out, "done", PQgetvalue(rows, i, 6)[0] == 't');
	out_string(out, "refusal", PQgetvalue(rows, i, 7));
	out_raw(out, "before", pool_figures(PQgetvalue(rows, i, 8)));
	out_raw(out, "after", pool_figures(PQgetvalue(rows, i, 9)));
	out_int(out, "time_us", pg_number(rows, i, 10));
	out_close(out, '}');
}

static void place_json(
	struct json_out *out, const char *name, int64_t pool, int64_t number, int64_t coin_minor)
{
	const struct currency *currency = currency_by_number((uint32_t)number);
	out_open(out, name, '{');
	out_int(out, "pool", pool);
	if (currency != NULL) {
		out_string(out, "currency", currency->code);
		out_int(out, "coin_minor", coin_minor);
	}
	out_close(out, '}');
}

static void transfer_json(struct json_out *out, const PGresult *rows, int i)
{
	out_open(out, NULL, '{');
	out_int(out, "number", pg_number(rows, i, 0));
	place_json(
		out, "from", pg_number(rows, i, 1), pg_number(rows, i, 2), pg_number(rows, i, 3));
	place_json(out, "to", pg_number(rows, i, 4), pg_number(rows, i, 5), pg_number(rows, i, 6));
	out_string(out, "amount_e27", PQgetvalue(rows, i, 7));
	out_string(out, "action", PQgetvalue(rows, i, 8));
	out_int(out, "time_us", pg_number(rows, i, 9));
	if (PQgetisnull(rows, i, 10)) {
		out_null(out, "booked");
	} else {
		out_open(out, "booked", '{');
		place_json(out, "to", pg_number(rows, i, 4), pg_number(rows, i, 11),
			pg_number(rows, i, 12));
		out_int(out, "time_us", pg_number(rows, i, 10));
		out_close(out, '}');
	}
	out_close(out, '}');
}

static const struct list actions_list = { "actions",
	"id action actor second reason parameters status done refusal before after time_us",
	LIMIT_DEFAULT, LIMIT_MAX, NULL };
static const struct list transfers_list = { "transfers",
	"number from.pool from.currency from.coin_minor to.pool to.currency to.coin_minor "
	"amount_e27 action time_us booked.to.pool booked.to.currency booked.to.coin_minor booked.time_us",
	LIMIT_DEFAULT, LIMIT_MAX, NULL };

static void on_list(struct waiter *waiting, PGresult *result, const char *error,
	const struct list *list, result_json *row)
{
	struct edge_request *request = waiter_rows(waiting, result, error);
	if (request != NULL)
		list_answer(waiting->gateway, request, list, result, row);
	free(waiting);
}

static void on_actions(void *context, PGresult *result, const char *error)
{
	on_list(context, result, error, &actions_list, action_json);
}

static void on_transfers(void *context, PGresult *result, const char *error)
{
	on_list(context, result, error, &transfers_list, transfer_json);
}

static void list_ask(struct edge_request *request, struct gateway *gateway, uint32_t operator_id,
	uint32_t pool, const struct list *list, const char *sql, int parameters_n, pg_done *done)
{
	struct list_page page;
	char number[TEXT_NUMBER], actor[ACTOR_TEXT];
	if (!list_asked(gateway, request, list, &page))
		return;
	const char *parameters[] = { number, page.limit_text, page.after[0], page.after[1],
		page.after[2], actor, pool_operator(operator_id) ? "true" : "false",
		pool_part(operator_id, pool) ? "true" : "false" };
	(void)snprintf(number, sizeof(number), "%" PRIu32, pool);
	(void)snprintf(actor, sizeof(actor), "operator-%" PRIu32, operator_id);
	pg_pool_query(gateway->pg_ro, sql, parameters_n, parameters, QUERY_MS, done,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}

/* Actions that say something of single operators. */
#define OF_OPERATORS "7, 8, 9"
_Static_assert(CARILLON__OPERATOR_ACTION__ACTION_TAKE_PART == 7 &&
		       CARILLON__OPERATOR_ACTION__ACTION_ODDS == 8 &&
		       CARILLON__OPERATOR_ACTION__ACTION_WEIGHTS == 9,
	"OF_OPERATORS names them");

#define ACTIONS(schema)                                                                            \
	"select encode(id, 'hex') as id, action, actor, second, reason, parameters, done, "        \
	"refusal, before, after, time, fact_seq, case when done then 'done' else 'refused' end "   \
	"as status from " schema ".operator_action where pool = $1::integer union all "

/* An operator sees all of its own actions. An operator that acts on pools sees everybody's. One
 * that takes part sees what others did to the pool itself, and which operator did it. */
static const char actions_sql[] = "with every as (" ACTIONS("pool") ACTIONS(
	"cards") "select encode(id, 'hex'), action, asked_by, coalesce(approved_by, ''), reason, parameters, false, '', "
		 "'', '', asked, 0, status from gateway.pool_request where pool = $1::integer and "
		 "status in ('waiting', 'refused')), seen as (select *, $7::boolean or actor = $6 or "
		 "starts_with(actor, $6 || ' ') as whole from every) "
		 "select id, action, case when whole then actor else split_part(actor, ' ', 1) end, "
		 "case when whole then second else split_part(second, ' ', 1) end, case when whole "
		 "then reason else '' end, parameters, done, refusal, before, after, (extract(epoch "
		 "from time) * 1000000)::bigint, fact_seq, status, (extract(epoch from time) * "
		 "1000000)::bigint || ' ' || fact_seq || ' ' || id from seen where (whole or "
		 "($8::boolean and done and action not in (" OF_OPERATORS "))) and ($3::bigint is "
		 "null or (extract(epoch from time) * 1000000, fact_seq, id) < ($3::bigint, "
		 "$4::bigint, $5)) order by time desc, fact_seq desc, id desc limit $2::bigint";

void on_pool_actions(struct edge_request *request, void *context)
{
	uint32_t operator_id, pool;
	if (pool_path(context, request, &operator_id, &pool))
		list_ask(request, context, operator_id, pool, &actions_list, actions_sql, 8,
			on_actions);
}

void on_pool_transfers(struct edge_request *request, void *context)
{
	uint32_t operator_id, pool;
	if (!pool_path(context, request, &operator_id, &pool) ||
		!pool_part_needed(request, operator_id, pool))
		return;
	list_ask(request, context, operator_id, pool, &transfers_list,
		"select o.number, o.pool, o.from_currency, o.from_coin_minor, o.to_pool, "
		"o.to_currency, o.to_coin_minor, o.amount_e27::text, encode(o.action, 'hex'), "
		"(extract(epoch from o.time) * 1000000)::bigint, (extract(epoch from i.time) * "
		"1000000)::bigint, i.currency, i.coin_minor, (extract(epoch from o.time) "
		"* 1000000)::bigint || ' ' || o.pool || ' ' || o.number from pool.transfer_out o left join "
		"pool.transfer_in i on i.from_pool = o.pool and i.number = o.number where $1::"
		"integer in (o.pool, o.to_pool) and ($3::bigint is null or (extract(epoch from "
		"o.time) * 1000000, o.pool, o.number) < ($3::bigint, $4::integer, $5::bigint)) "
		"order by o.time desc, o.pool desc, o.number desc limit $2::bigint",
		5, on_transfers);
}
