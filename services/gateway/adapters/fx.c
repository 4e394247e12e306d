/* FX rates: an operator's treasury sets, lists and approves them. Two database functions do the
 * work (migrations/0004), each in one transaction: a rate, the rate that it replaces and the line
 * of the audit log are written together or not at all. */
#include "services/gateway/adapters/staff.h"
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/money.h"

#include "services/gateway/core/fx.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EUR 978
#define AHEAD_MAX_US (UINT64_C(400) * 86400 * SECOND_US) /* how far ahead a rate may start */
#define LIST_DEFAULT 50
#define LIST_MAX 500
#define WRITE_MS 4000
#define NUMBER_MAX 24

struct waiting {
	struct gateway *gateway;
	uint64_t ticket;
	bool asks; /* for a rate: one that was refused is no answer */
};

static struct waiting *waiting_new(struct gateway *gateway, struct edge_request *request)
{
	struct waiting *waiting = calloc(1, sizeof(*waiting));
	if (waiting == NULL)
		fatal("out of memory");
	waiting->gateway = gateway;
	waiting->ticket = edge_ticket(request);
	return waiting;
}

/* All operators share the pools, which are kept in EUR; so one operator sets the rates. */
static bool fx_operator(struct gateway *gateway, struct edge_request *request, uint32_t *operator_r)
{
	char expected[48];
	if (!auth_operator_path(gateway, request, operator_r))
		return false;
	if (gateway->settings.fx_operator == 0 || gateway->settings.fx_operator == *operator_r)
		return true;
	(void)snprintf(
		expected, sizeof(expected), "operator %" PRId64, gateway->settings.fx_operator);
	wrong_denied(request, "rates_not_yours");
	edge_answer_error(request, 403, "rates_not_yours",
		"Your operator may not set the FX rates of this installation.", "operator", NULL,
		expected);
	return false;
}

/* ---- as JSON
 * ------------------------------------------------------------------------------------------------------
 */

#define RESULT_COLUMNS                                                                             \
	"encode((result).id, 'hex'), (result).status, (result).currency, (result).rate_nano, "     \
	"(extract(epoch from (result).valid_from) * 1000000)::bigint, "                            \
	"coalesce((result).before_rate_nano, 0), coalesce((extract(epoch from "                    \
	"(result).before_valid_from) * 1000000)::bigint, 0), (result).asked_by, "                  \
	"coalesce((result).approved_by, '')"

static void rate_json(struct json_out *out, int64_t nano, int64_t valid_from_us)
{
	char text[FX_RATE_MAX + 1];
	fx_rate_format(nano, text);
	out_string(out, "rate", text);
	out_int(out, "valid_from_us", valid_from_us);
}

/* Writes the members of a rate request; `at` is its first column. */
static void request_json(struct json_out *out, const PGresult *row, int i, int at)
{
	const struct currency *currency = currency_by_number((uint32_t)pg_number(row, i, at + 2));
	out_string(out, "id", PQgetvalue(row, i, at));
	out_string(out, "status", PQgetvalue(row, i, at + 1));
	out_string(out, "currency", currency == NULL ? "" : currency->code);
	rate_json(out, pg_number(row, i, at + 3), pg_number(row, i, at + 4));
	if (pg_number(row, i, at + 5) == 0) {
		out_null(out, "before");
	} else {
		out_open(out, "before", '{');
		rate_json(out, pg_number(row, i, at + 5), pg_number(row, i, at + 6));
		out_close(out, '}');
	}
	out_string(out, "asked_by", PQgetvalue(row, i, at + 7));
	out_string(out, "approved_by", PQgetvalue(row, i, at + 8));
}

/* ---- setting and approving
 * ----------------------------------------------------------------------------------------
 */

static const struct {
	const char *code, *message, *where, *expected;
} refusals[] = {
	{ "other_content",
		"This Idempotency-Key was already used for a different request. Nothing was done.",
		"Idempotency-Key", NULL },
	{ "rate_past",
		"An FX rate cannot start in the past: contributions have already been converted.",
		"valid_from_us", "now or later" },
	{ "rate_exists", "This currency already has an FX rate that starts at this time.",
		"valid_from_us", "another time" },
	{ "rate_unknown", "No FX rate with this id was requested.", "id",
		"the id of an FX rate that waits for approval" },
	{ "same_approver",
		"The same user or key requested the FX rate. Another one must approve it.",
		"Authorization", "another user or key of the operator" },
	{ "approval_decided", "This request has already been decided otherwise.", "id",
		"the id of an FX rate that waits for approval" },
	{ "approval_refused", "Another user or key has refused this request. Nothing was done.",
		"Idempotency-Key", "a new key, if it is to be asked for again" },
};

