/* Keys of back ends as an operator's administrators see them: list, create, rotate with an overlap,
 * end. A key is shown once, when it is made; the database has its digest. */
#include "services/gateway/adapters/amounts.h"
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/row_json.h"
#include "services/gateway/adapters/staff.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_MS 3000
#define KEY_BYTES 32
#define KEY_TEXT_MAX (2 * KEY_BYTES + 1)
#define DIGEST_BYTES 32
#define DIGEST_TEXT_MAX (2 * DIGEST_BYTES + 3) /* "\x..", with the NUL */
#define KEY_ID_MAX 9			       /* the digest's first eight digits */
#define KEEP_S_DEFAULT 86400
#define CONTENT_MAX 2400
/* Of the list, as key_json reads them. */
#define COLUMNS                                                                                    \
	"left(encode(k.digest, 'hex'), 8), k.note, case when k.revoked is not null then 'ended' "  \
	"when k.expires <= now() then 'expired' else 'active' end, case when k.read_only then "    \
	"'read' else k.scopes end, k.amounts, k.pools, " US("k.created") ", k.created_by, " US(    \
		"k.used") ", " US("k.expires") ", " US("k.revoked") ", "                           \
								    "coalesce(left(encode(k.successor, 'hex'), 8), '')"

/* When the key of key_was was to end, and when it is to end now that it has so many seconds left.
 */
#define WAS_AND_IS(keep_s)                                                                         \
	US("w.expires")                                                                            \
	", " US("least(w.expires, now() + make_interval(secs => " keep_s "))") " as is_us"

#define IN_FORCE "(k.revoked is null and coalesce(k.expires > now(), true))"

struct change {
	struct waiter waiter; /* first */
	uint32_t operator_id;
	struct key_body body;
	char operator_text[16], id[KEY_ID_MAX], actor[ACTOR_MAX];
	char made[KEY_ID_MAX];	 /* id of the new key */
	char text[KEY_TEXT_MAX]; /* the new key; "": none */
	char content[CONTENT_MAX];
};

static void change_free(struct change *change)
{
	sodium_memzero(change, sizeof(*change));
	free(change);
}

/* ---- list ---- */

static void kinds_json(struct json_out *out, const struct scope *scope)
{
	out_open(out, "scopes", '[');
	for (size_t kind = 0; kind < SCOPE_KINDS_N; kind++)
		if (scope_has(scope, (enum scope_kind)kind))
			out_string(out, NULL, scope_kind_names[kind]);
	out_close(out, ']');
	out_bool(out, "unlimited", !scope_is_limited(scope));
}

static void text_or_null(
	struct json_out *out, const char *name, const PGresult *result, int row, int column)
{
	if (PQgetisnull(result, row, column))
		out_null(out, name);
	else
		out_string(out, name, PQgetvalue(result, row, column));
}

static void key_json(struct json_out *out, const PGresult *result, int row)
{
	struct scope scope = { .by_amount = !PQgetisnull(result, row, 4),
		.by_pool = !PQgetisnull(result, row, 5) };

	/* Scopes that cannot be read open nothing. */
	if (!PQgetisnull(result, row, 3) && !scope_kinds_read(PQgetvalue(result, row, 3), &scope))
		scope.kinds = 0;
	out_open(out, NULL, '{');
	out_string(out, "id", PQgetvalue(result, row, 0));
	out_string(out, "name", PQgetvalue(result, row, 1));
	out_string(out, "state", PQgetvalue(result, row, 2));
	kinds_json(out, &scope);
	text_or_null(out, "amounts", result, row, 4);
	text_or_null(out, "pools", result, row, 5);
	out_bool(out, "in_file", false);
	out_uint(out, "created_us", (uint64_t)pg_number(result, row, 6));
	out_string(out, "created_by", PQgetvalue(result, row, 7));
	out_uint(out, "used_us", (uint64_t)pg_number(result, row, 8));
	out_uint(out, "expires_us", (uint64_t)pg_number(result, row, 9));
	out_uint(out, "ended_us", (uint64_t)pg_number(result, row, 10));
	out_string(out, "successor", PQgetvalue(result, row, 11));
	out_close(out, '}');
}

