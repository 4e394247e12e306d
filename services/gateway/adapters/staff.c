/* The live sessions of users in memory, and the checks of a request that comes with one. */
#include "services/gateway/adapters/staff.h"

#include "services/gateway/adapters/operator_keys.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SESSIONS_MAX 512
#define WAITING_MAX 64
#define READ_MS 1000
#define TOUCH_US (60 * SECOND_US)

struct password *staff_passwords;
char staff_nobody[PASSWORD_HASH_MAX];

static struct {
	struct staff_session of[SESSIONS_MAX];
	size_t n;
	bool reading, full;
	uint64_t began_us; /* of the read under way */
	uint64_t known_us; /* the last read that is complete began then */
} sessions;

/* Requests with a cookie that the last read did not have. */
static struct {
	struct {
		uint64_t ticket, since_us;
	} of[WAITING_MAX];
	size_t n;
} waiting;

static void on_nobody(void *context, bool ok, const char *hash)
{
	(void)context;
	if (!ok)
		fatal("a password could not be hashed: out of memory?");
	(void)snprintf(staff_nobody, sizeof(staff_nobody), "%s", hash);
}

void staff_begin(struct gateway *gateway)
{
	char nobody[24];

	(void)snprintf(nobody, sizeof(nobody), "%" PRIu32, randombytes_random());
	staff_passwords = password_new();
	if (!password_make(staff_passwords, nobody, on_nobody, NULL))
		fatal("the thread that hashes passwords accepts no work");
	edge_adopt(gateway->edge, password_fd(staff_passwords), password_poll, staff_passwords);
}

void staff_end(void)
{
	password_free(&staff_passwords);
}

/* ---- reading ---- */

static void again(struct gateway *gateway)
{
	uint64_t tickets[WAITING_MAX];
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < waiting.n; i++)
		if (waiting.of[i].since_us < sessions.known_us)
			tickets[n++] = waiting.of[i].ticket;
		else
			waiting.of[kept++] = waiting.of[i];
	waiting.n = kept;
	for (size_t i = 0; i < n; i++) {
		struct edge_request *request = edge_find(gateway->edge, tickets[i]);
		if (request != NULL)
			edge_again(request);
	}
}

static void one_read(struct staff_session *session, const PGresult *result, int row)
{
	size_t length;
	uint8_t *digest = pg_bytea(result, row, 0, &length);

	if (length == sizeof(session->digest))
		memcpy(session->digest, digest, length);
	PQfreemem(digest);
	session->staff = pg_number(result, row, 1);
	session->operator_id = (uint32_t)pg_number(result, row, 2);
	(void)snprintf(session->name, sizeof(session->name), "%s", PQgetvalue(result, row, 3));
	session->roles = (role_set)pg_number(result, row, 4);
	(void)snprintf(session->csrf, sizeof(session->csrf), "%s", PQgetvalue(result, row, 5));
	session->seen_us = (uint64_t)pg_number(result, row, 6);
	session->confirmed_us = (uint64_t)pg_number(result, row, 7);
	session->expires_us = (uint64_t)pg_number(result, row, 8);
	session->must_change = pg_number(result, row, 9) != 0;
	session->has_totp = pg_number(result, row, 10) != 0;
}

static void on_rows(void *context, PGresult *result, const char *error)
{
	struct gateway *gateway = context;

	sessions.reading = false;
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK) {
		log_warn_as("gateway.sessions.unreadable",
			"cannot read the sessions of users: %s; the sessions already known "
			"stay open",
			error != NULL ? error : PQresultErrorMessage(result));
		return;
	}
	if (PQntuples(result) > SESSIONS_MAX && !sessions.full)
		log_error_as("gateway.sessions.too_many",
			"ALARM more than %d sessions of users are open: the least recently "
			"used ones are refused",
			SESSIONS_MAX);
	sessions.full = PQntuples(result) > SESSIONS_MAX;
	sessions.n = 0;
	for (int i = 0; i < PQntuples(result) && sessions.n < SESSIONS_MAX; i++)
		one_read(&sessions.of[sessions.n++], result, i);
	sessions.known_us = sessions.began_us;
	again(gateway);
}

