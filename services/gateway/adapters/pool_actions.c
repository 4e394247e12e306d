/* Operators' actions on pools and on sets of Jackpot Cards: sent to the service that owns the pool,
 * and answered when the service has recorded the action as done or refused. An action that moves
 * money outside the rules waits for approval by another key or user of the operator. */
#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/staff.h"
#include "services/gateway/adapters/pool_actions.h"

#include "libcommon/base/hex.h"
#include "libcommon/io/log.h"

#include <jansson.h>
#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_NUMBER 24
#define POOL_NUMBER_MAX 65535
#define HEX_MAX (2 * crypto_hash_sha256_BYTES + 3) /* a digest as text of type bytea */
#define WRITE_MS 4000
#define TELL_MOST "16"
#define ACTION_TAKE_PART CARILLON__OPERATOR_ACTION__ACTION_TAKE_PART
#define ACTION_CREATE CARILLON__OPERATOR_ACTION__ACTION_CREATE

struct waiting {
	struct waiter waiter; /* first */
	uint32_t operator_id, pool, action;
	uint8_t id[ID_BYTES];
	char content[HEX_MAX], key[HEX_MAX]; /* digests of the request and of the requester's key */
	bool refuses;			     /* what another one asked for */
	char actor[ASKER_MAX], second[ASKER_MAX];
	char reason[REASON_MAX + 1], parameters[PARAMETERS_MAX + 64];
};

static struct {
	size_t n;
	uint32_t operator_id[OPERATORS_MAX];
} allowed;
static bool taking;

void pool_actions_begin(struct gateway *gateway)
{
	const char *at = gateway->settings.pool_operators;
	char *end;
	allowed.n = 0;
	while (*at != '\0') {
		unsigned long number = strtoul(at, &end, 10);
		if (end == at || number < 1 || number > OPERATOR_MAX ||
			allowed.n == OPERATORS_MAX || (*end != '\0' && *end != ','))
			fatal("GATEWAY_POOL_OPERATORS: found \"%s\", expected operator numbers "
			      "separated by commas, such as \"1,7\"",
				gateway->settings.pool_operators);
		allowed.operator_id[allowed.n++] = (uint32_t)number;
		at = *end == ',' ? end + 1 : end;
	}
}

bool pool_operator(uint32_t operator_id)
{
	for (size_t i = 0; i < allowed.n; i++)
		if (allowed.operator_id[i] == operator_id)
			return true;
	return false;
}

static bool may_change(struct edge_request *request, uint32_t operator_id, const char *action)
{
	if (pool_operator(operator_id))
		return true;
	wrong_denied(request, "not_pool_operator");
	edge_answer_error(request, 403, "not_pool_operator",
		"This operator may not change pools. It may only choose whether to take part.",
		"action", action, "take_part");
	return false;
}

const char *pool_action_text(uint32_t action)
{
	const char *const *names = pool_action_fields[0].choices;
	for (uint32_t i = 0; names[i] != NULL; i++)
		if (i + 1 == action)
			return names[i];
	return "unknown";
}

bool pool_path(struct gateway *gateway, struct edge_request *request, uint32_t *operator_r,
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
	return key_may_pool(gateway, request, *operator_r, *pool_r);
}

/* ---- requests
 * ----------------------------------------------------------------------------------------------
 */

const char *pool_figures(const char *json)
{
	return json != NULL && json[0] != '\0' ? json : "null";
}

static json_t *figures_json(const char *text)
{
	json_t *json = json_loads(pool_figures(text), 0, NULL);

	return json == NULL ? json_null() : json;
}

/* What was asked for: the parameters as JSON, unless they cannot be read, or there are none. */
static json_t *asked_json(const char *id, const char *reason, const char *parameters)
{
	json_t *json = json_pack("{s:s}", "id", id);
	json_t *with = parameters == NULL ? NULL : json_loads(parameters, 0, NULL);

	if (reason != NULL && reason[0] != '\0')
		(void)json_object_set_new(json, "reason", json_string(reason));
	if (json_object_size(with) > 0)
		(void)json_object_set(json, "parameters", with);
	json_decref(with);
	return json;
}

