/* What operators ask of pools and of sets of Jackpot Cards: sent to the service that owns it, and
 * answered when that has recorded it, done or refused. Lists of what was asked, and of the money
 * that moved between pools, are read from what the services have made durable. */
#include "services/gateway/adapters/gateway.h"

#include "libcommon/base/currency.h"
#include "libcommon/base/hex.h"
#include "libcommon/io/log.h"

#include <jansson.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_NUMBER 24
#define LIMIT_DEFAULT 50
#define LIMIT_MAX 200
#define POOL_NUMBER_MAX 65535
#define CONTENT_MAX 6000 /* of a line of the audit log */
#define ACTION_TAKE_PART CARILLON__OPERATOR_ACTION__ACTION_TAKE_PART
#define ACTION_CREATE CARILLON__OPERATOR_ACTION__ACTION_CREATE

struct waiting {
	struct waiter waiter; /* first */
	uint32_t operator_id, pool, action;
	uint8_t id[ID_BYTES];
	char actor[NAME_MAX_BYTES + 32], second[NAME_MAX_BYTES + 32];
	char reason[REASON_MAX + 1], parameters[PARAMETERS_MAX + 64];
};

static struct {
	size_t n;
	uint32_t operator_id[OPERATORS_MAX];
} allowed;

void pool_actions_begin(struct gateway *gateway)
{
	const char *at = gateway->settings.pool_operators;
	char *end;
	allowed.n = 0;
	while (*at != '\0') {
		unsigned long number = strtoul(at, &end, 10);
		if (end == at || number < 1 || number > OPERATOR_MAX ||
			allowed.n == OPERATORS_MAX || (*end != '\0' && *end != ','))
			fatal("GATEWAY_POOL_OPERATORS: found \"%s\", expected numbers of operators "
			      "with commas between them, as \"1,7\"",
				gateway->settings.pool_operators);
		allowed.operator_id[allowed.n++] = (uint32_t)number;
		at = *end == ',' ? end + 1 : end;
	}
}

static bool may_change(uint32_t operator_id)
{
	for (size_t i = 0; i < allowed.n; i++)
		if (allowed.operator_id[i] == operator_id)
			return true;
	return false;
}

static const char *action_text(uint32_t action)
{
	const char *const *names = pool_action_fields[0].choices;
	for (uint32_t i = 0; names[i] != NULL; i++)
		if (i + 1 == action)
			return names[i];
	return "unknown";
}

/* {op} with its key, and {pool}. */
static bool path(struct gateway *gateway, struct edge_request *request, uint32_t *operator_r,
	uint32_t *pool_r)
{
	int64_t pool;
	if (!auth_operator_path(gateway, request, operator_r))
		return false;
	if (!number_read(edge_parameter(request, 1), 1, POOL_NUMBER_MAX, &pool)) {
		answer_bad(request, "pool", edge_parameter(request, 1),
			"the number of a pool or set, 1 to 65535");
		return false;
	}
	*pool_r = (uint32_t)pool;
	return true;
}

/* ---- asking
 * ----------------------------------------------------------------------------------------------
 */

static const char *figures(const char *json)
{
	return json != NULL && json[0] != '\0' ? json : "null";
}

static void audit(struct gateway *gateway, struct edge_request *request, const struct ask *ask,
	uint32_t status)
{
	char subject[32], action[64], content[CONTENT_MAX], id[2 * ID_BYTES + 1] = "";
	const Carillon__OperatorFact *fact = ask->action != NULL ? ask->action->fact : NULL;
	(void)snprintf(subject, sizeof(subject), "pool %" PRIu32, ask->pool);
	(void)snprintf(action, sizeof(action), "pool: %s", ask->text);
	if (fact != NULL && fact->command != NULL && fact->command->id.len == ID_BYTES)
		hex_format(fact->command->id.data, ID_BYTES, id);
	/* Who, why and the parameters stand in the service's own row of that id. */
	if (fact == NULL)
		(void)snprintf(content, sizeof(content), "{}");
	else
		(void)snprintf(content, sizeof(content),
			"{\"id\":\"%s\",\"done\":%s,\"before\":%.2500s,\"after\":%.2500s}", id,
			fact->done ? "true" : "false", figures(fact->before), figures(fact->after));
	audit_write_of(gateway, request, (uint32_t)ask->number, action, subject, content, status);
}

static void refused_json(struct json_out *out, const Carillon__OperatorReply *reply)
{
	out_open(out, "error", '{');
	out_string(out, "code", reply->other_content ? "other_content" : "refused");
	out_string(out, "message",
		reply->other_content ? "The same Idempotency-Key was used with other content. "
				       "Nothing was done."
				     : reply->fact->refusal);
	out_close(out, '}');
}

