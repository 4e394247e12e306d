/* Users of the operator's side, as an administrator lists, creates and changes them. A new user and
 * a reset one get a password that is shown once and must be changed. A back end's key neither makes
 * nor resets users and gives no roles: whoever holds it would be a second person. */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/row_json.h"
#include "services/gateway/adapters/staff.h"

#include "libcommon/io/log.h"

#include <jansson.h>
#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_MS 3000

/* Parts of the statements that change a user, $1 operator and $2 name: the user as they were,
 * locked until the change is done; the end of their sessions; what is returned. */
#define WAS                                                                                        \
	"with was as materialized (select s.id, s.roles, case when s.disabled is not null then "   \
	"'disabled' when s.locked_until > now() then 'locked' else 'active' end as state, "        \
	"(s.totp is not null)::integer as totp, (select count(*) from gateway.staff_session o "    \
	"where o.staff = s.id and o.ended is null and o.expires > now()) as sessions from "        \
	"gateway.staff s where s.operator = $1::integer and s.name = $2 for update of s), "
#define ENDED                                                                                      \
	"e as (update gateway.staff_session o set ended = now() from was where o.staff = was.id "  \
	"and o.ended is null) "
#define TOLD "select u.roles, was.roles, was.state, was.totp, was.sessions from u, was"

struct change {
	struct waiter waiter; /* first */
	uint32_t operator_id;
	struct staff_body body;
	role_set roles;
	char actor[ACTOR_MAX];
	char password[PASSWORD_INVENTED_MAX]; /* "": none was made */
};

static void change_free(struct change *change)
{
	sodium_memzero(change, sizeof(*change));
	free(change);
}

/* ---- list ---- */

static void user_json(struct json_out *out, const PGresult *result, int row)
{
	out_open(out, NULL, '{');
	out_string(out, "name", PQgetvalue(result, row, 0));
	staff_roles_json(out, (role_set)pg_number(result, row, 1));
	out_bool(out, "disabled", pg_number(result, row, 2) != 0);
	out_uint(out, "locked_until_us", (uint64_t)pg_number(result, row, 3));
	out_bool(out, "second_factor", pg_number(result, row, 4) != 0);
	out_bool(out, "must_change", pg_number(result, row, 5) != 0);
	out_uint(out, "created_us", (uint64_t)pg_number(result, row, 6));
	out_string(out, "created_by", PQgetvalue(result, row, 7));
	out_uint(out, "sessions", (uint64_t)pg_number(result, row, 8));
	out_uint(out, "seen_us", (uint64_t)pg_number(result, row, 9));
	out_close(out, '}');
}

static const struct list users_list = { "users",
	"name roles disabled locked_until_us second_factor must_change created_us created_by "
	"sessions seen_us",
	1000, 1000, NULL };

static void on_list(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct edge_request *request = waiter_rows(waiter, result, error);

	if (request != NULL)
		list_answer(waiter->gateway, request, &users_list, result, user_json);
	free(waiter);
}

void on_staff_list(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	char operator_text[16];
	uint32_t operator_id;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!list_asked(gateway, request, &users_list, &page))
		return;
	const char *parameters[] = { operator_text, page.after[0], page.limit_text };
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	pg_pool_query(gateway->pg,
		"select u.name, u.roles, (u.disabled is not null)::integer, case when "
		"u.locked_until > now() then " US(
			"u.locked_until") " else 0 end, "
					  "(u.totp is not null)::integer, u.must_change::integer, " US(
						  "u.created") ", u.created_by, count(s.digest) filter (where s.ended is null and s.expires > "
							       "now()), " US(
								       "max(s.seen)") ", u.name from gateway.staff u left join "
										      "gateway.staff_session s on s.staff = u.id where u.operator = $1::integer "
										      "and ($2::text is null or u.name > $2) group by u.id order by u.name limit "
										      "$3::bigint",
		3, parameters, QUERY_MS, on_list,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}

/* ---- changes ---- */

static bool roles_ok(struct edge_request *request, const char *text, role_set *roles_r)
{
	const role_set both = 1U << ROLE_FINANCE | 1U << ROLE_JACKPOTS;

	if (roles_read(text, roles_r) &&
		((*roles_r & 1U << ROLE_ADMINISTRATOR) == 0 || (*roles_r & both) == 0))
		return true;
	answer_bad(request, "roles", text,
		"viewer, support, finance, jackpots, administrator, separated by commas; "
		"administrator not together with finance or jackpots");
	return false;
}

static bool name_ok(struct edge_request *request, const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-");

	if (name[0] != '\0' && name[length] == '\0' && length <= STAFF_NAME_MAX &&
		strchr("._-", name[0]) == NULL)
		return true;
	answer_bad(request, "name", name,
		"1 to 32 of a-z, 0-9, \".\", \"_\" and \"-\", beginning with a letter or digit");
	return false;
}

