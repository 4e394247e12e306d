/* Login, logout, and what users change of their own: password and second factor. */
#include "services/gateway/adapters/staff.h"

#include "libcommon/base/hex.h"
#include "libcommon/edge/totp.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_MS 3000
#define LOCK_AFTER "3"
#define COOKIE_BYTES 32
#define AGENT_MAX 201
#define COOKIE_MAX 48 /* as base64, with the NUL */
#define RECOVERY_N 10
#define RECOVERY_DIGITS 24 /* of 31: 118 bits, so that a digest without a salt tells nothing */
#define HEX_MAX (2 * STAFF_DIGEST_BYTES + 3) /* "\x..", with the NUL */

/* A login, or another proof of the password, on its way. */
struct entry {
	struct waiter waiter; /* first */
	uint32_t operator_id;
	int64_t staff; /* 0: nobody has the name */
	char name[STAFF_NAME_MAX + 1];
	char password[SECRET_MAX + 1], fresh[SECRET_MAX + 1], code[STAFF_NAME_MAX + 1];
	uint8_t totp[TOTP_BYTES];
	bool has_totp, locked;
	bool weak; /* nobody may choose this password any more */
	uint64_t last_step;
	uint8_t session[STAFF_DIGEST_BYTES]; /* that asks; of a login: that begins */
	char cookie[COOKIE_MAX], csrf[COOKIE_MAX];
};

static void entry_free(struct entry *entry)
{
	sodium_memzero(entry, sizeof(*entry));
	free(entry);
}

static struct edge_request *request_of(const struct entry *entry)
{
	return edge_find(entry->waiter.gateway->edge, entry->waiter.ticket);
}