static void audit(struct gateway *gateway, const struct service_request *sent, uint32_t status)
{
	char subject[32], action[64], id[2 * ID_BYTES + 1] = "", *content = NULL;
	const Carillon__OperatorFact *fact = sent->action != NULL ? sent->action->fact : NULL;
	(void)snprintf(subject, sizeof(subject), "pool %" PRIu32, sent->pool);
	(void)snprintf(action, sizeof(action), "pool: %s", sent->text);
	if (fact != NULL && fact->command != NULL && fact->command->id.len == ID_BYTES)
		hex_format(fact->command->id.data, ID_BYTES, id);
	if (fact != NULL && fact->command != NULL) {
		json_t *json = asked_json(id, fact->command->reason, fact->command->parameters);
		(void)json_object_set_new(json, "done", json_boolean(fact->done));
		(void)json_object_set_new(json, "before", figures_json(fact->before));
		(void)json_object_set_new(json, "after", figures_json(fact->after));
		content = json_dumps(json, JSON_COMPACT);
		json_decref(json);
	}
	if (sent->ticket != 0 || status == 200 || status == 409)
		audit_write_of(gateway, sent->ticket, (uint32_t)sent->number, action, subject,
			content == NULL ? "{}" : content, status);
	free(content);
}

static void refused_json(
	struct json_out *out, uint32_t status, const Carillon__OperatorReply *reply)
{
	answer_problem_open(out, status, reply->other_content ? "other_content" : "refused",
		reply->other_content
			? "This Idempotency-Key was already used for a different request. Nothing was "
			  "done."
			: reply->fact->refusal);
	out_close(out, '}');
}

static void on_recorded(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *spin,
	const Carillon__WalletFact *fact)
{
	struct json_out *out = &gateway->out;
	const Carillon__OperatorReply *reply = sent->action;
	uint32_t status = unanswered_status(sent);
	(void)spin;
	(void)fact;
	if (reply != NULL)
		status = reply->behind		? 503
			 : reply->other_content ? 422
			 : reply->fact->done	? 200
						: 409;
	audit(gateway, sent, status);
	if (request == NULL)
		return;
	if (reply == NULL) {
		answer_timed_out(request, sent);
		return;
	}
	if (reply->behind) {
		answer_behind(request);
		return;
	}
	out_begin(out);
	out_open(out, NULL, '{');
	if (status != 200)
		refused_json(out, status, reply);
	if (!reply->other_content) {
		if (reply->fact->command != NULL)
			out_hex(out, "id", reply->fact->command->id.data,
				reply->fact->command->id.len);
		out_bool(out, "done", reply->fact->done != 0);
		out_raw(out, "before", pool_figures(reply->fact->before));
		out_raw(out, "after", pool_figures(reply->fact->after));
		out_uint(out, "time_us", reply->time_us);
	}
	out_close(out, '}');
	answer_sent(gateway, request, status);
}

static void request_service(struct waiting *waiting, struct edge_request *request)
{
	/* An action that a second operator approved is recorded already. */
	struct service_request sent = {
		.done = on_recorded, .number = waiting->operator_id, .handed = true
	};
	Carillon__JackpotCommand command;
	Carillon__OperatorCommand body;
	carillon__jackpot_command__init(&command);
	carillon__operator_command__init(&body);
	(void)snprintf(sent.text, sizeof(sent.text), "%s", pool_action_text(waiting->action));
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
	(void)request_cards(waiting->waiter.gateway, request, sent, &command);
}

struct unknown_pool {
	struct waiter waiter; /* first */
	bool progressive;
};

static void on_named(void *context, PGresult *result, const char *error)
{
	struct unknown_pool *unknown_pool = context;
	struct edge_request *request = waiter_rows(&unknown_pool->waiter, result, error);
	if (request != NULL && PQntuples(result) > 0)
		answer_behind(request);
	else if (request != NULL)
		edge_answer_error(request, 404, "pool_unknown",
			unknown_pool->progressive ? "This progressive pool does not exist."
						  : "This pool or set does not exist.",
			"pool", edge_parameter(request, 1),
			unknown_pool->progressive
				? "the number of a progressive pool (GET /v1/jackpots)"
				: "the number of a pool or set");
	free(unknown_pool);
}