static struct change *change_new(
	struct gateway *gateway, struct edge_request *request, const struct staff_body *body)
{
	struct change *change = waiter_new(sizeof(*change), gateway, request, 0);

	change->body = *body;
	return change;
}

static json_t *roles_of(role_set roles)
{
	json_t *names = json_array();

	for (size_t role = 0; role < ROLES_N; role++)
		if ((roles & 1U << role) != 0)
			(void)json_array_append_new(names, json_string(role_names[role]));
	return names;
}

/* Columns of what a change returns, behind the roles now: how the user was before it. */
enum { NOW_ROLES, WAS_ROLES, WAS_STATE, WAS_TOTP, WAS_SESSIONS };

/* What was before a change that was done, and what is after it, for the audit log. */
static void told_changes(json_t *content, enum staff_action action, const PGresult *result)
{
	const char *state = PQgetvalue(result, 0, WAS_STATE);
	json_t *before = json_object(), *after = json_object();

	if (action == STAFF_ROLES) {
		json_object_set_new(
			before, "roles", roles_of((role_set)pg_number(result, 0, WAS_ROLES)));
		json_object_set_new(
			after, "roles", roles_of((role_set)pg_number(result, 0, NOW_ROLES)));
	} else if (action == STAFF_END_SESSIONS) {
		json_object_set_new(
			before, "sessions", json_integer(pg_number(result, 0, WAS_SESSIONS)));
		json_object_set_new(after, "sessions", json_integer(0));
	} else {
		bool off = action == STAFF_DISABLE ||
			   (action == STAFF_RESET && strcmp(state, "disabled") == 0);
		json_object_set_new(before, "state", json_string(state));
		json_object_set_new(after, "state", json_string(off ? "disabled" : "active"));
	}
	if (action == STAFF_RESET) {
		json_object_set_new(
			before, "second_factor", json_boolean(pg_number(result, 0, WAS_TOTP) != 0));
		json_object_set_new(after, "second_factor", json_false());
		json_object_set_new(after, "password", json_string("to be changed"));
	}
	json_object_set_new(content, "before", before);
	json_object_set_new(content, "after", after);
}

/* `result`: of a change that was done, else NULL. Also where the client has gone; 503: it is not
 * known whether it was done. */
static void audit_change(const struct change *change, const PGresult *result, uint32_t status)
{
	static const char *const actions[] = { "user roles", "user reset", "user disabled",
		"user enabled", "user sessions ended" };
	const struct staff_body *body = &change->body;
	char subject[STAFF_NAME_MAX + 8], *text;
	json_t *content = json_object();

	if (!body->has_action || body->action == STAFF_ROLES)
		json_object_set_new(content, "roles", roles_of(change->roles));
	if (body->has_action)
		json_object_set_new(content, "reason", json_string(body->reason));
	if (result != NULL && body->has_action)
		told_changes(content, (enum staff_action)body->action, result);
	text = json_dumps(content, JSON_COMPACT);
	json_decref(content);
	(void)snprintf(subject, sizeof(subject), "user %.32s", body->name);
	audit_write_of(change->waiter.gateway, change->waiter.ticket, change->operator_id,
		body->has_action ? actions[body->action] : "user created", subject,
		text == NULL ? "{}" : text, status);
	free(text);
}

static void on_changed(void *context, PGresult *result, const char *error)
{
	struct change *change = context;
	struct gateway *gateway = change->waiter.gateway;
	struct json_out *out = &gateway->out;
	struct edge_request *request = waiter_rows(&change->waiter, result, error);
	bool made = !change->body.has_action;
	bool found = request != NULL && PQntuples(result) == 1;
	bool rows = result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK;

	audit_change(change, rows && PQntuples(result) == 1 ? result : NULL,
		!rows			 ? 503
		: PQntuples(result) == 1 ? 200
					 : 409);
	if (request == NULL)
		goto out;
	if (!found && made) {
		edge_answer_error(request, 409, "user_exists",
			"A user of this name exists already. Nothing was done.", "name",
			change->body.name, "a new name");
	} else if (!found) {
		edge_answer_error(request, 404, "user_unknown",
			"This user does not exist. Nothing was done.", "user", change->body.name,
			"a user of the operator");
	} else {
		out_begin(out);
		out_open(out, NULL, '{');
		out_string(out, "name", change->body.name);
		staff_roles_json(out, (role_set)pg_number(result, 0, 0));
		if (change->password[0] != '\0')
			out_string(out, "password", change->password);
		out_close(out, '}');
		answer_sent(gateway, request, 200);
	}
out:
	change_free(change);
}

