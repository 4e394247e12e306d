/* Webhooks as an operator's users and back ends see them: list, create, change, rotate the secret,
 * test, end; send dead events again, skip waiting ones. A secret is shown once, when it is made. An
 * address may hold secrets, too: only those who may change it see it whole. */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/row_json.h"
#include "services/gateway/adapters/staff.h"
#include "services/gateway/adapters/webhooks.h"

#include "libcommon/base/hex.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_MS 3000
#define KEEP_S_DEFAULT 86400
#define CONTENT_MAX 5000
#define ID_TEXT (2 * ID_BYTES + 3)
#define OLD_UNTIL US("old_until")
#define CREATED US("created")
#define OLDEST US("oldest")
#define LAST US("last_time")

struct change {
	struct waiter waiter; /* first */
	uint32_t operator_id;
	char operator_text[16], webhook[24];
	const char *action; /* for the audit log */
	struct webhook_body body;
	char content[CONTENT_MAX];
};

/* ---- who and which ---- */

bool webhook_path_read(struct edge_request *request, char out[WEBHOOK_NUMBER_MAX])
{
	int64_t number;

	if (!number_read(edge_parameter(request, 1), 1, INT32_MAX, &number)) {
		answer_bad(request, "webhook", edge_parameter(request, 1), "a webhook's number");
		return false;
	}
	(void)snprintf(out, WEBHOOK_NUMBER_MAX, "%" PRId64, number);
	return true;
}

static struct change *change_new(struct gateway *gateway, struct edge_request *request,
	uint32_t operator_id, const char *action)
{
	struct change *change = waiter_new(sizeof(*change), gateway, request, 0);

	change->operator_id = operator_id;
	change->action = action;
	(void)snprintf(
		change->operator_text, sizeof(change->operator_text), "%" PRIu32, operator_id);
	return change;
}

/* One side of a change, as the audit log tells it. */
static void changes_json(struct json_out *out, const struct webhook_body *body, const char *side,
	const PGresult *was)
{
	int url = PQnfields(was) - 3;
	bool after = strcmp(side, "after") == 0;
	char shown[WEBHOOK_URL_MAX + 1];

	out_open(out, side, '{');
	if (body->action == WEBHOOK_ROTATE) {
		out_int(out, "secret_version", pg_number(was, 0, url + 2) + (after ? 1 : 0));
	} else {
		webhook_url_shown(
			after && body->has_url ? body->url : PQgetvalue(was, 0, url), shown);
		out_string(out, "url", shown);
		out_string(out, "kinds",
			after && body->has_kinds ? body->kinds : PQgetvalue(was, 0, url + 1));
		out_string(out, "state", after && body->action == WEBHOOK_END ? "ended" : "active");
	}
	out_close(out, '}');
}

/* What the audit log says of the request; and, of a change that was done, what was before it and
 * is after it: `was` has the webhook in its last three columns, locked until the change was done.
 */
static void content_make(
	struct change *change, const struct webhook_body *body, const PGresult *was)
{
	struct json_out *out = &change->waiter.gateway->out;
	char shown[WEBHOOK_URL_MAX + 1];

	out_begin(out);
	out_open(out, NULL, '{');
	if (body->has_url) {
		webhook_url_shown(body->url, shown);
		out_string(out, "url", shown);
	}
	if (body->has_kinds)
		out_string(out, "kinds", body->kinds);
	if (body->has_event)
		out_string(out, "event", body->event);
	if (body->has_keep_s)
		out_int(out, "keep_s", body->keep_s);
	out_string(out, "reason", body->reason);
	if (was != NULL) {
		changes_json(out, body, "before", was);
		changes_json(out, body, "after", was);
	}
	out_close(out, '}');
	(void)snprintf(change->content, sizeof(change->content), "%.*s", (int)out->n, out->bytes);
}

/* What an Idempotency-Key stands for: the whole address, kinds and reason, as versions before have
 * stored it. */
static void content_id(struct gateway *gateway, const struct webhook_body *body, uint8_t *id_r)
{
	struct json_out *out = &gateway->out;
	char content[CONTENT_MAX];

	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "url", body->url);
	out_string(out, "kinds", body->kinds);
	out_string(out, "reason", body->reason);
	out_close(out, '}');
	(void)snprintf(content, sizeof(content), "%.*s", (int)out->n, out->bytes);
	auth_id("webhook", content, id_r);
	sodium_memzero(content, sizeof(content));
}