static void on_recorded(struct gateway *gateway, struct edge_request *request,
	const struct ask *ask, const Carillon__SpinReply *spin, const Carillon__WalletFact *fact)
{
	struct json_out *out = &gateway->out;
	const Carillon__OperatorReply *reply = ask->action;
	uint32_t status = 504;
	(void)spin;
	(void)fact;
	if (reply != NULL)
		status = reply->other_content ? 422 : reply->fact->done ? 200 : 409;
	audit(gateway, request, ask, status);
	if (request == NULL)
		return;
	if (reply == NULL) {
		ask_no_answer(request);
		return;
	}
	out_begin(out);
	out_open(out, NULL, '{');
	if (status != 200)
		refused_json(out, reply);
	if (!reply->other_content) {
		if (reply->fact->command != NULL)
			out_hex(out, "id", reply->fact->command->id.data,
				reply->fact->command->id.len);
		out_bool(out, "done", reply->fact->done != 0);
		out_raw(out, "before", figures(reply->fact->before));
		out_raw(out, "after", figures(reply->fact->after));
		out_uint(out, "time_us", reply->time_us);
	}
	out_close(out, '}');
	answer_sent(gateway, request, status);
}

static void ask_service(struct waiting *waiting, struct edge_request *request)
{
	struct ask ask = { .done = on_recorded, .number = waiting->operator_id };
	Carillon__JackpotCommand command;
	Carillon__OperatorCommand body;
	carillon__jackpot_command__init(&command);
	carillon__operator_command__init(&body);
	(void)snprintf(ask.text, sizeof(ask.text), "%s", action_text(waiting->action));
	body.action = (Carillon__OperatorAction)waiting->action;
	body.actor = waiting->actor;
	body.second = waiting->second;
	body.reason = waiting->reason;
	body.id.data = waiting->id;
	body.id.len = ID_BYTES;
	body.parameters = waiting->parameters;
	command.pool = waiting->pool;
	command.body_case = CARILLON__JACKPOT_COMMAND__BODY_OPERATOR;
	command.operator_ = &body;
	(void)ask_cards(waiting->waiter.gateway, request, ask, &command);
}

static void unknown(struct edge_request *request)
{
	edge_answer_error(request, 404, "pool_unknown", "There is no such pool or set.", "pool",
		edge_parameter(request, 1), "the number of one");
}

static void on_exists(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);
	if (request != NULL && PQntuples(result) == 0 && waiting->action != ACTION_CREATE)
		unknown(request);
	else if (request != NULL)
		ask_service(waiting, request);
	free(waiting);
}

/* Names are the operator's own: "operator-7/alice". */
static void name_of(uint32_t operator_id, const char *name, char *out, size_t room)
{
	(void)snprintf(out, room, "operator-%" PRIu32 "%s%s", operator_id,
		name[0] != '\0' ? "/" : "", name);
}

/* An operator's own switch names that operator; who may change pools may name others, and 0: all.
 */
static bool part_of(struct edge_request *request, struct waiting *waiting, const char *text)
{
	json_t *json = json_loads(text[0] != '\0' ? text : "{}", 0, NULL);
	json_t *whose = json_object_get(json, "operator");
	int64_t operator_id =
		whose == NULL ? waiting->operator_id : (int64_t)json_integer_value(whose);
	char *out = NULL;
	bool good =
		json_is_object(json) && (whose == NULL || json_is_integer(whose)) &&
		(operator_id == (int64_t)waiting->operator_id || may_change(waiting->operator_id));
	if (good && json_object_set_new(json, "operator", json_integer(operator_id)) == 0)
		out = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(json);
	if (out == NULL || strlen(out) >= sizeof(waiting->parameters)) {
		answer_bad(request, "parameters.operator", "another operator",
			"the operator of the key");
		free(out);
		return false;
	}
	(void)snprintf(waiting->parameters, sizeof(waiting->parameters), "%s", out);
	free(out);
	return true;
}

static bool parameters_of(
	struct edge_request *request, struct waiting *waiting, const struct pool_action_body *body)
{
	if (waiting->action == (uint32_t)ACTION_TAKE_PART)
		return part_of(request, waiting, body->parameters);
	(void)snprintf(waiting->parameters, sizeof(waiting->parameters), "%s",
		body->has_parameters ? body->parameters : "{}");
	return true;
}

static void fill(struct waiting *waiting, const struct pool_action_body *body, const char *key)
{
	char scope[48];
	name_of(waiting->operator_id, body->actor, waiting->actor, sizeof(waiting->actor));
	if (body->has_second)
		name_of(waiting->operator_id, body->second, waiting->second,
			sizeof(waiting->second));
	(void)snprintf(waiting->reason, sizeof(waiting->reason), "%s", body->reason);
	/* Ids are the operator's, and of their own kind. */
	(void)snprintf(scope, sizeof(scope), "pool-action-%" PRIu32, waiting->operator_id);
	auth_id(key, scope, waiting->id);
}

