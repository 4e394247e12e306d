/* Players' limits: an operator's back end sets and lists them. The wallet stores and enforces them;
 * the list is at most a second old. */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/money.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMITS_N 12
#define PERIODS_N 3

static const char *const names[LIMITS_N] = { "", "loss", "loss", "loss", "wager", "wager", "wager",
	"deposit", "deposit", "deposit", "time", "exclusion" };
static const char *const periods[PERIODS_N] = { "day", "week", "month" };

static bool is_money(size_t code)
{
	return code >= CARILLON__LIMIT__LIMIT_LOSS_DAY &&
	       code <= CARILLON__LIMIT__LIMIT_DEPOSIT_MONTH;
}

/* ---- setting ---- */

/* -1: no limit. */
static void value_json(struct json_out *out, size_t code, const char *name, int64_t value)
{
	char member[48];

	(void)snprintf(member, sizeof(member), "%s%s", name,
		is_money(code)			      ? "amount_minor"
		: code == CARILLON__LIMIT__LIMIT_TIME ? "seconds"
						      : "until_s");
	out_int(out, member, value);
}

/* What was set, or was to be. The wallet sets a limit, so this process does not know what held
 * before; the row before it in the player's journal does. */
static void audit(struct gateway *gateway, const struct service_request *sent,
	const Carillon__WalletFact *fact, uint32_t status)
{
	struct json_out *out = &gateway->out;
	const struct currency *currency = fact == NULL ? NULL : currency_by_number(fact->currency);
	char *content;

	out_begin(out);
	out_open(out, NULL, '{');
	if (fact != NULL) {
		out_string(out, "limit", names[fact->mode % LIMITS_N]);
		if (is_money(fact->mode))
			out_string(out, "period", periods[(fact->mode - 1) % PERIODS_N]);
		if (is_money(fact->mode) && currency != NULL)
			out_string(out, "currency", currency->code);
		out_open(out, status == 200 ? "after" : "asked", '{');
		value_json(out, fact->mode, "", fact->amount);
		if (status == 200)
			out_uint(out, "from_us", fact->round);
		out_close(out, '}');
		out_int(out, "refusal", (int64_t)fact->refusal);
	}
	out_string(out, "reason", audit_reason_of(sent->ticket));
	out_close(out, '}');
	content = strndup(out->bytes, out->n);
	audit_write(gateway, sent->ticket, player_operator(sent->player), "limit", sent->player,
		content == NULL ? "{}" : content, status);
	free(content);
}

static void on_set(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	struct json_out *out = &gateway->out;

	(void)reply;
	audit(gateway, sent, fact, fact_status(sent, fact));
	if (!fact_accepted(request, sent, fact))
		return;
	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "limit", names[fact->mode % LIMITS_N]);
	if (is_money(fact->mode))
		out_string(out, "period", periods[(fact->mode - 1) % PERIODS_N]);
	out_uint(out, "from_us", fact->round);
	out_uint(out, "seq", fact->envelope == NULL ? 0 : fact->envelope->seq);
	out_hex(out, "id", fact->outside_id.data, fact->outside_id.len);
	out_close(out, '}');
	answer_sent(gateway, request, 200);
}

static Carillon__Limit code_of(const struct limit_body *body)
{
	static const Carillon__Limit first[] = { CARILLON__LIMIT__LIMIT_LOSS_DAY,
		CARILLON__LIMIT__LIMIT_WAGER_DAY, CARILLON__LIMIT__LIMIT_DEPOSIT_DAY,
		CARILLON__LIMIT__LIMIT_TIME, CARILLON__LIMIT__LIMIT_EXCLUSION };

	return (Carillon__Limit)((int)first[body->limit] + (int)body->period);
}