static void audit(const struct change *change, const char *webhook, uint32_t status)
{
	char subject[40];

	(void)snprintf(subject, sizeof(subject), "webhook %.20s", webhook);
	audit_write_of(change->waiter.gateway, change->waiter.ticket, change->operator_id,
		change->action, subject, change->content, status);
}

/* Also where the client has gone; 503: it is not known whether it was done. NULL: nothing is to be
 * answered any more. `status` holds if the query gave rows. */
static struct edge_request *changed(struct change *change, const PGresult *result,
	const char *error, const char *webhook, uint32_t status)
{
	bool rows = result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK;

	audit(change, webhook, rows ? status : 503);
	return waiter_rows(&change->waiter, result, error);
}

static bool has_rows(const PGresult *result)
{
	return result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) > 0;
}

void webhook_unknown(struct edge_request *request, const char *webhook)
{
	edge_answer_error(request, 404, "webhook_unknown",
		"The operator has no such webhook. Nothing was done.", "webhook", webhook,
		"a webhook of the operator");
}

static bool url_ok(
	struct gateway *gateway, struct edge_request *request, const struct webhook_body *body)
{
	const char *expected;

	if (!body->has_url ||
		webhook_url_ok(body->url, gateway->settings.webhook_internal, &expected))
		return true;
	answer_bad(request, "url", body->url, expected);
	return false;
}

static bool kinds_ok(struct edge_request *request, const struct webhook_body *body, char *array)
{
	array[0] = '\0';
	if (!body->has_kinds || webhook_kinds_read(body->kinds, array))
		return true;
	answer_bad(request, "kinds", body->kinds,
		"one or more of hit, large_win, payout, limit and game, separated by commas, each "
		"at most once");
	return false;
}

/* ---- list ---- */

static const struct list webhooks_list = { "webhooks",
	"id url kinds version old_until_us created_us created_by sent waiting oldest_us dead "
	"last_us last_good last_answer",
	0, 0, NULL };

static void on_list(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct edge_request *request = waiter_rows(waiter, result, error);

	if (request != NULL)
		list_answer(waiter->gateway, request, &webhooks_list, result, row_json);
	free(waiter);
}

void on_webhooks(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	char operator_text[16];
	const char *parameters[] = { operator_text, NULL };
	uint32_t operator_id;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!list_asked(gateway, request, &webhooks_list, &page))
		return;
	parameters[1] = asker_may_change(gateway, request, PERMIT_USERS) ? "t" : "f";
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	pg_pool_query(gateway->pg,
		"select id, case when $2::boolean then url else gateway.webhook_url_shown(url) end "
		"as url, kinds, version, " OLD_UNTIL " as old_until_us, " CREATED
		" as created_us, created_by, sent, waiting, " OLDEST " as oldest_us, dead, " LAST
		" as last_us, coalesce(last_good, false) as last_good, coalesce(last_answer, '') "
		"as last_answer from gateway.webhook_list($1::integer)",
		2, parameters, QUERY_MS, on_list,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}

/* ---- create and rotate: the secret is shown ---- */

static void secret_answer(struct change *change, struct edge_request *request, const char *webhook,
	const char *salt, uint32_t version)
{
	struct json_out *out = &change->waiter.gateway->out;
	uint8_t secret[WEBHOOK_SECRET_BYTES];
	char key[48], hex[2 * WEBHOOK_SECRET_BYTES + 1];

	webhook_secret(webhooks_key(), salt, version, secret);
	hex_format(secret, sizeof(secret), hex);
	(void)snprintf(key, sizeof(key), "%.20s.%" PRIu32, webhook, version);
	out_begin(out);
	out_open(out, NULL, '{');
	out_int(out, "id", strtoll(webhook, NULL, 10));
	out_string(out, "key", key);
	out_string(out, "secret", hex);
	out_close(out, '}');
	answer_sent(change->waiter.gateway, request, 200);
	sodium_memzero(secret, sizeof(secret));
	sodium_memzero(hex, sizeof(hex));
}

enum { MADE_ID, MADE_SALT, MADE_VERSION, MADE_KNOWN, MADE_SAME };

