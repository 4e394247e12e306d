/* The ledger as the console shows it: each identity of the proof with when it last held, what the
 * accounts had come to then, the days, the newest corrections and grants; and the rounds that
 * players have left unfinished. Figures of all operators' play are only for those that act on
 * pools. */
#include "services/gateway/adapters/ledger.h"
#include "services/gateway/adapters/lists.h"

#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/pool_actions.h"
#include "services/gateway/adapters/row_json.h"

#include "libcommon/base/currency.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEDGER_MS 4000

/* Columns of the answer to ledger_sql, behind those of proof_read. */
enum { CONTENT, SIGNATURE, CREATED, DAYS, ENTRIES };

/* A day is proven when each shard's last row of it is among those of the last whole proof. */
static const char ledger_sql[] =
	"with p as (select content, signature from gateway.proof order by id desc limit 1), "
	"proven as (select (s->>'shard')::integer as shard, (s->>'seq')::bigint as seq from p, "
	"jsonb_array_elements(case when jsonb_typeof(p.content::jsonb->'proven') = 'object' then "
	"p.content::jsonb->'proven'->'shards' else '[]' end) s), "
	"days as (select l.day, count(*) as shards, count(*) filter (where l.state <> 'open') as "
	"closed, count(*) filter (where l.state in ('archived', 'dropped')) as archived, count(*) "
	"filter (where l.state = 'dropped') as dropped, coalesce(sum(l.rows), 0) as rows, "
	"coalesce(bool_and(l.last_seq <= v.seq), false) as proven from wallet.leaf l left join "
	"proven v using (shard) where l.day > current_date - 32 group by l.day order by l.day desc limit 31), "
	"entries as (select n.shard, n.seq, n.operator, n.time, n.player, n.kind, n.round, "
	"n.currency, n.amount, n.note from gateway.rollup_notable n where n.operator = $1::integer and "
	"n.kind in (7, 22, 23, 24, 31) order by n.time desc, n.shard, n.seq desc limit 50) "
	"select (select content from p), (select signature from p), (select " US(
		"created") " from carillon.installation), (select coalesce(json_agg("
			   "json_build_object('day', day, 'shards', shards, 'closed', closed, "
			   "'archived', archived, 'dropped', dropped, 'rows', case when "
			   "$2::boolean then rows end, 'proven', coalesce(proven, false)) order by "
			   "day desc), '[]') from days), (select coalesce(json_agg("
			   "json_build_object('time_us', (extract(epoch from time) * "
			   "1000000)::bigint, 'kind', case kind when 7 then 'void' when 22 then "
			   "'correction' when 23 then 'grant' when 24 then 'jackpot' else "
			   "'grant_taken_back' end, 'player', operator || '-' || (player & "
			   "281474976710655), 'round', round, 'currency', coalesce($3::json->>"
			   "currency::text, currency::text), 'amount_minor', amount, 'actor', case "
			   "when note = '' then '' else coalesce(note::json->>'actor', '') end, "
			   "'reason', case when note = '' then '' else "
			   "coalesce(note::json->>'reason', '') end) order by time desc, shard, seq "
			   "desc), '[]') from entries)";

struct view {
	struct waiter waiter; /* first */
	uint32_t operator_id;
};

/* Currencies as an object, "978":"EUR", for texts that Postgres makes. */
static char *codes_json(void)
{
	json_t *codes = json_object();
	char number[16], *text;

	for (size_t i = 0; currency_at(i) != NULL; i++) {
		(void)snprintf(number, sizeof(number), "%" PRIu32, currency_at(i)->number);
		json_object_set_new(codes, number, json_string(currency_at(i)->code));
	}
	text = json_dumps(codes, JSON_COMPACT);
	json_decref(codes);
	return text;
}

/* How many rows there were is a figure of all operators' play. */
static void number_json(struct json_out *out, const json_t *json, const char *name, bool all)
{
	if (all)
		out_int(out, name, json_integer_value(json_object_get(json, name)));
	else
		out_null(out, name);
}

static void points_json(struct json_out *out, const json_t *content, bool all)
{
	json_t *points = json_object_get(content, "points"), *point;
	size_t i;

	out_open(out, "points", '[');
	json_array_foreach(points, i, point)
	{
		const json_t *holds = json_object_get(point, "holds");
		const char *title = json_string_value(json_object_get(point, "title"));
		const char *why_not = json_string_value(json_object_get(point, "why_not"));
		out_open(out, NULL, '{');
		out_int(out, "point", json_integer_value(json_object_get(point, "point")));
		out_string(out, "title", title == NULL ? "" : title);
		if (json_is_boolean(holds))
			out_bool(out, "holds", json_is_true(holds));
		else
			out_null(out, "holds");
		out_string(out, "why_not", why_not == NULL ? "" : why_not);
		out_int(out, "held_us", json_integer_value(json_object_get(point, "held_us")));
		number_json(out, point, "held_checked", all);
		number_json(out, point, "held_rows", all);
		out_close(out, '}');
	}
	out_close(out, ']');
}

/* A key that is limited to pools does not see what is in the accounts of others. */
static bool account_seen(
	const struct gateway *gateway, const struct edge_request *request, const char *account)
{
	uint32_t pool;

	return sscanf(account, "JACKPOT:%" SCNu32, &pool) != 1 ||
	       key_sees_pool(gateway, request, pool);
}

static void accounts_json(
	struct gateway *gateway, const struct edge_request *request, const json_t *content)
{
	struct json_out *out = &gateway->out;
	json_t *accounts = json_object_get(content, "accounts"), *one;
	size_t i;