void pool_unknown(
	struct gateway *gateway, struct edge_request *request, int64_t pool, bool progressive)
{
	struct unknown_pool *unknown_pool = waiter_new(sizeof(*unknown_pool), gateway, request, 0);
	char number[TEXT_NUMBER];
	const char *parameters[] = { number, gateway->demo ? "true" : "false",
		progressive ? "true" : "false" };
	unknown_pool->progressive = progressive;
	(void)snprintf(number, sizeof(number), "%" PRId64, pool);
	pg_pool_query(gateway->pg,
		"select from (select distinct on (number) definition::json as d from carillon.game "
		"where $2::boolean or not demo order by number, demo desc, first_seen desc) g "
		"where d #>> '{jackpot,pool_number}' = $1 or (d #>> '{cards,set_number}' = $1 and "
		"not $3::boolean) limit 1",
		3, parameters, QUERY_MS, on_named, unknown_pool);
}

/* ---- two keys
 * ----------------------------------------------------------------------------------------------
 */

#define REQUEST_COLUMNS                                                                            \
	"encode(content, 'hex'), status, action, parameters, reason, asked_by, "                   \
	"coalesce(approved_by, ''), encode(asked_key, 'hex'), encode(id, 'hex') "

/* Actions that move the house's money or a row outside the rules: one key requests, another
 * approves. */
static bool needs_two(const struct waiting *waiting)
{
	json_t *json = json_loads(waiting->parameters, 0, NULL);
	bool removes = json_object_get(json, "remove") != NULL;
	json_decref(json);
	return waiting->action == (uint32_t)CARILLON__OPERATOR_ACTION__ACTION_ADJUST ||
	       waiting->action == (uint32_t)CARILLON__OPERATOR_ACTION__ACTION_RETIRE ||
	       (waiting->action == (uint32_t)CARILLON__OPERATOR_ACTION__ACTION_PARAMETERS &&
		       removes);
}

static void audit_request(
	const struct waiting *waiting, const char *id, const char *what, uint32_t status)
{
	char subject[32], action[64];
	json_t *json = asked_json(id, waiting->reason, waiting->parameters);
	char *content;
	(void)snprintf(subject, sizeof(subject), "pool %" PRIu32, waiting->pool);
	(void)snprintf(
		action, sizeof(action), "pool: %s%s", pool_action_text(waiting->action), what);
	content = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	audit_write_of(waiting->waiter.gateway, waiting->waiter.ticket, waiting->operator_id,
		action, subject, content == NULL ? "{}" : content, status);
	free(content);
}

static void other_content(struct edge_request *request)
{
	edge_answer_error(request, 422, "other_content",
		"This Idempotency-Key was already used for a different request. Nothing was done.",
		"Idempotency-Key", NULL, NULL);
}

/* What was asked for. Whoever refuses it has a reason of their own. */
static void asked_take(struct waiting *waiting, const PGresult *rows, int i)
{
	waiting->action = (uint32_t)pg_number(rows, i, 2);
	(void)snprintf(
		waiting->parameters, sizeof(waiting->parameters), "%s", PQgetvalue(rows, i, 3));
	if (!waiting->refuses)
		(void)snprintf(
			waiting->reason, sizeof(waiting->reason), "%s", PQgetvalue(rows, i, 4));
}

/* An approved action goes to the service as requested. */
static void approved(
	struct waiting *waiting, struct edge_request *request, const PGresult *rows, int i)
{
	asked_take(waiting, rows, i);
	(void)snprintf(waiting->actor, sizeof(waiting->actor), "%s", PQgetvalue(rows, i, 5));
	(void)snprintf(waiting->second, sizeof(waiting->second), "%s", PQgetvalue(rows, i, 6));
	if (hex_parse(PQgetvalue(rows, i, 8), ID_BYTES, waiting->id))
		request_service(waiting, request);
}

static void on_taken(void *context, PGresult *result, const char *error)
{
	struct gateway *gateway = context;

	taking = false;
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK) {
		log_warn_as("gateway.pool_actions.unreadable",
			"cannot read the approved actions on pools: %s",
			error != NULL ? error : PQresultErrorMessage(result));
		return;
	}
	for (int i = 0; i < PQntuples(result); i++) {
		struct waiting waiting = { .waiter = { .gateway = gateway } };

		waiting.operator_id = (uint32_t)pg_number(result, i, 9);
		waiting.pool = (uint32_t)pg_number(result, i, 10);
		approved(&waiting, NULL, result, i);
	}
}