/* What the same request has made before is answered again, and not written down again. */
static void on_made(void *context, PGresult *result, const char *error)
{
	struct change *change = context;
	bool made = has_rows(result) && !PQgetisnull(result, 0, MADE_ID);
	bool known = made && pg_number(result, 0, MADE_KNOWN) != 0;
	const char *webhook = made ? PQgetvalue(result, 0, MADE_ID) : "new";
	struct edge_request *request =
		known ? waiter_rows(&change->waiter, result, error)
		      : changed(change, result, error, webhook, made ? 200 : 409);

	if (request != NULL && known && pg_number(result, 0, MADE_SAME) == 0)
		edge_answer_error(request, 422, "other_content",
			"This Idempotency-Key was already used for a different request. Nothing "
			"was done.",
			"Idempotency-Key", NULL, "a new key for another webhook");
	else if (request != NULL && made)
		secret_answer(change, request, webhook, PQgetvalue(result, 0, MADE_SALT),
			(uint32_t)pg_number(result, 0, MADE_VERSION));
	else if (request != NULL)
		edge_answer_error(request, 409, "webhooks_full",
			"The operator has ten webhooks already. Nothing was done.", NULL, NULL,
			NULL);
	free(change);
}

void on_webhook_new(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct webhook_body body = { 0 };
	struct change *change;
	uint32_t operator_id;
	uint8_t id[ID_BYTES], content[ID_BYTES];
	char kinds[WEBHOOK_KINDS_MAX + 2], actor[ACTOR_MAX], id_text[ID_TEXT],
		content_text[ID_TEXT];
	const char *key = edge_header(request, EDGE_IDEMPOTENCY_KEY);

	if (!auth_operator_path(gateway, request, &operator_id) ||
		(key != NULL && !auth_key(request, &key)) ||
		!answer_parse(request, webhook_fields, &body) || !url_ok(gateway, request, &body) ||
		!kinds_ok(request, &body, kinds))
		return;
	change = change_new(gateway, request, operator_id, "webhook created");
	change->body = body;
	content_make(change, &body, NULL);
	actor_of(gateway, request, operator_id, actor);
	auth_id(key == NULL ? "" : key, "webhook", id);
	content_id(gateway, &body, content);
	pg_bytea_text(id, ID_BYTES, id_text);
	pg_bytea_text(content, ID_BYTES, content_text);
	const char *parameters[] = { change->operator_text, body.url, kinds, actor,
		key == NULL ? NULL : id_text, content_text };
	pg_pool_query(gateway->pg,
		"select id, salt, version, known::integer, same::integer from "
		"gateway.webhook_ask($1::integer, $2, $3::text[], $4, $5::bytea, $6::bytea)",
		6, parameters, WRITE_MS, on_made, change);
}

static void on_rotated(void *context, PGresult *result, const char *error)
{
	struct change *change = context;
	uint32_t version = has_rows(result) ? (uint32_t)pg_number(result, 0, 1) : 0;
	uint32_t status = !has_rows(result) ? 404 : version == 0 ? 409 : 200;
	struct edge_request *request;

	if (status == 200)
		content_make(change, &change->body, result);
	request = changed(change, result, error, change->webhook, status);

	if (request != NULL && status == 200)
		secret_answer(change, request, change->webhook, PQgetvalue(result, 0, 0), version);
	else if (request != NULL && status == 404)
		webhook_unknown(request, change->webhook);
	else if (request != NULL)
		edge_answer_error(request, 409, "webhook_rotating",
			"Two secrets are in use already. Nothing was done. Wait until the old one "
			"has ended, or send \"keep_s\":0: then only the new secret is valid from "
			"now on.",
			NULL, NULL, NULL);
	free(change);
}

/* ---- change, test, end ---- */

static void on_acted(void *context, PGresult *result, const char *error)
{
	struct change *change = context;
	struct json_out *out = &change->waiter.gateway->out;
	struct edge_request *request;

	if (has_rows(result) && change->body.action != WEBHOOK_TEST)
		content_make(change, &change->body, result);
	request = changed(change, result, error, change->webhook, has_rows(result) ? 200 : 404);
	webhooks_wake();
	if (request != NULL && !has_rows(result)) {
		webhook_unknown(request, change->webhook);
	} else if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		out_int(out, "id", strtoll(change->webhook, NULL, 10));
		if (strcmp(change->action, "webhook tested") == 0)
			out_string(out, "event", PQgetvalue(result, 0, 0));
		out_close(out, '}');
		answer_sent(change->waiter.gateway, request, 200);
	}
	free(change);
}

/* One statement an action; $1 operator, $2 webhook, then what the action needs. The webhook is read
 * and locked before the change, which takes its id from there. */