static void refuse(struct edge_request *request, uint32_t status, const char *code)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (strcmp(refusals[i].code, code) == 0)
			edge_answer_error(request, status, code, refusals[i].message,
				refusals[i].where, NULL, refusals[i].expected);
}

static void on_done(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct json_out *out = &waiting->gateway->out;
	struct edge_request *request = edge_find(waiting->gateway->edge, waiting->ticket);
	bool good = result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK;
	if (request != NULL && !good) {
		/* The change may have been made: a retry with the same key is safe. */
		answer_unavailable(request, error != NULL ? error : PQresultErrorMessage(result));
	} else if (request != NULL && PQgetvalue(result, 0, 1)[0] != '\0') {
		refuse(request, (uint32_t)pg_number(result, 0, 0), PQgetvalue(result, 0, 1));
	} else if (request != NULL && waiting->asks &&
		   strcmp(PQgetvalue(result, 0, 3), "refused") == 0) {
		refuse(request, 409, "approval_refused");
	} else if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		request_json(out, result, 0, 2);
		out_close(out, '}');
		answer_sent(waiting->gateway, request, (uint32_t)pg_number(result, 0, 0));
	}
	free(waiting);
}

/* The requester: the digest of the key used, and the text for the audit log. */
static void requester(const struct gateway *gateway, struct edge_request *request,
	char digest_r[80], char actor_r[ASKER_FROM_MAX])
{
	struct asker asker;

	(void)asker_of(gateway, request, &asker);
	pg_bytea_text(asker.digest, sizeof(asker.digest), digest_r);
	asker_from(&asker, request, actor_r);
}

static bool body_ok(struct edge_request *request, const struct fx_body *body,
	const struct currency **currency_r, int64_t *nano_r)
{
	if (!currency_ok(request, body->currency, currency_r))
		return false;
	if ((*currency_r)->number == EUR)
		answer_bad(request, "currency", "EUR",
			"a currency other than EUR: the rate of EUR is always 1");
	else if (!fx_rate_read(body->rate, nano_r))
		answer_bad(request, "rate", body->rate,
			"euros for one unit of the currency, such as \"0.0875\": above 0, at most "
			"1000000, at most 9 decimals");
	else if (body->has_valid_from &&
		 (uint64_t)body->valid_from_us > clock_wall_us() + AHEAD_MAX_US)
		answer_bad(request, "valid_from_us", "more than 400 days ahead",
			"microseconds since 1970, from now to 400 days ahead");
	else
		return true;
	return false;
}

void on_fx_set(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct fx_body body = { 0 };
	const struct currency *currency;
	const char *key;
	uint32_t operator_id;
	int64_t nano;
	uint8_t bytes[ID_BYTES];
	char operator_text[16], id[48], content[48], digest[80], actor[ASKER_FROM_MAX], number[16],
		rate[24];
	char from[NUMBER_MAX], jump[16], whole[160];
	if (!fx_operator(gateway, request, &operator_id) || !auth_key(request, &key) ||
		!answer_parse(request, fx_fields, &body) ||
		!body_ok(request, &body, &currency, &nano))
		return;
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	auth_id(key, operator_text, bytes);
	pg_bytea_text(bytes, ID_BYTES, id);
	(void)snprintf(whole, sizeof(whole), "fx %" PRIu32 " %" PRId64 " %" PRId64,
		currency->number, nano, body.valid_from_us);
	auth_id(whole, body.reason, bytes);
	pg_bytea_text(bytes, ID_BYTES, content);
	requester(gateway, request, digest, actor);
	(void)snprintf(number, sizeof(number), "%" PRIu32, currency->number);
	(void)snprintf(rate, sizeof(rate), "%" PRId64, nano);
	(void)snprintf(from, sizeof(from), "%" PRId64, body.valid_from_us);
	(void)snprintf(jump, sizeof(jump), "%" PRId64, gateway->settings.fx_jump_percent);
	const char *parameters[] = { operator_text, id, content, digest, actor,
		edge_request_id(request), number, rate, body.has_valid_from ? from : NULL,
		body.reason, jump };
	struct waiting *waiting = waiting_new(gateway, request);
	waiting->asks = true;
	pg_pool_query(gateway->pg,
		"select http, coalesce(code, ''), " RESULT_COLUMNS
		" from gateway.fx_ask($1::integer, $2::bytea, $3::bytea, $4::bytea, $5, $6, "
		"$7::integer, $8::bigint, 'epoch'::timestamptz + $9::bigint * interval '1 "
		"microsecond', $10, $11::integer)",
		11, parameters, WRITE_MS, on_done, waiting);
}