/* After a day nothing is done of a sudden: the house's money may have been put right otherwise. */
void pool_actions_tick(struct gateway *gateway)
{
	if (taking)
		return;
	taking = true;
	pg_pool_query(gateway->pg,
		"update gateway.pool_request set told = now() where (operator, id) in (select "
		"t.operator, t.id from gateway.pool_request t where t.status = 'approved' and "
		"t.approved between now() - interval '1 day' and now() - interval '10 s' and "
		"coalesce(t.told, t.approved) <= now() - interval '10 s' and not exists (select "
		"from pool.operator_action a where a.id = t.id) and not exists (select from "
		"cards.operator_action a where a.id = t.id) limit " TELL_MOST " for update of t "
		"skip locked) returning " REQUEST_COLUMNS ", operator, pool",
		0, NULL, WRITE_MS, on_taken, gateway);
}

/* Answers with a request that is not sent to the service. */
static void answer_kept(
	struct waiting *waiting, struct edge_request *request, const PGresult *row, uint32_t status)
{
	struct json_out *out = &waiting->waiter.gateway->out;
	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "id", PQgetvalue(row, 0, 8));
	out_bool(out, "done", false);
	out_string(out, "status", PQgetvalue(row, 0, 1));
	out_string(out, "asked_by", PQgetvalue(row, 0, 5));
	out_close(out, '}');
	answer_sent(waiting->waiter.gateway, request, status);
}

static void on_asked(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);
	if (request == NULL)
		goto out;
	if (PQntuples(result) ==
		0) { /* the same request at the same moment: the client must retry */
		answer_unavailable(request, "the same request, which is still being handled");
	} else if (strcmp(PQgetvalue(result, 0, 0), waiting->content + 2) != 0) {
		audit_request(waiting, PQgetvalue(result, 0, 8), "", 422);
		other_content(request);
	} else if (strcmp(PQgetvalue(result, 0, 1), "approved") == 0) {
		approved(waiting, request, result, 0);
	} else if (strcmp(PQgetvalue(result, 0, 1), "refused") == 0) {
		edge_answer_error(request, 409, "approval_refused",
			"Another user or key has refused this request. Nothing was done.",
			"Idempotency-Key", NULL, "a new key, if it is to be asked for again");
	} else {
		audit_request(waiting, PQgetvalue(result, 0, 8), "", 202);
		answer_kept(waiting, request, result, 202);
	}
out:
	free(waiting);
}

static void request_second_key(struct waiting *waiting)
{
	char operator_text[TEXT_NUMBER], pool[TEXT_NUMBER], action[TEXT_NUMBER], id[HEX_MAX];
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, waiting->operator_id);
	(void)snprintf(pool, sizeof(pool), "%" PRIu32, waiting->pool);
	(void)snprintf(action, sizeof(action), "%" PRIu32, waiting->action);
	pg_bytea_text(waiting->id, ID_BYTES, id);
	const char *parameters[] = { operator_text, id, waiting->content, pool, action,
		waiting->parameters, waiting->reason, waiting->key, waiting->actor };
	pg_pool_query(waiting->waiter.gateway->pg,
		"with made as (insert into gateway.pool_request (operator, id, content, pool, "
		"action, parameters, reason, status, asked_key, asked_by) values ($1::integer, "
		"$2::bytea, $3::bytea, $4::integer, $5::integer, $6, $7, 'waiting', $8::bytea, $9) "
		"on conflict do nothing returning *) select " REQUEST_COLUMNS
		"from made union all select " REQUEST_COLUMNS
		"from gateway.pool_request where operator = $1::integer and id = $2::bytea and not "
		"exists (select from made)",
		9, parameters, WRITE_MS, on_asked, waiting);
}

void answer_same_approver(struct edge_request *request)
{
	edge_answer_error(request, 403, "same_approver",
		"The same user or key requested the action. Another one must approve it.",
		"Authorization", NULL, "another user or key of the operator");
}

static void answer_decided(struct edge_request *request)
{
	edge_answer_error(request, 409, "approval_decided",
		"This request has already been decided otherwise.", "id",
		edge_parameter(request, 2), "the id of an action that waits for approval");
}

/* Whoever approved has gone: what they approved is recorded, so it is carried out. */
static void decided_alone(struct waiting *waiting, const PGresult *result)
{
	if (waiting->refuses || result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK ||
		PQntuples(result) == 0 || strcmp(PQgetvalue(result, 0, 1), "approved") != 0)
		return;
	asked_take(waiting, result, 0);
	audit_request(waiting, PQgetvalue(result, 0, 8), " approval", 200);
	approved(waiting, NULL, result, 0);
}