static void id_of(const struct operator_key *key, char out[KEY_ID_MAX])
{
	(void)sodium_bin2hex(out, KEY_ID_MAX, key->digest, KEY_ID_MAX / 2);
}

/* The key of a file has no limits, and no row. */
static void file_json(struct json_out *out, const struct operator_key *key)
{
	char id[KEY_ID_MAX], name[32];

	id_of(key, id);
	(void)snprintf(name, sizeof(name), "operator-%" PRIu32 ".key", key->id);
	out_open(out, NULL, '{');
	out_string(out, "id", id);
	out_string(out, "name", name);
	out_string(out, "state", "active");
	kinds_json(out, &key->scope);
	out_null(out, "amounts");
	out_null(out, "pools");
	out_bool(out, "in_file", true);
	out_uint(out, "created_us", 0);
	out_string(out, "created_by", "");
	out_uint(out, "used_us", 0);
	out_uint(out, "expires_us", 0);
	out_uint(out, "ended_us", 0);
	out_string(out, "successor", "");
	out_close(out, '}');
}

static const struct list keys_list = { "keys",
	"id name state scopes unlimited amounts pools in_file created_us created_by used_us "
	"expires_us ended_us successor",
	200, 200, NULL };

struct view {
	struct waiter waiter; /* first */
	uint32_t operator_id;
	bool first; /* the first page: keys in files come with it, before the others */
};

static void on_list(void *context, PGresult *result, const char *error)
{
	struct view *view = context;
	struct gateway *gateway = view->waiter.gateway;
	struct json_out *out = &gateway->out;
	struct edge_request *request = waiter_rows(&view->waiter, result, error);

	if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, "keys", '[');
		for (size_t i = 0; view->first && i < operator_keys_files(); i++)
			if (gateway->operators[i].id == view->operator_id)
				file_json(out, &gateway->operators[i]);
		for (int i = 0; i < PQntuples(result); i++)
			key_json(out, result, i);
		out_close(out, ']');
		list_end(gateway, request, &keys_list,
			list_next(request, &keys_list, result, PQntuples(result)));
	}
	free(view);
}

void on_keys(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	char operator_text[16];
	uint32_t operator_id;
	struct view *view;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!list_asked(gateway, request, &keys_list, &page))
		return;
	const char *parameters[] = { operator_text, page.after[0], page.after[1], page.after[2],
		page.limit_text };
	view = waiter_new(sizeof(*view), gateway, request, 0);
	view->operator_id = operator_id;
	view->first = page.after[0] == NULL;
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	/* From the server that takes the rows: a key that was made just now is in the list. */
	pg_pool_query(gateway->pg,
		"select " COLUMNS ", " IN_FORCE
		" || ' ' || (extract(epoch from k.created) * 1000000)::bigint || ' ' || "
		"left(encode(k.digest, 'hex'), 8) from gateway.operator_key k where k.operator = "
		"$1::integer and ($2::boolean is null or (" IN_FORCE
		", extract(epoch from k.created) * 1000000, left(encode(k.digest, 'hex'), 8)) < "
		"($2::boolean, $3::bigint, $4)) order by " IN_FORCE
		" desc, k.created desc, 1 desc limit $5::bigint",
		5, parameters, QUERY_MS, on_list, view);
}

/* ---- what a key may be ---- */

/* An empty text is NULL: not limited. */
static const char *or_null(const char *text)
{
	return text[0] == '\0' ? NULL : text;
}