/* Who decides about which rate; false when an error was answered. */
struct decider {
	char operator_text[16], id[48], digest[80], actor[ASKER_FROM_MAX];
};

static bool decision_read(
	struct gateway *gateway, struct edge_request *request, struct decider *decision)
{
	uint32_t operator_id;
	const char *given = edge_parameter(request, 1);
	if (!fx_operator(gateway, request, &operator_id))
		return false;
	if (strlen(given) != (size_t)2 * ID_BYTES ||
		strspn(given, "0123456789abcdef") != strlen(given)) {
		answer_bad(request, "id", given, "the 32 lower-case hex digits of the id");
		return false;
	}
	(void)snprintf(
		decision->operator_text, sizeof(decision->operator_text), "%" PRIu32, operator_id);
	(void)snprintf(decision->id, sizeof(decision->id), "\\x%s", given);
	requester(gateway, request, decision->digest, decision->actor);
	return true;
}

void on_fx_refuse(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct decider decision;
	struct reason_body body = { 0 };
	if (!decision_read(gateway, request, &decision) ||
		!answer_parse(request, reason_fields, &body))
		return;
	const char *parameters[] = { decision.operator_text, decision.id, decision.digest,
		decision.actor, edge_request_id(request), body.reason };
	pg_pool_query(gateway->pg,
		"select http, coalesce(code, ''), " RESULT_COLUMNS
		" from gateway.fx_refuse($1::integer, $2::bytea, $3::bytea, $4, $5, $6)",
		6, parameters, WRITE_MS, on_done, waiting_new(gateway, request));
}

void on_fx_approve(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct decider decision;
	if (!decision_read(gateway, request, &decision))
		return;
	const char *parameters[] = { decision.operator_text, decision.id, decision.digest,
		decision.actor, edge_request_id(request) };
	pg_pool_query(gateway->pg,
		"select http, coalesce(code, ''), " RESULT_COLUMNS
		" from gateway.fx_approve($1::integer, $2::bytea, $3::bytea, $4, $5)",
		5, parameters, WRITE_MS, on_done, waiting_new(gateway, request));
}

/* ---- reading
 * ------------------------------------------------------------------------------------------------------
 */

/* Open tallies of (currency) whose pool exists: stakes are converted at their rates. */
#define TALLIES                                                                                    \
	"from pool.tally t where t.currency = of.currency and t.closed is null and not exists "    \
	"(select from pool.pool p where p.pool = t.pool and p.state = 'retired')"

/* A user or key; of another operator, only which operator it was. */
#define NAMED(column)                                                                              \
	"coalesce(case when (result).operator = $4::integer then (result)." column                 \
	" else split_part((result)." column ", ' ', 1) end, '')"

/* Columns 0 to 5: a current or future rate; from 6: the request that set it, or a waiting one; the
 * last one: the position. $5 and $6 are time and currency of the last rate of the page before. */