/* Approved, if waiting->refuses is not set, or refused. */
static void on_decided(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);
	const char *status, *what = waiting->refuses ? " refusal" : " approval";
	if (request == NULL) {
		decided_alone(waiting, result);
		goto out;
	}
	if (PQntuples(result) == 0) {
		edge_answer_error(request, 404, "action_unknown",
			"No action with this id was requested for this pool.", "id",
			edge_parameter(request, 2), "the id of an action that waits for approval");
		goto out;
	}
	asked_take(waiting, result, 0);
	status = PQgetvalue(result, 0, 1);
	if (strcmp(status, "waiting") != 0 &&
		strcmp(status, waiting->refuses ? "refused" : "approved") != 0) {
		answer_decided(request);
	} else if (strcmp(status, "refused") == 0) {
		audit_request(waiting, PQgetvalue(result, 0, 8), what, 200);
		answer_kept(waiting, request, result, 200);
	} else if (strcmp(status, "approved") == 0) {
		audit_request(waiting, PQgetvalue(result, 0, 8), what, 200);
		approved(waiting, request, result, 0);
	} else {
		audit_request(waiting, PQgetvalue(result, 0, 8), what, 403);
		answer_same_approver(request);
	}
out:
	free(waiting);
}

/* The requester: the digest of the user or the key, and the text for the records. Without the
 * client's address, so that a retry from elsewhere is the same request. */
static void requester(struct waiting *waiting, struct edge_request *request)
{
	struct asker asker;

	(void)asker_of(waiting->waiter.gateway, request, &asker);
	pg_bytea_text(asker.digest, sizeof(asker.digest), waiting->key);
	(void)snprintf(waiting->actor, sizeof(waiting->actor), "%s", asker.name);
}

static enum pool_moves moves_of(uint32_t action)
{
	if (action == (uint32_t)CARILLON__OPERATOR_ACTION__ACTION_ADJUST)
		return POOL_MOVES_DELTA;
	return action == (uint32_t)CARILLON__OPERATOR_ACTION__ACTION_PAUSE ||
			       action == (uint32_t)CARILLON__OPERATOR_ACTION__ACTION_RESUME ||
			       action == (uint32_t)ACTION_TAKE_PART
		       ? POOL_MOVES_NOTHING
		       : POOL_MOVES_UNKNOWN;
}

/* The id of the path, and the reason of a refusal. */
static bool decision_read(struct edge_request *request, bool refuses, uint8_t id_r[ID_BYTES],
	struct reason_body *body)
{
	if (!hex_parse(edge_parameter(request, 2), ID_BYTES, id_r)) {
		answer_bad(request, "id", edge_parameter(request, 2),
			"the 32 lower-case hex digits of the id");
		return false;
	}
	return !refuses || answer_parse(request, reason_fields, body);
}

static void decide(struct edge_request *request, struct gateway *gateway, bool refuses)
{
	struct reason_body body = { 0 };
	uint32_t operator_id, pool;
	uint8_t id[ID_BYTES];
	char operator_text[TEXT_NUMBER], number[TEXT_NUMBER], id_text[HEX_MAX];
	if (!pool_path(gateway, request, &operator_id, &pool) ||
		!may_change(request, operator_id, refuses ? "refuse" : "approve"))
		return;
	const struct pool_asked asked = { pool, POOL_MOVES_UNKNOWN, refuses ? "refuse" : "approve",
		"" };
	if (!key_may_act(gateway, request, operator_id, &asked) ||
		!decision_read(request, refuses, id, &body))
		return;
	struct waiting *waiting = waiter_new(sizeof(*waiting), gateway, request, 0);
	waiting->operator_id = operator_id;
	waiting->pool = pool;
	waiting->refuses = refuses;
	(void)snprintf(waiting->reason, sizeof(waiting->reason), "%s", body.reason);
	requester(waiting, request);
	pg_bytea_text(id, ID_BYTES, id_text);
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	(void)snprintf(number, sizeof(number), "%" PRIu32, pool);
	const char *parameters[] = { operator_text, id_text, waiting->key, waiting->actor, number,
		refuses ? "refused" : "approved" };
	pg_pool_query(gateway->pg,
		"with made as (update gateway.pool_request set status = $6, approved_key = "
		"$3::bytea, approved_by = $4, approved = now() where operator = $1::integer and id "
		"= $2::bytea and pool = $5::integer and status = 'waiting' and asked_key <> "
		"$3::bytea returning *) select " REQUEST_COLUMNS
		"from made union all select " REQUEST_COLUMNS
		"from gateway.pool_request where operator = $1::integer and id = $2::bytea and pool "
		"= $5::integer and not exists (select from made)",
		6, parameters, WRITE_MS, on_decided, waiting);
}