static bool limits_ok(struct edge_request *request, struct key_body *body)
{
	struct scope scope = { 0 };

	if (strcmp(body->scopes, "all") == 0)
		body->scopes[0] = '\0';
	else if (!scope_kinds_read(body->scopes, &scope)) {
		answer_bad(request, "scopes", body->scopes,
			"all, or names of read, players, money and pools, separated by commas, each "
			"once");
		return false;
	}
	if (body->has_amounts &&
		(!scope_amounts_read(body->amounts, &scope) || !scope_has(&scope, SCOPE_MONEY))) {
		answer_bad(request, "amounts", body->amounts,
			"with the scope money: up to 16 currencies, each once, with an amount in "
			"minor units, such as EUR:50000,SEK:600000");
		return false;
	}
	for (size_t i = 0; i < scope.amounts_n; i++)
		if (!amounts_alone(scope.amounts[i].currency, scope.amounts[i].minor)) {
			answer_bad(request, "amounts", body->amounts,
				"amounts that one may book alone (GATEWAY_APPROVE_ABOVE); larger "
				"ones are given by jackpotctl key add");
			return false;
		}
	if (body->has_pools &&
		(!scope_pools_read(body->pools, &scope) ||
			(!scope_has(&scope, SCOPE_POOLS) && !scope_has(&scope, SCOPE_READ)))) {
		answer_bad(request, "pools", body->pools,
			"with the scope pools or read: the numbers of up to 32 pools and sets, each "
			"once, such as 1,4");
		return false;
	}
	return true;
}

/* ---- changes ---- */

/* As the audit log and the console tell amounts. */
static void amounts_json(struct json_out *out, const char *amounts)
{
	struct scope scope = { 0 };

	(void)scope_amounts_read(amounts, &scope);
	out_open(out, "amounts", '[');
	for (size_t i = 0; i < scope.amounts_n; i++) {
		out_open(out, NULL, '{');
		out_int(out, "amount_minor", scope.amounts[i].minor);
		out_string(out, "currency", scope.amounts[i].currency->code);
		out_close(out, '}');
	}
	out_close(out, ']');
}

/* One side of a change, as the audit log tells it. */
static void side_json(
	struct json_out *out, const struct change *change, const char *side, const PGresult *result)
{
	bool after = strcmp(side, "after") == 0;
	int64_t expires_us = pg_number(result, 0, PQnfields(result) - (after ? 1 : 2));

	out_open(out, side, '{');
	out_string(out, "state", after && change->body.action == KEY_REVOKE ? "ended" : "active");
	if (expires_us == 0)
		out_null(out, "expires_us");
	else
		out_int(out, "expires_us", expires_us);
	out_close(out, '}');
}

/* What the audit log says of the request; and, of a change that was done, what was before it and is
 * after it: the last two columns of `was`. */
static void content_make(struct change *change, const PGresult *was)
{
	struct json_out *out = &change->waiter.gateway->out;
	const struct key_body *body = &change->body;

	out_begin(out);
	out_open(out, NULL, '{');
	if (body->has_name) {
		out_string(out, "name", body->name);
		out_string(out, "scopes", body->scopes[0] == '\0' ? "all" : body->scopes);
	}
	if (body->has_amounts)
		amounts_json(out, body->amounts);
	if (body->has_pools)
		out_string(out, "pools", body->pools);
	if (body->has_days)
		out_int(out, "days", body->days);
	if (body->has_keep_s)
		out_int(out, "keep_s", body->keep_s);
	if (change->made[0] != '\0' && body->has_action)
		out_string(out, "successor", change->made);
	out_string(out, "reason", body->reason);
	if (was != NULL) {
		side_json(out, change, "before", was);
		side_json(out, change, "after", was);
	}
	out_close(out, '}');
	(void)snprintf(change->content, sizeof(change->content), "%.*s", (int)out->n, out->bytes);
}

static struct change *change_new(struct gateway *gateway, struct edge_request *request,
	uint32_t operator_id, const struct key_body *body)
{
	struct change *change = waiter_new(sizeof(*change), gateway, request, 0);

	change->operator_id = operator_id;
	change->body = *body;
	actor_of(gateway, request, operator_id, change->actor);
	(void)snprintf(
		change->operator_text, sizeof(change->operator_text), "%" PRIu32, operator_id);
	return change;
}