#define WAS "from gateway.webhook_was($1::integer, $2::integer) w"
static const struct {
	const char *audit, *sql;
	int n;
	pg_done *done;
} actions[] = {
	[WEBHOOK_CHANGE] = { "webhook changed",
		"select d.id, w.url, w.kinds, w.version " WAS
		", lateral gateway.webhook_change($1::integer, w.id, $3, $4::text[]) d (id)",
		4, on_acted },
	[WEBHOOK_ROTATE] = { "webhook rotated",
		"select d.salt, d.version, w.url, w.kinds, w.version as was " WAS
		", lateral gateway.webhook_rotate($1::integer, w.id, $3::integer) d",
		3, on_rotated },
	[WEBHOOK_TEST] = { "webhook tested",
		"select gateway.webhook_test($1::integer, $2::integer)", 2, on_acted },
	[WEBHOOK_END] = { "webhook ended",
		"select d.id, w.url, w.kinds, w.version " WAS
		", lateral gateway.webhook_end($1::integer, w.id) d (id)",
		2, on_acted },
};

void on_webhook_action(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct webhook_body body = { 0 };
	struct change *change;
	uint32_t operator_id;
	char kinds[WEBHOOK_KINDS_MAX + 2], webhook[24], keep[24];

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!webhook_path_read(request, webhook) ||
		!answer_parse(request, webhook_action_fields, &body) ||
		!url_ok(gateway, request, &body) || !kinds_ok(request, &body, kinds))
		return;
	change = change_new(gateway, request, operator_id, actions[body.action].audit);
	(void)snprintf(change->webhook, sizeof(change->webhook), "%s", webhook);
	change->body = body;
	content_make(change, &body, NULL);
	(void)snprintf(
		keep, sizeof(keep), "%" PRId64, body.has_keep_s ? body.keep_s : KEEP_S_DEFAULT);
	const char *parameters[] = { change->operator_text, change->webhook,
		body.action == WEBHOOK_ROTATE ? keep
		: body.has_url		      ? body.url
					      : NULL,
		body.has_kinds ? kinds : NULL };
	pg_pool_query(gateway->pg, actions[body.action].sql, actions[body.action].n, parameters,
		WRITE_MS, actions[body.action].done, change);
}

/* ---- events: send again, skip ---- */

static void on_events_changed(void *context, PGresult *result, const char *error)
{
	struct change *change = context;
	struct json_out *out = &change->waiter.gateway->out;
	bool known = has_rows(result);
	struct edge_request *request =
		changed(change, result, error, change->webhook, known ? 200 : 404);

	webhooks_wake();
	if (request != NULL && !known) {
		webhook_unknown(request, change->webhook);
	} else if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		out_int(out, "events", pg_number(result, 0, 0));
		out_close(out, '}');
		answer_sent(change->waiter.gateway, request, 200);
	}
	free(change);
}

/* $1 operator, $2 webhook, $3 event or "all", $4 who asks. No row: the operator has no such
 * webhook. */
#define KNOWN " where gateway.webhook_known($1::integer, $2::integer)"
static void events_change(struct edge_request *request, struct gateway *gateway, const char *action,
	const char *sql, int parameters_n)
{
	struct webhook_body body = { 0 };
	struct change *change;
	uint32_t operator_id;
	char webhook[WEBHOOK_NUMBER_MAX], actor[ACTOR_MAX];

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!webhook_path_read(request, webhook) ||
		!answer_parse(request, webhook_events_fields, &body))
		return;
	actor_of(gateway, request, operator_id, actor);
	change = change_new(gateway, request, operator_id, action);
	(void)snprintf(change->webhook, sizeof(change->webhook), "%s", webhook);
	change->body = body;
	content_make(change, &body, NULL);
	const char *parameters[] = { change->operator_text, change->webhook, body.event, actor };
	pg_pool_query(
		gateway->pg, sql, parameters_n, parameters, WRITE_MS, on_events_changed, change);
}

void on_webhook_resend(struct edge_request *request, void *context)
{
	events_change(request, context, "webhook events sent again",
		"select gateway.webhook_resend($1::integer, $2::integer, $3)" KNOWN, 3);
}

void on_webhook_skip(struct edge_request *request, void *context)
{
	events_change(request, context, "webhook events skipped",
		"select gateway.webhook_skip($1::integer, $2::integer, $3, $4)" KNOWN, 4);
}