void staff_read(struct gateway *gateway)
{
	char idle[24];
	const char *parameters[] = { idle };

	if (sessions.reading)
		return;
	sessions.reading = true;
	sessions.began_us = edge_now_us(gateway->edge);
	(void)snprintf(idle, sizeof(idle), "%" PRId64, gateway->settings.staff_idle_s);
	/* From the server that takes the rows: the one for reading may be behind it. */
	pg_pool_query(gateway->pg,
		"select s.digest, u.id, u.operator, u.name, u.roles, s.csrf, "
		"(extract(epoch from s.seen) * 1000000)::bigint, "
		"(extract(epoch from s.confirmed) * 1000000)::bigint, "
		"(extract(epoch from s.expires) * 1000000)::bigint, u.must_change::integer, "
		"(u.totp is not null)::integer from gateway.staff_session s "
		"join gateway.staff u on u.id = s.staff where s.ended is null and s.expires > now() "
		"and s.seen > now() - make_interval(secs => $1::integer) and u.disabled is null "
		"order by s.seen desc limit 513",
		1, parameters, READ_MS, on_rows, gateway);
}

/* ---- who asks ---- */

bool staff_on_this_machine(const struct edge_request *request)
{
	const char *host = edge_header(request, EDGE_HOST);
	size_t length = host == NULL ? 0 : strcspn(host, ":");

	return host != NULL && ((length == 9 && (strncmp(host, "127.0.0.1", length) == 0 ||
							strncmp(host, "localhost", length) == 0)));
}

const char *staff_cookie(const struct edge_request *request)
{
	return staff_on_this_machine(request) ? "carillon_staff=" : "__Host-carillon_staff=";
}

/* SHA-256 of the value of our cookie; false: there is none. */
static bool cookie_digest(const struct edge_request *request, uint8_t digest_r[STAFF_DIGEST_BYTES])
{
	const char *at = edge_header(request, EDGE_COOKIE);
	const char *name = staff_cookie(request);
	size_t before = strlen(name);

	for (; at != NULL && *at != '\0'; at += strspn(at, "; ")) {
		size_t length = strcspn(at, ";");
		if (strncmp(at, name, before) == 0) {
			(void)crypto_hash_sha256(
				digest_r, (const unsigned char *)at + before, length - before);
			return true;
		}
		at += length;
	}
	return false;
}

const struct staff_session *staff_session_of(
	const struct gateway *gateway, const struct edge_request *request)
{
	uint8_t digest[STAFF_DIGEST_BYTES];
	const struct staff_session *found = NULL;

	(void)gateway; /* how long a session lives, each reading decides: here it is the same all
			  through a turn */
	if (!cookie_digest(request, digest))
		return NULL;
	for (size_t i = 0; i < sessions.n; i++)
		if (sodium_memcmp(digest, sessions.of[i].digest, sizeof(digest)) == 0)
			found = &sessions.of[i];
	return found;
}

bool staff_waits(struct gateway *gateway, struct edge_request *request)
{
	uint8_t digest[STAFF_DIGEST_BYTES];
	uint64_t now_us = edge_now_us(gateway->edge);

	/* It came before the last read began, and that read did not have it. */
	if (!cookie_digest(request, digest) || edge_began_us(request) < sessions.known_us)
		return false;
	/* Who sends invented cookies does not fill the list. */
	if (!auth_session_rate(gateway, request))
		return true;
	if (waiting.n == WAITING_MAX) {
		edge_answer_header(request, "Retry-After", "1");
		edge_answer_error(request, 503, "starting",
			"The session is not known here yet. Nothing was done. Try again.", NULL,
			NULL, NULL);
		return true;
	}
	waiting.of[waiting.n].ticket = edge_ticket(request);
	waiting.of[waiting.n++].since_us = now_us;
	return true;
}

void staff_forget(const uint8_t digest[STAFF_DIGEST_BYTES])
{
	for (size_t i = 0; i < sessions.n; i++)
		if (memcmp(sessions.of[i].digest, digest, STAFF_DIGEST_BYTES) == 0)
			sessions.of[i--] = sessions.of[--sessions.n];
}

/* A session lives on while it is used; one write a minute says so. */
static void on_touched(void *context, PGresult *result, const char *error)
{
	(void)context;
	if (result == NULL || PQresultStatus(result) != PGRES_COMMAND_OK)
		log_warn_as("gateway.session.lost", "a user's session could not be kept alive: %s",
			error != NULL ? error : PQresultErrorMessage(result));
}

static void touch(struct gateway *gateway, const struct staff_session *session)
{
	char digest[2 * STAFF_DIGEST_BYTES + 3];
	const char *parameters[] = { digest };
	uint64_t now_us = clock_wall_us();

	if (session->seen_us + TOUCH_US > now_us)
		return;
	for (size_t i = 0; i < sessions.n; i++)
		if (&sessions.of[i] == session)
			sessions.of[i].seen_us = now_us;
	pg_bytea_text(session->digest, sizeof(session->digest), digest);
	pg_pool_query(gateway->pg,
		"update gateway.staff_session set seen = now() where digest = $1::bytea "
		"and ended is null",
		1, parameters, READ_MS, on_touched, NULL);
}