/* Invents the key; `digest_r` is its digest as the statement wants it. */
static void key_invent(struct change *change, char digest_r[DIGEST_TEXT_MAX])
{
	uint8_t bytes[KEY_BYTES], digest[DIGEST_BYTES];

	randombytes_buf(bytes, sizeof(bytes));
	(void)sodium_bin2hex(change->text, sizeof(change->text), bytes, sizeof(bytes));
	(void)crypto_hash_sha256(digest, (const unsigned char *)change->text, strlen(change->text));
	(void)sodium_bin2hex(change->made, sizeof(change->made), digest, KEY_ID_MAX / 2);
	pg_bytea_text(digest, sizeof(digest), digest_r);
	sodium_memzero(bytes, sizeof(bytes));
}

/* Writes the line of the audit log, also where the client has gone; 503: it is not known whether it
 * was done. NULL: nothing is to be answered any more. `status` holds if the query gave rows. */
static struct edge_request *changed(
	struct change *change, const PGresult *result, const char *error, uint32_t status)
{
	static const char *const actions[] = { "key rotated", "key expires", "key ended" };
	bool rows = result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK;
	char subject[KEY_ID_MAX + 8];

	(void)snprintf(subject, sizeof(subject), "key %.8s",
		change->body.has_action ? change->id : change->made);
	audit_write_of(change->waiter.gateway, change->waiter.ticket, change->operator_id,
		change->body.has_action ? actions[change->body.action] : "key created", subject,
		change->content, rows ? status : 503);
	return waiter_rows(&change->waiter, result, error);
}

static void answer_refused(struct change *change, struct edge_request *request, const char *verdict)
{
	if (strcmp(verdict, "full") == 0)
		edge_answer_error(request, 409, "keys_full",
			"The operator has twenty keys in force already. Nothing was done.", NULL,
			NULL, NULL);
	else if (strcmp(verdict, "rotated") == 0)
		edge_answer_error(request, 409, "key_rotated",
			"Another key replaces this one already. Nothing was done.", "key",
			change->id, "a key without a successor");
	else if (strcmp(verdict, "exists") == 0)
		edge_answer_error(request, 409, "key_exists",
			"The operator has a key of this name already. Nothing was done.", "name",
			change->body.name, "a new name");
	else
		edge_answer_error(request, 404, "key_unknown",
			"The operator has no such key in force. Nothing was done.", "key",
			change->id, "the id of a key in force");
}

static uint32_t verdict_status(const char *verdict)
{
	if (strcmp(verdict, "made") == 0)
		return 200;
	return strcmp(verdict, "unknown") == 0 ? 404 : 409;
}

static void answer_key(struct change *change, struct edge_request *request, const char *name)
{
	struct json_out *out = &change->waiter.gateway->out;

	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "id", change->text[0] != '\0' ? change->made : change->id);
	out_string(out, "name", name);
	if (change->text[0] != '\0')
		out_string(out, "key", change->text);
	out_close(out, '}');
	answer_sent(change->waiter.gateway, request, 200);
	if (change->text[0] != '\0')
		sodium_memzero(out->bytes, out->n);
}

/* Of key_new and key_rotate: a verdict, and the key's name. */
static void on_made(void *context, PGresult *result, const char *error)
{
	struct change *change = context;
	bool rows = result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK;
	const char *verdict = rows ? PQgetvalue(result, 0, 0) : "";
	struct edge_request *request;

	if (change->body.has_action && strcmp(verdict, "made") == 0)
		content_make(change, result);
	request = changed(change, result, error, verdict_status(verdict));
	if (request != NULL && strcmp(verdict, "made") == 0)
		answer_key(change, request, PQgetvalue(result, 0, 1));
	else if (request != NULL)
		answer_refused(change, request, verdict);
	change_free(change);
}

static void on_ended(void *context, PGresult *result, const char *error)
{
	struct change *change = context;
	bool found = result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK &&
		     PQntuples(result) > 0;
	struct edge_request *request;

	if (found)
		content_make(change, result);
	request = changed(change, result, error, found ? 200 : 404);
	if (request != NULL && found)
		answer_key(change, request, PQgetvalue(result, 0, 0));
	else if (request != NULL)
		answer_refused(change, request, "unknown");
	change_free(change);
}