static void on_hashed(void *context, bool ok, const char *hash)
{
	struct change *change = context;
	struct gateway *gateway = change->waiter.gateway;
	struct edge_request *request = edge_find(gateway->edge, change->waiter.ticket);
	char operator_text[16], roles[16];
	const char *parameters[] = { operator_text, change->body.name, hash, roles, change->actor };
	const char *again[] = { operator_text, change->body.name, hash };

	if (request == NULL || !ok) {
		if (request != NULL)
			answer_unavailable(request, "a password could not be hashed");
		change_free(change);
		return;
	}
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, change->operator_id);
	(void)snprintf(roles, sizeof(roles), "%" PRIu32, change->roles);
	if (change->body.has_action)
		pg_pool_query(gateway->pg,
			WAS "u as (update gateway.staff t set password = $3, must_change = true, "
			    "totp = null, recovery = '{}', failures = 0, locked_until = null from "
			    "was where t.id = was.id returning t.roles), " ENDED TOLD,
			3, again, WRITE_MS, on_changed, change);
	else
		pg_pool_query(gateway->pg,
			"insert into gateway.staff (operator, name, password, roles, created_by) "
			"values ($1::integer, $2, $3, $4::integer, $5) on conflict do nothing "
			"returning roles",
			5, parameters, WRITE_MS, on_changed, change);
}

static void password_give(struct change *change, struct edge_request *request)
{
	password_invent(change->password);
	if (password_make(staff_passwords, change->password, on_hashed, change))
		return;
	edge_answer_error(request, 503, "not_available",
		"Too many passwords are being set. Nothing was done. Try again.", NULL, NULL, NULL);
	change_free(change);
}

/* Frees the change if it is refused. */
static bool refused_to_key(struct change *change, struct edge_request *request)
{
	const struct staff_body *body = &change->body;

	if (staff_session_of(change->waiter.gateway, request) != NULL ||
		(body->has_action && body->action != STAFF_ROLES && body->action != STAFF_RESET))
		return false;
	audit_change(change, NULL, 403);
	wrong_denied(request, "not_permitted");
	edge_answer_error(request, 403, "not_permitted",
		"Only an administrator with a session makes or resets users and gives them roles, "
		"not a back end with a key: its holder would be a second person. Nothing was done.",
		"Authorization", "the key of a back end", "a session of the console");
	change_free(change);
	return true;
}

void on_staff_new(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct staff_body body = { 0 };
	struct change *change;
	uint32_t operator_id;
	role_set roles;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!answer_parse(request, staff_fields, &body) || !name_ok(request, body.name) ||
		!roles_ok(request, body.roles, &roles))
		return;
	change = change_new(gateway, request, &body);
	change->operator_id = operator_id;
	change->roles = roles;
	if (refused_to_key(change, request))
		return;
	actor_of(gateway, request, operator_id, change->actor);
	password_give(change, request);
}

/* One statement an action; $1 operator, $2 name, $3 roles. */
static const char *const statements[] = {
	[STAFF_ROLES] = WAS "u as (update gateway.staff t set roles = $3::integer from was where "
			    "t.id = was.id returning t.roles) " TOLD,
	[STAFF_DISABLE] = WAS "u as (update gateway.staff t set disabled = coalesce(t.disabled, "
			      "now()) from was where t.id = was.id and $3::integer is not null "
			      "returning t.roles), " ENDED TOLD,
	[STAFF_ENABLE] = WAS "u as (update gateway.staff t set disabled = null, failures = 0, "
			     "locked_until = null from was where t.id = was.id and $3::integer is "
			     "not null returning t.roles) " TOLD,
	[STAFF_END_SESSIONS] =
		WAS "u as (select roles from was where $3::integer is not null), " ENDED TOLD,
};

/* Nobody changes their own roles or disables themselves: an operator keeps an administrator. */
static bool own_user(
	const struct gateway *gateway, struct edge_request *request, const struct staff_body *body)
{
	const struct staff_session *session = staff_session_of(gateway, request);

	if (session == NULL || strcmp(session->name, body->name) != 0 ||
		body->action == STAFF_END_SESSIONS)
		return false;
	edge_answer_error(request, 409, "own_user",
		"Users cannot change their own roles or state. Another administrator can.", "user",
		body->name, "another user");
	return true;
}

void on_staff_action(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct staff_body body = { 0 };
	struct change *change;
	char operator_text[16], roles_text[16];
	uint32_t operator_id;
	role_set roles = 0;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!answer_parse(request, staff_action_fields, &body))
		return;
	(void)snprintf(body.name, sizeof(body.name), "%.32s", edge_parameter(request, 1));
	if (!name_ok(request, edge_parameter(request, 1)) || own_user(gateway, request, &body) ||
		(body.action == STAFF_ROLES && !roles_ok(request, body.roles, &roles)))
		return;
	change = change_new(gateway, request, &body);
	change->operator_id = operator_id;
	change->roles = roles;
	if (refused_to_key(change, request))
		return;
	if (body.action == STAFF_RESET) {
		password_give(change, request);
		return;
	}
	const char *parameters[] = { operator_text, change->body.name, roles_text };
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	(void)snprintf(roles_text, sizeof(roles_text), "%" PRIu32, roles);
	pg_pool_query(
		gateway->pg, statements[body.action], 3, parameters, WRITE_MS, on_changed, change);
}