static const char list_sql[] =
	"with of as (select f.*, f.valid_from = (select max(valid_from) from carillon.fx_rate n "
	"where n.currency = f.currency and n.valid_from <= now()) as in_force from "
	"carillon.fx_rate f where ($1::integer = 0 or f.currency = $1::integer) and "
	"($5::bigint is null or (- extract(epoch from f.valid_from) * 1000000, f.currency) > (- "
	"$5::bigint, $6::integer)) order by f.valid_from desc, f.currency limit $2::integer), "
	"waits as (select result from gateway.fx_request result where status = 'waiting' and "
	"operator = $4::integer and ($1::integer = 0 or currency = $1::integer) order by asked "
	"desc limit "
	"$2::integer), "
	"rates as (select of.currency as rate_currency, of.rate_nano as rate, (extract(epoch from "
	"of.valid_from) * 1000000)::bigint as from_us, of.in_force, (of.in_force and of.currency <> "
	"978 and $3::bigint > 0 and (of.valid_from <= now() - $3::bigint * interval '1 second' or "
	"exists (select " TALLIES
	" and not exists (select from carillon.fx_rate s where s.currency "
	"= t.currency and s.rate_nano = t.rate_nano and s.valid_from <= now() and s.valid_from > "
	"now() - $3::bigint * interval '1 second')))) as stale, (select count(*) " TALLIES
	" and of.in_force and t.rate_nano <> of.rate_nano) as "
	"behind, result from of left join gateway.fx_request result on result.id = of.request "
	"union all select 0, 0, 0, false, false, 0, result from waits) "
	"select rate_currency, rate, from_us, in_force::integer, stale::integer, behind, coalesce("
	"encode((result).id, 'hex'), ''), coalesce((result).status, ''), coalesce("
	"(result).currency, 0), coalesce((result).rate_nano, 0), coalesce((extract(epoch from "
	"(result).valid_from) * 1000000)::bigint, 0), coalesce((result).before_rate_nano, 0), "
	"coalesce((extract(epoch from (result).before_valid_from) * 1000000)::bigint, 0), " NAMED(
		"asked_by") ", " NAMED("approved_by") ", from_us || ' ' || rate_currency from rates order by "
						      "rate_currency = 0, from_us desc, rate_currency";

static const struct list rates_list = { "rates",
	"currency rate valid_from_us in_force stale behind id asked_by approved_by", LIST_DEFAULT,
	LIST_MAX, (const char *const[]){ "currency", NULL } };

static void listed_json(struct json_out *out, const PGresult *rows, int i)
{
	const struct currency *currency = currency_by_number((uint32_t)pg_number(rows, i, 0));
	out_open(out, NULL, '{');
	out_string(out, "currency", currency == NULL ? "" : currency->code);
	rate_json(out, pg_number(rows, i, 1), pg_number(rows, i, 2));
	out_bool(out, "in_force", pg_number(rows, i, 3) != 0);
	out_bool(out, "stale", pg_number(rows, i, 4) != 0);
	out_int(out, "behind", pg_number(rows, i, 5));
	out_string(out, "id", PQgetvalue(rows, i, 6));
	out_string(out, "asked_by", PQgetvalue(rows, i, 13));
	out_string(out, "approved_by", PQgetvalue(rows, i, 14));
	out_close(out, '}');
}

static void on_list(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct json_out *out = &waiting->gateway->out;
	struct edge_request *request = edge_find(waiting->gateway->edge, waiting->ticket);
	bool good = result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK;
	int rates = 0;
	if (request != NULL && !good) {
		answer_unavailable(request, error != NULL ? error : PQresultErrorMessage(result));
	} else if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		out_int(out, "max_age_s", common.fx_max_age_s);
		out_int(out, "jump_percent", waiting->gateway->settings.fx_jump_percent);
		out_open(out, "rates", '[');
		while (rates < PQntuples(result) && pg_number(result, rates, 0) != 0)
			listed_json(out, result, rates++);
		out_close(out, ']');
		out_open(out, "waiting", '[');
		for (int i = rates; i < PQntuples(result); i++) {
			out_open(out, NULL, '{');
			request_json(out, result, i, 6);
			out_close(out, '}');
		}
		out_close(out, ']');
		list_end(waiting->gateway, request, &rates_list,
			list_next(request, &rates_list, result, rates));
	}
	free(waiting);
}

void on_fx_list(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	const struct currency *currency = NULL;
	struct list_page page;
	uint32_t operator_id;
	char code[CURRENCY_MAX + 1], number[16], age[NUMBER_MAX], own[16];
	if (!auth_operator_path(gateway, request, &operator_id) ||
		!list_asked(gateway, request, &rates_list, &page))
		return;
	if (edge_query(request, "currency", code, sizeof(code)) != NULL &&
		!currency_ok(request, code, &currency))
		return;
	(void)snprintf(number, sizeof(number), "%u", currency == NULL ? 0 : currency->number);
	(void)snprintf(age, sizeof(age), "%" PRId64, common.fx_max_age_s);
	(void)snprintf(own, sizeof(own), "%" PRIu32, operator_id);
	const char *parameters[] = { number, page.limit_text, age, own, page.after[0],
		page.after[1] };
	pg_pool_query(gateway->pg_ro, list_sql, 6, parameters, QUERY_MS, on_list,
		waiting_new(gateway, request));
}