static bool refuse(struct edge_request *request, const char *code, const char *message,
	const char *where, const char *found, const char *expected)
{
	wrong_denied(request, code);
	edge_answer_error(request, 403, code, message, where, found, expected);
	return false;
}

bool staff_factor_needed(const struct gateway *gateway, const struct staff_session *session)
{
	return gateway->settings.staff_second_factor && !session->has_totp;
}

bool staff_confirmed(
	struct gateway *gateway, struct edge_request *request, const struct staff_session *session)
{
	uint64_t confirm_us = (uint64_t)gateway->settings.staff_confirm_s * SECOND_US;

	if (session->confirmed_us + confirm_us >= clock_wall_us())
		return true;
	return refuse(request, "confirm_needed",
		"Enter your password again to continue. Nothing was done.", NULL, NULL, NULL);
}

bool staff_may(struct gateway *gateway, struct edge_request *request,
	const struct staff_session *session, enum permission permission)
{
	const char *csrf = edge_header(request, EDGE_CSRF);
	bool post = edge_route_of(request)->method == EDGE_POST;

	touch(gateway, session);
	if (post && (csrf == NULL || strcmp(csrf, session->csrf) != 0))
		return refuse(request, "csrf",
			"The header X-CSRF-Token is missing or wrong, so the request may come "
			"from another page. Nothing was done.",
			"X-CSRF-Token", csrf == NULL ? "nothing" : "another token",
			"the csrf member of GET /v1/operator/session");
	if (permission != PERMIT_SELF && session->must_change)
		return refuse(request, "password_change",
			"Somebody else has set your password, or many people use it. Choose a new "
			"one first.",
			NULL, NULL, NULL);
	if (permission != PERMIT_SELF && staff_factor_needed(gateway, session))
		return refuse(request, "factor_needed",
			"Every user of this installation needs a second factor. Set yours first.",
			NULL, NULL, NULL);
	if (!roles_permit(session->roles, permission))
		return refuse(request, "not_permitted",
			"None of your roles permits this. Nothing was done.", "permission",
			"not given", permission_names[permission]);
	return !post || !permission_confirms(permission) ||
	       staff_confirmed(gateway, request, session);
}

bool asker_of(
	const struct gateway *gateway, const struct edge_request *request, struct asker *asker_r)
{
	const char *key = edge_header(request, EDGE_AUTHORIZATION);
	char text[64];

	memset(asker_r, 0, sizeof(*asker_r));
	if (key != NULL) {
		const struct operator_key *known = operator_key_of(gateway, key);
		char digits[9];
		(void)crypto_hash_sha256(asker_r->digest, (const unsigned char *)key, strlen(key));
		asker_r->operator_id = known == NULL ? 0 : known->id;
		(void)sodium_bin2hex(digits, sizeof(digits), asker_r->digest, 4);
		/* A key is in the hands of who made it, and of who has the one before. */
		if (known != NULL)
			memcpy(asker_r->digest, known->first, sizeof(asker_r->digest));
		(void)snprintf(asker_r->name, sizeof(asker_r->name), "operator-%" PRIu32 " key %s",
			asker_r->operator_id, digits);
		return asker_r->operator_id != 0;
	}
	asker_r->session = staff_session_of(gateway, request);
	if (asker_r->session == NULL)
		return false;
	asker_r->operator_id = asker_r->session->operator_id;
	(void)snprintf(text, sizeof(text), "staff %" PRId64, asker_r->session->staff);
	(void)crypto_hash_sha256(asker_r->digest, (const unsigned char *)text, strlen(text));
	(void)snprintf(asker_r->name, sizeof(asker_r->name), "operator-%" PRIu32 " %s",
		asker_r->operator_id, asker_r->session->name);
	return true;
}

void asker_from(
	const struct asker *asker, const struct edge_request *request, char from_r[ASKER_FROM_MAX])
{
	(void)snprintf(from_r, ASKER_FROM_MAX, "%s from %.64s", asker->name, edge_peer(request));
}

void actor_of(const struct gateway *gateway, const struct edge_request *request,
	uint32_t operator_id, char out[ACTOR_MAX])
{
	struct asker asker;

	if (asker_of(gateway, request, &asker) && asker.session != NULL)
		(void)snprintf(out, ACTOR_MAX, "operator-%" PRIu32 " %.32s", operator_id,
			asker.session->name);
	else
		(void)snprintf(out, ACTOR_MAX, "operator-%" PRIu32, operator_id);
}

void staff_roles_json(struct json_out *out, role_set roles)
{
	out_open(out, "roles", '[');
	for (size_t role = 0; role < ROLES_N; role++)
		if ((roles & 1U << role) != 0)
			out_string(out, NULL, role_names[role]);
	out_close(out, ']');
}