static void random_text(char out[COOKIE_MAX])
{
	uint8_t bytes[COOKIE_BYTES];

	randombytes_buf(bytes, sizeof(bytes));
	(void)sodium_bin2base64(
		out, COOKIE_MAX, bytes, sizeof(bytes), sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static void audit(
	const struct entry *entry, const char *action, const char *content, uint32_t status)
{
	char subject[STAFF_NAME_MAX + 8];

	(void)snprintf(subject, sizeof(subject), "user %.32s", entry->name);
	audit_write_of(entry->waiter.gateway, entry->waiter.ticket, entry->operator_id, action,
		subject, content, status);
}

static void refused(struct edge_request *request, const char *code, const char *message)
{
	edge_answer_error(request, 401, code, message, NULL, NULL, NULL);
}

static void answer_done(struct gateway *gateway, struct edge_request *request, const char *member)
{
	out_begin(&gateway->out);
	out_open(&gateway->out, NULL, '{');
	out_bool(&gateway->out, member, true);
	out_close(&gateway->out, '}');
	answer_sent(gateway, request, 200);
}

static bool queued(struct entry *entry, struct edge_request *request, bool queues)
{
	if (queues)
		return true;
	edge_answer_header(request, "Retry-After", "2");
	edge_answer_error(request, 503, "not_available",
		"Too many passwords are being checked. Try again.", NULL, NULL, NULL);
	entry_free(entry);
	return false;
}

/* ---- login ---- */

void staff_cookie_set(struct edge_request *request, const char *value, int64_t life_s)
{
	char cookie[160];

	(void)snprintf(cookie, sizeof(cookie),
		"%s%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%" PRId64 "%s",
		staff_cookie(request), value, life_s,
		staff_on_this_machine(request) ? "" : "; Secure");
	edge_answer_header(request, "Set-Cookie", cookie);
}

static void entered(struct entry *entry, struct edge_request *request)
{
	struct gateway *gateway = entry->waiter.gateway;

	audit(entry, "login", "{}", 200);
	staff_cookie_set(request, entry->cookie, gateway->settings.staff_session_s);
	answer_done(gateway, request, "entered");
}

static void on_weak(void *context, PGresult *result, const char *error)
{
	struct entry *entry = context;
	struct edge_request *request = waiter_rows(&entry->waiter, result, error);

	if (request != NULL)
		entered(entry, request);
	entry_free(entry);
}

/* The session begins, and accepts nothing but a new password. */
static void weak_note(struct entry *entry)
{
	char staff[24];
	const char *parameters[] = { staff };

	(void)snprintf(staff, sizeof(staff), "%" PRId64, entry->staff);
	pg_pool_query(entry->waiter.gateway->pg,
		"update gateway.staff set must_change = true where id = $1::integer returning id",
		1, parameters, WRITE_MS, on_weak, entry);
}

static void on_entered(void *context, PGresult *result, const char *error)
{
	struct entry *entry = context;
	struct edge_request *request = waiter_rows(&entry->waiter, result, error);
	const char *verdict = request == NULL ? "" : PQgetvalue(result, 0, 0);

	if (strcmp(verdict, "entered") == 0 && entry->weak) {
		weak_note(entry);
		return;
	}
	if (strcmp(verdict, "entered") == 0) {
		entered(entry, request);
	} else if (strcmp(verdict, "locked") == 0) {
		wrong_note(entry->waiter.gateway, request, WRONG_LOGIN);
		log_warn_as("gateway.user.locked",
			"ALARM user %s of operator %" PRIu32 " is locked: too many failures",
			entry->name, entry->operator_id);
		audit(entry, "login", "{\"locked\":true}", 401);
		refused(request, "login_locked",
			"Too many wrong passwords or codes. This user is locked: try again later.");
	} else if (request != NULL) {
		wrong_note(entry->waiter.gateway, request, WRONG_LOGIN);
		audit(entry, "login", "{}", 401);
		refused(request, "login_refused", "Name, password or code is wrong.");
	}
	entry_free(entry);
}

/* The step of the one-time code if it is good, else 0. */
static uint64_t code_step(const struct entry *entry)
{
	uint64_t step = 0;

	if (entry->has_totp)
		(void)totp_check(entry->totp, entry->code, clock_wall_us() / SECOND_US,
			entry->last_step, &step);
	return step;
}

/* What the browser calls itself, for the list of sessions: printable, and cut. */
static void agent_of(const struct edge_request *request, char out[AGENT_MAX])
{
	const char *text = edge_header(request, EDGE_USER_AGENT);
	size_t n = 0;

	for (; text != NULL && text[n] != '\0' && n + 1 < AGENT_MAX; n++)
		out[n] = (char)(text[n] >= 0x20 && text[n] < 0x7f ? text[n] : '?');
	out[n] = '\0';
}

static void enter(struct entry *entry, struct edge_request *request, bool good)
{
	struct gateway *gateway = entry->waiter.gateway;
	char staff[24], step[24], recovery[HEX_MAX], session[HEX_MAX], life[24], lock[24];
	char found[PASSWORD_FOUND_MAX];
	const char *expected;
	char agent[AGENT_MAX];
	uint8_t code[STAFF_DIGEST_BYTES];
	const char *parameters[] = { staff, good ? "t" : "f", step,
		entry->code[0] == '\0' ? NULL : recovery, session, entry->csrf, edge_peer(request),
		life, LOCK_AFTER, lock, agent };

	entry->weak = good && !password_fits(entry->password, found, &expected);
	agent_of(request, agent);
	random_text(entry->cookie);
	random_text(entry->csrf);
	(void)crypto_hash_sha256(
		entry->session, (const unsigned char *)entry->cookie, strlen(entry->cookie));
	(void)crypto_hash_sha256(code, (const unsigned char *)entry->code, strlen(entry->code));
	pg_bytea_text(code, sizeof(code), recovery);
	pg_bytea_text(entry->session, sizeof(entry->session), session);
	(void)snprintf(staff, sizeof(staff), "%" PRId64, entry->staff);
	(void)snprintf(step, sizeof(step), "%" PRIu64, code_step(entry));
	(void)snprintf(life, sizeof(life), "%" PRId64, gateway->settings.staff_session_s);
	(void)snprintf(lock, sizeof(lock), "%" PRId64, gateway->settings.staff_lock_s);
	pg_pool_query(gateway->pg,
		"select gateway.staff_begin($1::integer, $2::boolean, $3::bigint, $4::bytea, "
		"$5::bytea, $6, $7, $8::integer, $9::integer, $10::integer, $11)",
		11, parameters, WRITE_MS, on_entered, entry);
}

static void on_login_checked(void *context, bool ok, const char *hash)
{
	struct entry *entry = context;
	struct edge_request *request = request_of(entry);

	(void)hash;
	/* Whether it was right is not said when others from its address were wrong meanwhile. */
	if (request == NULL || !wrong_may_try(entry->waiter.gateway, request)) {
		entry_free(entry);
	} else if (entry->staff == 0) {
		wrong_note(entry->waiter.gateway, request, WRONG_LOGIN);
		audit(entry, "login", "{}", 401);
		refused(request, "login_refused", "Name, password or code is wrong.");
		entry_free(entry);
	} else if (entry->locked) {
		audit(entry, "login", "{\"locked\":true}", 401);
		refused(request, "login_locked",
			"Too many failures. The user is locked for a while.");
		entry_free(entry);
	} else if (ok && entry->has_totp && entry->code[0] == '\0') {
		audit(entry, "login", "{\"code\":false}", 401);
		refused(request, "code_needed", "Enter the one-time code of your second factor.");
		entry_free(entry);
	} else {
		enter(entry, request, ok);
	}
}

/* Also for a name that nobody has, and for a locked user, a password is worked out: the time tells
 * nothing. */
static void on_login_row(void *context, PGresult *result, const char *error)
{
	struct entry *entry = context;
	struct edge_request *request = waiter_rows(&entry->waiter, result, error);
	bool known = request != NULL && PQntuples(result) == 1;
	size_t length;

	if (request == NULL) {
		entry_free(entry);
		return;
	}
	if (known) {
		entry->staff = pg_number(result, 0, 0);
		entry->has_totp = !PQgetisnull(result, 0, 2);
		entry->last_step = (uint64_t)pg_number(result, 0, 3);
		entry->locked = pg_number(result, 0, 4) != 0;
	}
	if (entry->has_totp) {
		uint8_t *totp = pg_bytea(result, 0, 2, &length);
		if (length == sizeof(entry->totp))
			memcpy(entry->totp, totp, length);
		PQfreemem(totp);
	}
	(void)queued(entry, request,
		password_check(staff_passwords, entry->password,
			known && !entry->locked ? PQgetvalue(result, 0, 1) : staff_nobody,
			on_login_checked, entry));
}

void on_staff_login(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct login_body body = { 0 };
	struct entry *entry;
	char operator_text[16];

	if (!wrong_may_try(gateway, request) || !auth_session_rate(gateway, request) ||
		!answer_parse(request, login_fields, &body))
		return;
	audit_asked(gateway, request, (uint32_t)body.operator_id);
	entry = waiter_new(sizeof(*entry), gateway, request, 0);
	const char *parameters[] = { operator_text, entry->name };
	entry->operator_id = (uint32_t)body.operator_id;
	(void)snprintf(entry->name, sizeof(entry->name), "%s", body.name);
	(void)snprintf(entry->password, sizeof(entry->password), "%s", body.password);
	(void)snprintf(entry->code, sizeof(entry->code), "%s", body.code);
	sodium_memzero(&body, sizeof(body));
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, entry->operator_id);
	pg_pool_query(gateway->pg,
		"select id, password, totp, totp_step, coalesce(locked_until > now(), false)::integer "
		"from gateway.staff where operator = "
		"$1::integer and name = $2 and disabled is null",
		2, parameters, WRITE_MS, on_login_row, entry);
}

/* ---- the session ---- */

/* For the routes of PERMIT_SELF: the session that asks. NULL: answered, or handled again. */
static struct entry *entry_of_session(struct gateway *gateway, struct edge_request *request)
{
	const struct staff_session *session;
	struct entry *entry;
	uint32_t operator_id;

	if (!auth_operator(gateway, request, 0, &operator_id))
		return NULL;
	session = staff_session_of(gateway, request);
	entry = waiter_new(sizeof(*entry), gateway, request, 0);
	entry->operator_id = operator_id;
	entry->staff = session->staff;
	(void)snprintf(entry->name, sizeof(entry->name), "%s", session->name);
	memcpy(entry->session, session->digest, sizeof(entry->session));
	return entry;
}

static void permissions_json(struct json_out *out, role_set roles)
{
	staff_roles_json(out, roles);
	out_open(out, "permissions", '[');
	for (size_t i = 0; i < PERMISSIONS_N; i++)
		if (roles_permit(roles, (enum permission)i))
			out_string(out, NULL, permission_names[i]);
	out_close(out, ']');
}

void on_staff_session(struct edge_request *request, void *context)
{
	static const char *const none[] = { NULL };
	struct gateway *gateway = context;
	struct json_out *out = &gateway->out;
	const struct staff_session *session;
	uint32_t operator_id;

	if (!auth_operator(gateway, request, 0, &operator_id) || !answer_query(request, none))
		return;
	session = staff_session_of(gateway, request);
	out_begin(out);
	out_open(out, NULL, '{');
	out_uint(out, "operator", operator_id);
	out_string(out, "name", session->name);
	permissions_json(out, session->roles);
	out_string(out, "csrf", session->csrf);
	out_uint(out, "expires_us", session->expires_us);
	out_uint(out, "idle_s", (uint64_t)gateway->settings.staff_idle_s);
	out_uint(out, "confirmed_us", session->confirmed_us);
	out_bool(out, "must_change", session->must_change);
	out_bool(out, "second_factor", session->has_totp);
	out_bool(out, "second_factor_needed", staff_factor_needed(gateway, session));
	out_close(out, '}');
	answer_sent(gateway, request, 200);
}

static void on_logged_out(void *context, PGresult *result, const char *error)
{
	struct entry *entry = context;
	struct edge_request *request = waiter_rows(&entry->waiter, result, error);

	if (request != NULL) {
		staff_forget(entry->session);
		audit(entry, "logout", "{}", 200);
		staff_cookie_set(request, "", 0);
		answer_done(entry->waiter.gateway, request, "logged_out");
	}
	entry_free(entry);
}

void on_staff_logout(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	char session[HEX_MAX];
	const char *parameters[] = { session };
	struct entry *entry = entry_of_session(gateway, request);

	if (entry == NULL)
		return;
	pg_bytea_text(entry->session, sizeof(entry->session), session);
	pg_pool_query(gateway->pg,
		"with ended as (update gateway.staff_session set ended = now() where digest = "
		"$1::bytea and ended is null returning 1) select count(*) from ended",
		1, parameters, WRITE_MS, on_logged_out, entry);
}

/* ---- the password again ---- */

static void on_confirmed(void *context, PGresult *result, const char *error)
{
	struct entry *entry = context;
	struct edge_request *request = waiter_rows(&entry->waiter, result, error);

	if (request != NULL) {
		staff_forget(entry->session); /* the next request reads it as it is now */
		answer_done(entry->waiter.gateway, request, "confirmed");
	}
	entry_free(entry);
}

static void on_failed(void *context, PGresult *result, const char *error)
{
	struct entry *entry = context;
	struct edge_request *request = waiter_rows(&entry->waiter, result, error);

	if (request != NULL) {
		wrong_note(entry->waiter.gateway, request, WRONG_PASSWORD);
		staff_forget(entry->session);
		audit(entry, "password check", "{}", 401);
		refused(request, "password_wrong", "The password is wrong.");
	}
	entry_free(entry);
}

/* Counts together with failed logins. A user whom this locks loses all sessions. */
static void failed(struct entry *entry, struct edge_request *request)
{
	struct gateway *gateway = entry->waiter.gateway;
	char staff[24], lock[24];
	const char *parameters[] = { staff, LOCK_AFTER, lock };

	(void)request;
	(void)snprintf(staff, sizeof(staff), "%" PRId64, entry->staff);
	(void)snprintf(lock, sizeof(lock), "%" PRId64, gateway->settings.staff_lock_s);
	pg_pool_query(gateway->pg,
		"select gateway.staff_failed($1::integer, true, $2::integer, $3::integer)", 3,
		parameters, WRITE_MS, on_failed, entry);
}

static void on_made(void *context, bool ok, const char *hash)
{
	struct entry *entry = context;
	struct edge_request *request = request_of(entry);
	struct gateway *gateway = entry->waiter.gateway;
	char staff[24], session[HEX_MAX];
	const char *parameters[] = { staff, hash, session };

	if (request == NULL || !ok) {
		if (request != NULL)
			answer_unavailable(request, "a password could not be hashed");
		entry_free(entry);
		return;
	}
	audit(entry, "password changed", "{}", 200);
	(void)snprintf(staff, sizeof(staff), "%" PRId64, entry->staff);
	pg_bytea_text(entry->session, sizeof(entry->session), session);
	/* Whoever knew the old one is out. */
	pg_pool_query(gateway->pg,
		"with changed as (update gateway.staff set password = $2, must_change = false "
		"where id = $1::integer returning id), ended as (update gateway.staff_session s set "
		"ended = now() from changed where s.staff = changed.id and s.digest <> $3::bytea "
		"and s.ended is null), kept as (update gateway.staff_session set confirmed = now() "
		"where digest = $3::bytea) select id from changed",
		3, parameters, WRITE_MS, on_confirmed, entry);
}

static void on_password_checked(void *context, bool ok, const char *hash)
{
	struct entry *entry = context;
	struct edge_request *request = request_of(entry);
	char session[HEX_MAX];
	const char *parameters[] = { session };

	(void)hash;
	if (request == NULL || !wrong_may_try(entry->waiter.gateway, request)) {
		entry_free(entry);
	} else if (!ok) {
		failed(entry, request);
	} else if (entry->fresh[0] != '\0') {
		(void)queued(entry, request,
			password_make(staff_passwords, entry->fresh, on_made, entry));
	} else {
		pg_bytea_text(entry->session, sizeof(entry->session), session);
		pg_pool_query(entry->waiter.gateway->pg,
			"update gateway.staff_session set confirmed = now() where digest = "
			"$1::bytea returning 1",
			1, parameters, WRITE_MS, on_confirmed, entry);
	}
}

static void on_password_row(void *context, PGresult *result, const char *error)
{
	struct entry *entry = context;
	struct edge_request *request = waiter_rows(&entry->waiter, result, error);

	if (request == NULL || PQntuples(result) != 1) {
		if (request != NULL)
			refused(request, "login_locked",
				"Too many wrong passwords or codes. This user is locked: try "
				"again later.");
		entry_free(entry);
		return;
	}
	(void)queued(entry, request,
		password_check(staff_passwords, entry->password, PQgetvalue(result, 0, 0),
			on_password_checked, entry));
}

/* False: the password that the user chooses was refused. */
static bool fresh_fits(struct edge_request *request, const struct login_body *body)
{
	char found[PASSWORD_FOUND_MAX];
	const char *expected;

	if (!body->has_fresh || password_fits(body->fresh, found, &expected))
		return true;
	answer_bad(request, "new_password", found, expected);
	return false;
}

static void password_ask(
	struct gateway *gateway, struct edge_request *request, const struct field *fields)
{
	struct login_body body = { 0 };
	struct entry *entry;
	char staff[24];
	const char *parameters[] = { staff };

	if (!wrong_may_try(gateway, request))
		return;
	entry = entry_of_session(gateway, request);
	if (entry == NULL)
		return;
	if (!answer_parse(request, fields, &body) || !fresh_fits(request, &body)) {
		entry_free(entry);
		return;
	}
	(void)snprintf(entry->password, sizeof(entry->password), "%s", body.password);
	(void)snprintf(entry->fresh, sizeof(entry->fresh), "%s", body.fresh);
	sodium_memzero(&body, sizeof(body));
	(void)snprintf(staff, sizeof(staff), "%" PRId64, entry->staff);
	pg_pool_query(gateway->pg,
		"select password from gateway.staff where id = $1::integer and disabled is null "
		"and coalesce(locked_until < now(), true)",
		1, parameters, WRITE_MS, on_password_row, entry);
}

void on_staff_confirm(struct edge_request *request, void *context)
{
	password_ask(context, request, confirm_fields);
}

void on_staff_password(struct edge_request *request, void *context)
{
	password_ask(context, request, password_fields);
}

/* ---- the second factor ---- */

static void totp_offer(
	struct gateway *gateway, struct edge_request *request, const struct staff_session *session)
{
	struct json_out *out = &gateway->out;
	uint8_t secret[TOTP_SECRET_BYTES];
	char base32[TOTP_BASE32_MAX], uri[160];

	randombytes_buf(secret, sizeof(secret));
	totp_base32(secret, base32);
	(void)snprintf(uri, sizeof(uri), "otpauth://totp/Carillon:%s?secret=%s&issuer=Carillon",
		session->name, base32);
	out_begin(out);
	out_open(out, NULL, '{');
	out_hex(out, "secret", secret, sizeof(secret));
	out_string(out, "base32", base32);
	out_string(out, "uri", uri);
	out_close(out, '}');
	answer_sent(gateway, request, 200);
}

struct factor {
	struct waiter waiter; /* first */
	char codes[RECOVERY_N][RECOVERY_DIGITS + 1];
	uint8_t session[STAFF_DIGEST_BYTES];
	uint32_t operator_id;
	char name[STAFF_NAME_MAX + 1];
};

static void on_factor(void *context, PGresult *result, const char *error)
{
	struct factor *factor = context;
	struct gateway *gateway = factor->waiter.gateway;
	struct json_out *out = &gateway->out;
	struct edge_request *request = waiter_rows(&factor->waiter, result, error);
	char subject[STAFF_NAME_MAX + 8];

	if (request != NULL) {
		staff_forget(factor->session);
		(void)snprintf(subject, sizeof(subject), "user %.32s", factor->name);
		audit_write_of(gateway, factor->waiter.ticket, factor->operator_id, "second factor",
			subject, "{}", 200);
		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, "recovery_codes", '[');
		for (size_t i = 0; i < RECOVERY_N; i++)
			out_string(out, NULL, factor->codes[i]);
		out_close(out, ']');
		out_close(out, '}');
		answer_sent(gateway, request, 200);
	}
	sodium_memzero(factor, sizeof(*factor));
	free(factor);
}