void on_pool_approve(struct edge_request *request, void *context)
{
	decide(request, context, false);
}

void on_pool_refuse(struct edge_request *request, void *context)
{
	decide(request, context, true);
}

/* ---- one key
 * ----------------------------------------------------------------------------------------------
 */

static void on_exists(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);
	if (request != NULL && PQntuples(result) == 0 && waiting->action != ACTION_CREATE) {
		pool_unknown(waiting->waiter.gateway, request, waiting->pool, false);
	} else if (request != NULL && needs_two(waiting)) {
		request_second_key(waiting);
		return;
	} else if (request != NULL) {
		request_service(waiting, request);
	}
	free(waiting);
}

/* An operator switches its own participation; an operator that may change pools can also name
 * others, or 0 for all. */
static bool part_of(struct edge_request *request, struct waiting *waiting, const char *text)
{
	json_t *json = json_loads(text[0] != '\0' ? text : "{}", 0, NULL);
	json_t *whose = json_object_get(json, "operator");
	int64_t operator_id =
		whose == NULL ? waiting->operator_id : (int64_t)json_integer_value(whose);
	char *out = NULL;
	bool good = json_is_object(json) && (whose == NULL || json_is_integer(whose)) &&
		    (operator_id == (int64_t)waiting->operator_id ||
			    pool_operator(waiting->operator_id));
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

/* The requester as the content names it: a key by the first of those that replace each other, so
 * that a retry with the next one is the same request. */
static const char *line_of(const struct waiting *waiting, char by[ASKER_MAX])
{
	const char *name = strchr(waiting->actor, ' ');

	if (name == NULL || strncmp(name, " key ", 5) != 0)
		return waiting->actor;
	(void)snprintf(by, ASKER_MAX, "%.*s key %.8s", (int)(name - waiting->actor), waiting->actor,
		waiting->key + 2); /* behind \x */
	return by;
}

static void fill(struct waiting *waiting, struct edge_request *request,
	const struct pool_action_body *body, const char *key)
{
	char scope[96], by[ASKER_MAX];
	uint8_t hash[ID_BYTES];
	requester(waiting, request);
	(void)snprintf(waiting->reason, sizeof(waiting->reason), "%s", body->reason);
	/* Ids are per operator and apart from other kinds of request. */
	(void)snprintf(scope, sizeof(scope), "pool-action-%" PRIu32, waiting->operator_id);
	auth_id(key, scope, waiting->id);
	(void)snprintf(scope, sizeof(scope), "pool %" PRIu32 " action %" PRIu32 " by %s",
		waiting->pool, waiting->action, line_of(waiting, by));
	auth_id(scope, waiting->parameters, hash);
	pg_bytea_text(hash, ID_BYTES, waiting->content);
	auth_id(waiting->content, waiting->reason, hash);
	pg_bytea_text(hash, ID_BYTES, waiting->content);
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
	if (!pool_path(gateway, request, &operator_id, &pool) || !auth_key(request, &key) ||
		!answer_parse(request, pool_action_fields, &body))
		return;
	uint32_t action = (uint32_t)body.action + 1;
	if (action != (uint32_t)ACTION_TAKE_PART &&
		!may_change(request, operator_id, pool_action_text(action)))
		return;
	const struct pool_asked asked = { pool, moves_of(action), pool_action_text(action),
		body.parameters };
	if (!key_may_act(gateway, request, operator_id, &asked))
		return;
	struct waiting *waiting = waiter_new(sizeof(*waiting), gateway, request, 0);
	waiting->operator_id = operator_id;
	waiting->pool = pool;
	waiting->action = action;
	if (!parameters_of(request, waiting, &body)) {
		free(waiting);
		return;
	}
	fill(waiting, request, &body, key);
	(void)snprintf(number, sizeof(number), "%" PRIu32, pool);
	pg_pool_query(gateway->pg_ro,
		"select pool from pool.pool where pool = $1::integer union select pool from "
		"cards.card_set where pool = $1::integer",
		1, parameters, QUERY_MS, on_exists, waiting);
}