void on_limit(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct service_request sent = { .done = on_set };
	struct limit_body body = { 0 };
	Carillon__Outside outside;
	struct problem problem;
	const struct currency *currency;
	char actor[ACTOR_MAX];
	uint32_t operator_id;
	const char *key;

	if (!auth_operator_path(gateway, request, &operator_id) || !auth_key(request, &key) ||
		!player_path(request, operator_id, &sent.player) ||
		!answer_parse(request, limit_fields, &body))
		return;
	if (limit_check(&body, &problem) != FIELDS_OK) {
		answer_problem(request, &problem);
		return;
	}
	if (!currency_ok(request, body.currency, &currency))
		return;
	carillon__outside__init(&outside);
	audit_reason(request, body.reason);
	actor_of(gateway, request, operator_id, actor);
	outside.kind = CARILLON__MOVE_KIND__MOVE_LIMIT;
	outside.currency = currency->number;
	outside.limit = code_of(&body);
	outside.amount_minor = body.has_amount	  ? body.amount_minor
			       : body.has_seconds ? body.seconds
						  : body.until_s;
	outside.reason = body.reason;
	outside.actor = actor;
	(void)outside_ask(gateway, request, sent, &outside, key);
}

/* ---- reading ---- */

/* $1 player: the limits that are set, as rows of (code, value, next, next_us, used). */
static const char limits_sql[] =
	"with l as (select state from wallet.player_limit where player = $1::bigint), "
	"now as (select floor(extract(epoch from now()) / 86400)::bigint as day, "
	"(extract(epoch from now()) * 1000000)::bigint as us), "
	"p as (select array[n.day, (n.day + 3) / 7, (extract(year from now() at time zone 'UTC') * "
	"12 + extract(month from now() at time zone 'UTC') - 23641)::bigint] as number, us from "
	"now n) "
	"select c, case when state[3 * c] <> 0 and state[3 * c] <= us then state[3 * c - 1] else "
	"state[3 * c - 2] end, state[3 * c - 1], case when state[3 * c] > us then state[3 * c] "
	"else 0 end, case when c > 9 or state[34 + 4 * ((c - 1) % 3)] < number[(c - 1) % 3 + 1] "
	"then 0 else state[35 + 4 * ((c - 1) % 3) + (c - 1) / 3] end "
	"from l, p, generate_series(1, 11) c "
	"where state[3 * c - 2] <> -1 or state[3 * c] > us order by c";

static void one_json(struct json_out *out, const PGresult *result, int i)
{
	size_t code = (size_t)pg_number(result, i, 0);
	int64_t next_us = pg_number(result, i, 3);

	out_open(out, NULL, '{');
	out_string(out, "limit", names[code % LIMITS_N]);
	if (is_money(code))
		out_string(out, "period", periods[(code - 1) % PERIODS_N]);
	value_json(out, code, "", pg_number(result, i, 1));
	if (is_money(code))
		out_int(out, "used_minor", pg_number(result, i, 4));
	if (next_us != 0) {
		value_json(out, code, "next_", pg_number(result, i, 2));
		out_int(out, "next_from_us", next_us);
	}
	out_close(out, '}');
}

static const struct list limits_list = { "limits",
	"limit period amount_minor seconds until_s used_minor next_amount_minor next_seconds "
	"next_until_s next_from_us",
	0, 0, NULL };

static void on_rows(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct edge_request *request = waiter_rows(waiter, result, error);

	if (request != NULL)
		list_answer(waiter->gateway, request, &limits_list, result, one_json);
	free(waiter);
}

void on_limits(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	uint32_t operator_id;
	player_id player;
	char number[24];
	const char *parameters[] = { number };

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!player_path(request, operator_id, &player) ||
		!list_asked(gateway, request, &limits_list, &page))
		return;
	(void)snprintf(number, sizeof(number), "%" PRId64, player);
	pg_pool_query(gateway->pg_ro, limits_sql, 1, parameters, QUERY_MS, on_rows,
		waiter_new(sizeof(struct waiter), gateway, request, player));
}