static void recovery_make(struct factor *factor, char list[RECOVERY_N * (HEX_MAX + 3) + 8])
{
	size_t n = (size_t)sprintf(list, "{");

	for (size_t i = 0; i < RECOVERY_N; i++) {
		uint8_t digest[STAFF_DIGEST_BYTES];
		char text[HEX_MAX];
		for (size_t d = 0; d < RECOVERY_DIGITS; d++)
			factor->codes[i][d] =
				"ABCDEFGHJKMNPQRSTUVWXYZ23456789"[randombytes_uniform(31)];
		(void)crypto_hash_sha256(
			digest, (const unsigned char *)factor->codes[i], RECOVERY_DIGITS);
		pg_bytea_text(digest, sizeof(digest), text);
		n += (size_t)sprintf(list + n, "%s\"\\%s\"", i == 0 ? "" : ",", text);
	}
	(void)sprintf(list + n, "}");
}

void on_staff_totp(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct totp_body body = { 0 };
	const struct staff_session *session;
	struct factor *factor;
	char staff[24], secret[HEX_MAX], step_text[24], codes[RECOVERY_N * (HEX_MAX + 3) + 8];
	const char *parameters[] = { staff, secret, step_text, codes };
	uint32_t operator_id;
	uint64_t step;

	if (!auth_operator(gateway, request, 0, &operator_id) ||
		!answer_parse(request, totp_fields, &body))
		return;
	session = staff_session_of(gateway, request);
	if (!staff_confirmed(gateway, request, session))
		return;
	if (!body.has_secret) {
		totp_offer(gateway, request, session);
		return;
	}
	if (!body.has_code ||
		!totp_check(body.secret.bytes, body.code, clock_wall_us() / SECOND_US, 0, &step)) {
		answer_bad(request, "code", body.has_code ? "another code" : "nothing",
			"the code that the app shows now for this secret");
		return;
	}
	factor = waiter_new(sizeof(*factor), gateway, request, 0);
	factor->operator_id = operator_id;
	(void)snprintf(factor->name, sizeof(factor->name), "%s", session->name);
	memcpy(factor->session, session->digest, sizeof(factor->session));
	recovery_make(factor, codes);
	pg_bytea_text(body.secret.bytes, TOTP_BYTES, secret);
	(void)snprintf(staff, sizeof(staff), "%" PRId64, session->staff);
	(void)snprintf(step_text, sizeof(step_text), "%" PRIu64, step);
	pg_pool_query(gateway->pg,
		"update gateway.staff set totp = $2::bytea, totp_step = $3::bigint, recovery = "
		"$4::bytea[] where id = $1::integer returning id",
		4, parameters, WRITE_MS, on_factor, factor);
}