void on_key_new(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct key_body body = { 0 };
	char digest[DIGEST_TEXT_MAX], days[24], maker[DIGEST_TEXT_MAX];
	uint32_t operator_id;
	struct change *change;
	struct asker asker;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!answer_parse(request, key_fields, &body) || !limits_ok(request, &body))
		return;
	(void)asker_of(gateway, request, &asker);
	pg_bytea_text(asker.digest, sizeof(asker.digest), maker);
	change = change_new(gateway, request, operator_id, &body);
	content_make(change, NULL);
	key_invent(change, digest);
	(void)snprintf(days, sizeof(days), "%" PRId64, body.days);
	const char *parameters[] = { change->operator_text, digest, change->body.name,
		or_null(change->body.scopes), or_null(change->body.amounts),
		or_null(change->body.pools), body.has_days ? days : NULL, change->actor, maker };
	pg_pool_query(gateway->pg,
		"select gateway.key_new($1::integer, $2::bytea, $3, $4, $5, $6, $7::integer, $8, "
		"$9::bytea), $3::text",
		9, parameters, WRITE_MS, on_made, change);
}

/* True when 409 was answered: the key is in a file, so only the file can end it. */
static bool in_file(const struct gateway *gateway, struct edge_request *request, const char *id)
{
	for (size_t i = 0; i < operator_keys_files(); i++) {
		char file[KEY_ID_MAX];
		id_of(&gateway->operators[i], file);
		if (strcmp(file, id) != 0)
			continue;
		edge_answer_error(request, 409, "key_in_file",
			"This key is in a file of the gateways. Nothing was done. Replace the file "
			"and restart the gateways.",
			"key", id, "a key that is not in a file");
		return true;
	}
	return false;
}

static bool id_ok(struct edge_request *request, const char *id)
{
	if (strlen(id) == KEY_ID_MAX - 1 && strspn(id, "0123456789abcdef") == KEY_ID_MAX - 1)
		return true;
	answer_bad(request, "key", id, "the id of a key: eight lower-case hex digits");
	return false;
}

void on_key_action(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct key_body body = { .keep_s = KEEP_S_DEFAULT };
	char digest[DIGEST_TEXT_MAX], keep[24], days[24];
	const char *id = edge_parameter(request, 1);
	uint32_t operator_id;
	struct change *change;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!answer_parse(request, key_action_fields, &body) || !id_ok(request, id) ||
		in_file(gateway, request, id))
		return;
	change = change_new(gateway, request, operator_id, &body);
	(void)snprintf(change->id, sizeof(change->id), "%.8s", id);
	(void)snprintf(keep, sizeof(keep), "%" PRId64, body.keep_s);
	(void)snprintf(days, sizeof(days), "%" PRId64, body.days);
	if (body.action == KEY_ROTATE) {
		key_invent(change, digest);
		change->body.has_keep_s = true;
		content_make(change, NULL);
		const char *parameters[] = { change->operator_text, change->id, digest, keep,
			body.has_days ? days : NULL, change->actor };
		pg_pool_query(gateway->pg,
			"select r.verdict, r.name, " WAS_AND_IS(
				"$4::integer") " from gateway.key_was($1::integer, $2) w, lateral "
					       "gateway.key_rotate($1::integer, w.id, $3::bytea, "
					       "$4::integer, $5::integer, $6) r",
			6, parameters, WRITE_MS, on_made, change);
		return;
	}
	content_make(change, NULL);
	const char *parameters[] = { change->operator_text, change->id,
		body.action == KEY_REVOKE ? NULL : keep };
	pg_pool_query(gateway->pg,
		"select e.name, " WAS_AND_IS(
			"$3::integer") " from gateway.key_was($1::integer, $2) w, lateral "
				       "gateway.key_end($1::integer, w.id, $3::integer) e (name)",
		3, parameters, WRITE_MS, on_ended, change);
}
