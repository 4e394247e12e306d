/* The sessions of users: one's own, and those of all users for an administrator. Listed, and ended
 * one by one or together. A session is named by the first digits of the digest of its cookie. */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/row_json.h"
#include "services/gateway/adapters/staff.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_MS 3000
#define ID_DIGITS 16
#define HEX_MAX (2 * STAFF_DIGEST_BYTES + 3) /* "\x..", with the NUL */
#define ID "left(encode(s.digest, 'hex'), 16)"
#define BEGAN US("s.began")
#define SEEN US("s.seen")
#define EXPIRES US("s.expires")
/* Sessions in force of an operator ($1), of one user ($2; 0: of all), idle for less than $3 s. */
#define LIVE                                                                                       \
	"u.operator = $1::integer and ($2::integer = 0 or u.id = $2::integer) and s.ended is "     \
	"null and s.expires > now() and s.seen > now() - make_interval(secs => $3::integer) and "  \
	"u.disabled is null"

/* Who asks for which sessions: parameters of the statements, as text. */
struct asked {
	struct waiter waiter; /* first */
	uint32_t operator_id;
	char operator_text[16], staff[24], idle[24], session[HEX_MAX], which[ID_DIGITS + 1];
	bool own, keyed;	       /* keyed: a back end's key asks, which has no session */
	char name[STAFF_NAME_MAX + 1]; /* of the user who asks */
	char content[2 * REASON_MAX + 120];
};

/* `own`: the sessions of the user who asks. */
static struct asked *asked_new(
	struct gateway *gateway, struct edge_request *request, uint32_t operator_id, bool own)
{
	const struct staff_session *session = staff_session_of(gateway, request);
	struct asked *asked = waiter_new(sizeof(*asked), gateway, request, 0);

	asked->operator_id = operator_id;
	asked->own = own;
	asked->keyed = edge_header(request, EDGE_AUTHORIZATION) != NULL || session == NULL;
	(void)snprintf(asked->operator_text, sizeof(asked->operator_text), "%" PRIu32, operator_id);
	(void)snprintf(asked->staff, sizeof(asked->staff), "%" PRId64,
		own && session != NULL ? session->staff : 0);
	(void)snprintf(
		asked->idle, sizeof(asked->idle), "%" PRId64, gateway->settings.staff_idle_s);
	if (!asked->keyed) {
		pg_bytea_text(session->digest, sizeof(session->digest), asked->session);
		(void)snprintf(asked->name, sizeof(asked->name), "%s", session->name);
	}
	return asked;
}

/* ---- list ---- */

static const struct list sessions_list = { "sessions",
	"id user current began_us seen_us expires_us address agent", 512, 512, NULL };

static void on_list(void *context, PGresult *result, const char *error)
{
	struct asked *asked = context;
	struct edge_request *request = waiter_rows(&asked->waiter, result, error);

	if (request != NULL)
		list_answer(asked->waiter.gateway, request, &sessions_list, result, row_json);
	free(asked);
}

/* Newest first: by when they were last used, the order would change from page to page. */
static void list_ask(struct asked *asked, const struct list_page *page)
{
	const char *parameters[] = { asked->operator_text, asked->staff, asked->idle,
		asked->keyed ? NULL : asked->session, page->after[0], page->after[1],
		page->limit_text };

	/* From the server that takes the rows: a session that has just begun is in the list. */
	pg_pool_query(asked->waiter.gateway->pg,
		"select " ID " as id, u.name as user, coalesce(s.digest = $4::bytea, false) as "
		"current, " BEGAN " as began_us, " SEEN " as seen_us, " EXPIRES " as expires_us, "
		"s.peer as address, s.agent, (extract(epoch from s.began) * 1000000)::bigint || "
		"' ' || " ID " as _position from gateway.staff_session s join gateway.staff u on "
		"u.id = s.staff where " LIVE " and ($5::bigint is null or (extract(epoch from "
		"s.began) * 1000000, " ID ") < ($5::bigint, $6)) order by s.began desc, 1 desc "
		"limit $7::bigint",
		7, parameters, QUERY_MS, on_list, asked);
}

void on_own_sessions(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	uint32_t operator_id;

	if (auth_operator(gateway, request, 0, &operator_id) &&
		list_asked(gateway, request, &sessions_list, &page))
		list_ask(asked_new(gateway, request, operator_id, true), &page);
}

void on_user_sessions(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	uint32_t operator_id;

	if (auth_operator_path(gateway, request, &operator_id) &&
		list_asked(gateway, request, &sessions_list, &page))
		list_ask(asked_new(gateway, request, operator_id, false), &page);
}

/* ---- end ---- */