void on_pool_action(struct edge_request *request, void *context)
{
	static struct pool_action_body body;
	struct gateway *gateway = context;
	uint32_t operator_id, pool;
	char number[TEXT_NUMBER];
	const char *parameters[] = { number };
	const char *key;
	memset(&body, 0, sizeof(body));
	if (!path(gateway, request, &operator_id, &pool) || !auth_key(request, &key) ||
		!answer_parse(request, pool_action_fields, &body))
		return;
	uint32_t action = (uint32_t)body.action + 1;
	if (action != (uint32_t)ACTION_TAKE_PART && !may_change(operator_id)) {
		edge_answer_error(request, 403, "not_pool_operator",
			"This operator may not change pools, only whether it takes part.", "action",
			action_text(action), "take_part");
		return;
	}
	struct waiting *waiting = waiter_new(sizeof(*waiting), gateway, request, 0);
	waiting->operator_id = operator_id;
	waiting->pool = pool;
	waiting->action = action;
	fill(waiting, &body, key);
	if (!parameters_of(request, waiting, &body)) {
		free(waiting);
		return;
	}
	(void)snprintf(number, sizeof(number), "%" PRIu32, pool);
	pg_pool_query(gateway->pg_ro,
		"select pool from pool.pool where pool = $1::integer union select pool from "
		"cards.card_set where pool = $1::integer",
		1, parameters, QUERY_MS, on_exists, waiting);
}

/* ---- lists
 * ----------------------------------------------------------------------------------------------
 */

static void action_json(struct json_out *out, const PGresult *rows, int i)
{
	out_open(out, NULL, '{');
	out_string(out, "id", PQgetvalue(rows, i, 0));
	out_string(out, "action", action_text((uint32_t)pg_number(rows, i, 1)));
	out_string(out, "actor", PQgetvalue(rows, i, 2));
	out_string(out, "second", PQgetvalue(rows, i, 3));
	out_string(out, "reason", PQgetvalue(rows, i, 4));
	out_string(out, "parameters", PQgetvalue(rows, i, 5));
	out_bool(out, "done", PQgetvalue(rows, i, 6)[0] == 't');
	out_string(out, "refusal", PQgetvalue(rows, i, 7));
	out_raw(out, "before", figures(PQgetvalue(rows, i, 8)));
	out_raw(out, "after", figures(PQgetvalue(rows, i, 9)));
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

typedef void row_json(struct json_out *out, const PGresult *rows, int i);

static void on_list(struct waiter *waiting, PGresult *result, const char *error, const char *name,
	row_json *row)
{
	struct json_out *out = &waiting->gateway->out;
	struct edge_request *request = waiter_rows(waiting, result, error);
	if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, name, '[');
		for (int i = 0; i < PQntuples(result); i++)
			row(out, result, i);
		out_close(out, ']');
		out_close(out, '}');
		answer_sent(waiting->gateway, request, 200);
	}
	free(waiting);
}

static void on_actions(void *context, PGresult *result, const char *error)
{
	on_list(context, result, error, "actions", action_json);
}

static void on_transfers(void *context, PGresult *result, const char *error)
{
	on_list(context, result, error, "transfers", transfer_json);
}

static void list(
	struct edge_request *request, struct gateway *gateway, const char *sql, pg_done *done)
{
	static const char *const names[] = { "limit", NULL };
	uint32_t operator_id, pool;
	int64_t limit;
	char number[TEXT_NUMBER], count[TEXT_NUMBER];
	const char *parameters[] = { number, count };
	if (!path(gateway, request, &operator_id, &pool) || !answer_query(request, names) ||
		!answer_limit(request, LIMIT_DEFAULT, LIMIT_MAX, &limit))
		return;
	(void)snprintf(number, sizeof(number), "%" PRIu32, pool);
	(void)snprintf(count, sizeof(count), "%" PRId64, limit);
	pg_pool_query(gateway->pg_ro, sql, 2, parameters, QUERY_MS, done,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}

#define ACTIONS(schema)                                                                                 \
	"select encode(id, 'hex'), action, actor, second, reason, parameters, done, refusal, "          \
	"before, after, (extract(epoch from time) * 1000000)::bigint as time_us, fact_seq from " schema \
	".operator_action where pool = $1::integer "

void on_pool_actions(struct edge_request *request, void *context)
{
	list(request, context,
		ACTIONS("pool") "union all " ACTIONS(
			"cards") "order by time_us desc, fact_seq desc limit $2::bigint",
		on_actions);
}

void on_pool_transfers(struct edge_request *request, void *context)
{
	list(request, context,
		"select o.number, o.pool, o.from_currency, o.from_coin_minor, o.to_pool, "
		"o.to_currency, o.to_coin_minor, o.amount_e27::text, encode(o.action, 'hex'), "
		"(extract(epoch from o.time) * 1000000)::bigint, (extract(epoch from i.time) * "
		"1000000)::bigint, i.currency, i.coin_minor from pool.transfer_out o left join "
		"pool.transfer_in i on i.from_pool = o.pool and i.number = o.number where $1::"
		"integer in (o.pool, o.to_pool) order by o.time desc, o.pool, o.number desc limit "
		"$2::bigint",
		on_transfers);
}