	out_open(out, "accounts", '[');
	json_array_foreach(accounts, i, one)
	{
		const char *account = json_string_value(json_object_get(one, "account"));
		const char *amount = json_string_value(json_object_get(one, "amount"));
		const struct currency *currency = currency_by_number(
			(uint32_t)json_integer_value(json_object_get(one, "currency")));
		if (account == NULL || amount == NULL || currency == NULL ||
			!account_seen(gateway, request, account))
			continue;
		out_open(out, NULL, '{');
		out_string(out, "currency", currency->code);
		out_string(out, "account", account);
		out_string(out, "amount_minor", amount);
		out_close(out, '}');
	}
	out_close(out, ']');
}

/* What an unsigned proof says of the days does not count. */
static void days_json(struct json_out *out, const char *text, bool trusted)
{
	json_t *days = json_loads(text, 0, NULL), *day;
	char *written;
	size_t i;

	json_array_foreach(days, i, day) if (!trusted)(void)
		json_object_set_new(day, "proven", json_false());
	written = json_dumps(days, JSON_COMPACT);
	out_raw(out, "days", written == NULL ? "[]" : written);
	free(written);
	json_decref(days);
}

static void ledger_answer(struct gateway *gateway, struct edge_request *request,
	const PGresult *result, uint32_t operator_id)
{
	struct json_out *out = &gateway->out;
	bool all = pool_operator(operator_id);
	struct proof proof;
	const json_t *trusted;

	proof_read(gateway, result, CONTENT, &proof);
	trusted = proof.state == PROOF_UNSIGNED ? NULL : proof.content;
	out_begin(out);
	out_open(out, NULL, '{');
	out_open(out, "proof", '{');
	proof_json(gateway, out, &proof);
	out_bool(out, "whole", json_is_true(json_object_get(trusted, "whole")));
	number_json(out, trusted, "rows", all);
	number_json(out, trusted, "since", all);
	out_int(out, "mark", json_integer_value(json_object_get(trusted, "mark")));
	out_close(out, '}');
	points_json(out, trusted, all);
	if (all)
		accounts_json(gateway, request, trusted);
	else
		out_null(out, "accounts");
	days_json(out, PQgetvalue(result, 0, DAYS), trusted != NULL);
	out_raw(out, "entries", PQgetvalue(result, 0, ENTRIES));
	out_close(out, '}');
	answer_sent(gateway, request, 200);
	proof_free(&proof);
}

static void on_ledger_row(void *context, PGresult *result, const char *error)
{
	struct view *view = context;
	struct edge_request *request = waiter_rows(&view->waiter, result, error);

	if (request != NULL)
		ledger_answer(view->waiter.gateway, request, result, view->operator_id);
	free(view);
}

void on_ledger(struct edge_request *request, void *context)
{
	static const char *const none[] = { NULL };
	struct gateway *gateway = context;
	char operator_text[16], *codes;
	uint32_t operator_id;
	struct view *view;

	if (!auth_operator_path(gateway, request, &operator_id) || !answer_query(request, none))
		return;
	codes = codes_json();
	const char *parameters[] = { operator_text, pool_operator(operator_id) ? "t" : "f", codes };
	view = waiter_new(sizeof(*view), gateway, request, 0);
	view->operator_id = operator_id;
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	pg_pool_query(gateway->pg, ledger_sql, 3, parameters, LEDGER_MS, on_ledger_row, view);
	free(codes);
}

/* ---- unfinished rounds ---- */

static void unfinished_json(struct json_out *out, const PGresult *result, int row)
{
	const struct currency *currency = currency_by_number((uint32_t)pg_number(result, row, 0));

	out_open(out, NULL, '{');
	out_string(out, "currency", currency == NULL ? "" : currency->code);
	out_int(out, "rounds", pg_number(result, row, 1));
	out_int(out, "pending_minor", pg_number(result, row, 2));
	out_uint(out, "oldest_us", (uint64_t)pg_number(result, row, 3));
	out_close(out, '}');
}

static const struct list unfinished_list = { "unfinished",
	"currency rounds pending_minor oldest_us", 0, 0, NULL };

static void on_unfinished_rows(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct edge_request *request = waiter_rows(waiter, result, error);

	if (request != NULL)
		list_answer(waiter->gateway, request, &unfinished_list, result, unfinished_json);
	free(waiter);
}

void on_unfinished(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	char first[24], last[24];
	const char *parameters[] = { first, last };
	uint32_t operator_id;
	player_id from, to;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!list_asked(gateway, request, &unfinished_list, &page))
		return;
	(void)player_id_make(operator_id, 1, &from);
	(void)player_id_make(operator_id, PLAYER_NUMBER_MAX, &to);
	(void)snprintf(first, sizeof(first), "%" PRId64, from);
	(void)snprintf(last, sizeof(last), "%" PRId64, to);
	pg_pool_query(gateway->pg_ro,
		"select a.currency, sum(cardinality(a.pendings) / 3), sum((select sum(p) from "
		"unnest(a.pendings) with ordinality u (p, n) where n % 3 = 0)), " US(
			"min(j.time)") " from wallet.account a left join wallet.journal j on "
				       "j.shard = a.shard and j.seq = a.last_seq and j.day = "
				       "wallet.day_of(a.shard, a.last_seq) where a.player between "
				       "$1::bigint and $2::bigint and cardinality(a.pendings) > 0 "
				       "group by a.currency order by a.currency",
		2, parameters, LEDGER_MS, on_unfinished_rows,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}