/* "others": all but the one that asks. "all": that one, too, which only its own user may. */
static bool which_read(struct edge_request *request, const char *text, bool own, char *out)
{
	bool id = strlen(text) == ID_DIGITS && strspn(text, "0123456789abcdef") == ID_DIGITS;

	if (id || strcmp(text, "others") == 0 || (own && strcmp(text, "all") == 0)) {
		(void)snprintf(out, ID_DIGITS + 1, "%s", text);
		return true;
	}
	answer_bad(request, "session", text,
		own ? "the id of a session, others, or all" : "the id of a session, or others");
	return false;
}

static bool names_one(const struct asked *asked)
{
	return strlen(asked->which) == ID_DIGITS;
}

/* Also where the client has gone; 503: it is not known whether it was done. */
static void audit(const struct asked *asked, const PGresult *result, uint32_t status)
{
	char subject[STAFF_NAME_MAX + 8];

	if (asked->own)
		(void)snprintf(subject, sizeof(subject), "user %.32s", asked->name);
	else if (status == 200 && names_one(asked))
		(void)snprintf(subject, sizeof(subject), "user %.32s", PQgetvalue(result, 0, 1));
	else
		(void)snprintf(subject, sizeof(subject), "all users");
	audit_write_of(asked->waiter.gateway, asked->waiter.ticket, asked->operator_id,
		names_one(asked) ? "session ended" : "sessions ended", subject, asked->content,
		status);
}

/* The sessions that have ended are forgotten here at once. */
static void forget(const PGresult *result)
{
	for (int i = 0; i < PQntuples(result); i++) {
		size_t length;
		uint8_t *digest = pg_bytea(result, i, 0, &length);
		if (length == STAFF_DIGEST_BYTES)
			staff_forget(digest);
		PQfreemem(digest);
	}
}

static void answer_ended(
	struct asked *asked, struct edge_request *request, const PGresult *result, bool itself)
{
	struct json_out *out = &asked->waiter.gateway->out;

	if (itself)
		staff_cookie_set(request, "", 0);
	out_begin(out);
	out_open(out, NULL, '{');
	out_uint(out, "ended", (uint64_t)PQntuples(result));
	out_close(out, '}');
	answer_sent(asked->waiter.gateway, request, 200);
}

static void on_ended(void *context, PGresult *result, const char *error)
{
	struct asked *asked = context;
	bool rows = result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK;
	bool none = rows && PQntuples(result) == 0 && names_one(asked), itself = false;
	struct edge_request *request;

	audit(asked, result, !rows ? 503 : none ? 404 : 200);
	for (int i = 0; rows && i < PQntuples(result); i++)
		itself = itself || strcmp(PQgetvalue(result, i, 2), "t") == 0;
	if (rows)
		forget(result);
	request = waiter_rows(&asked->waiter, result, error);
	if (request != NULL && none)
		edge_answer_error(request, 404, "session_unknown",
			"No such session of a user is open. Nothing was done.", "session",
			asked->which, "the id of an open session");
	else if (request != NULL)
		answer_ended(asked, request, result, itself);
	free(asked);
}

static void end(struct asked *asked, const char *reason)
{
	struct gateway *gateway = asked->waiter.gateway;
	struct json_out *out = &gateway->out;
	const char *parameters[] = { asked->operator_text, asked->staff, asked->idle,
		asked->keyed ? NULL : asked->session, asked->which };

	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "session", asked->which);
	if (reason != NULL)
		out_string(out, "reason", reason);
	out_close(out, '}');
	(void)snprintf(asked->content, sizeof(asked->content), "%.*s", (int)out->n, out->bytes);
	pg_pool_query(gateway->pg,
		"update gateway.staff_session s set ended = now() from gateway.staff u where u.id = "
		"s.staff and " LIVE " and (" ID " = $5 or $5 = 'all' or "
		"($5 = 'others' and s.digest is distinct from $4::bytea)) returning s.digest, "
		"u.name, coalesce(s.digest = $4::bytea, false)",
		5, parameters, WRITE_MS, on_ended, asked);
}

void on_own_session_end(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	char which[ID_DIGITS + 1];
	uint32_t operator_id;
	struct asked *asked;

	if (!auth_operator(gateway, request, 0, &operator_id) ||
		!which_read(request, edge_parameter(request, 0), true, which))
		return;
	asked = asked_new(gateway, request, operator_id, true);
	memcpy(asked->which, which, sizeof(which));
	end(asked, NULL);
}

void on_user_session_end(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct reason_body body = { 0 };
	char which[ID_DIGITS + 1];
	uint32_t operator_id;
	struct asked *asked;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!answer_parse(request, reason_fields, &body) ||
		!which_read(request, edge_parameter(request, 1), false, which))
		return;
	asked = asked_new(gateway, request, operator_id, false);
	memcpy(asked->which, which, sizeof(which));
	end(asked, body.reason);
}
