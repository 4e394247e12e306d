/* Authentication: players' tokens, operators' keys, and the request limits of both. */
#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/staff.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <sodium.h>

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_TEXT_MAX 256

static void unauthorized(
	struct edge_request *request, const char *code, const char *found, const char *expected)
{
	edge_answer_header(request, "WWW-Authenticate", "Bearer");
	edge_answer_error(request, 401, code, "The request has no valid token, key or session.",
		"Authorization", found, expected);
}

static bool too_many(struct gateway *gateway, struct edge_request *request, uint32_t retry_s)
{
	char text[16];
	(void)snprintf(text, sizeof(text), "%" PRIu32, retry_s);
	metric_add(gateway->metric.refused_rate, 1);
	edge_answer_header(request, "Retry-After", text);
	edge_answer_error(request, 429, "too_many",
		"Too many requests. Nothing was done. Try again later.", NULL, NULL, NULL);
	return false;
}

static bool auth_token(
	struct gateway *gateway, struct edge_request *request, bool acts, player_id *player_r)
{
	const char *token = edge_header(request, EDGE_AUTHORIZATION);
	char session[SESSION_NAME_MAX];
	uint64_t expires_s;
	uint32_t retry_s = 1;
	if (token == NULL) {
		unauthorized(
			request, "token_missing", "no bearer token", "Bearer and a player's token");
		return false;
	}
	enum token_status status = token_check(
		gateway->token_key, token, clock_wall_us() / SECOND_US, player_r, &expires_s);
	if (status != TOKEN_OK) {
		if ((status == TOKEN_MALFORMED || status == TOKEN_FORGED) &&
			!wrong_noted(gateway, request, WRONG_TOKEN))
			return false;
		unauthorized(request, token_status_text(status), NULL, "a valid token of a player");
		return false;
	}
	/* Until then a token that was ended cannot be told from another. */
	if (!revoked_known(gateway->revoked)) {
		edge_answer_header(request, "Retry-After", "1");
		edge_answer_error(request, 503, "starting",
			"The gateway has just started. Nothing was done. Try again.", NULL, NULL,
			NULL);
		return false;
	}
	session_name(token, session);
	uint64_t before_s = revoked_before_s(gateway->revoked, *player_r);
	if (revoked_has(gateway->revoked, session) ||
		(before_s > 0 && token_issued_s(gateway->token_key, token) <= before_s)) {
		unauthorized(request, token_status_text(TOKEN_REVOKED), "a session that was ended",
			"a new session");
		return false;
	}
	if (!limit_take(
		    &gateway->by_player, (uint64_t)*player_r, edge_now_us(gateway->edge), &retry_s))
		return too_many(gateway, request, retry_s);
	return presence_session(gateway, request, *player_r, session, expires_s, acts);
}

bool auth_player(struct gateway *gateway, struct edge_request *request, player_id *player_r)
{
	return auth_token(gateway, request, false, player_r);
}

bool auth_action(struct gateway *gateway, struct edge_request *request, player_id *player_r)
{
	return auth_token(gateway, request, true, player_r);
}

struct auth_session auth_session(struct gateway *gateway, struct edge_request *request)
{
	const char *token = edge_header(request, EDGE_AUTHORIZATION);
	struct auth_session session = { 0 };
	player_id player;

	session_name(token, session.name);
	(void)token_check(gateway->token_key, token, clock_wall_us() / SECOND_US, &player,
		&session.expires_s);
	session.since_s = token_issued_s(gateway->token_key, token);
	return session;
}

void auth_tick(struct gateway *gateway)
{
	char error[TOKEN_ERROR_MAX];
	bool changed;

	if (!token_key_again(gateway->token_key, &changed, error))
		log_error_as("gateway.keys.unreadable",
			"%s; the keys that were read before stay in force", error);
	else if (changed)
		log_info("the token keys have changed: the new ones are in force");
}

bool auth_rate(struct gateway *gateway, struct edge_request *request, struct limit *by_address)
{
	uint32_t retry_s = 1;
	if (!limit_take(by_address, limit_key(edge_peer(request)), edge_now_us(gateway->edge),
		    &retry_s))
		return too_many(gateway, request, retry_s);
	return true;
}

bool auth_session_rate(struct gateway *gateway, struct edge_request *request)
{
	return auth_rate(gateway, request, &gateway->by_address);
}

/* ---- operators
 * ------------------------------------------------------------------------------------------------------------------
 */

static void key_add(struct gateway *gateway, uint32_t id, const char *text, size_t length)
{
	if (gateway->operators_n == OPERATORS_MAX)
		fatal("more than %d keys of operators", OPERATORS_MAX);
	struct operator_key *key = &gateway->operators[gateway->operators_n++];
	memset(key, 0, sizeof(*key));
	key->id = id;
	(void)crypto_hash_sha256(key->digest, (const unsigned char *)text, length);
	memcpy(key->first, key->digest, sizeof(key->first));
}

static void key_file(struct gateway *gateway, const char *name, uint32_t id)
{
	char path[SETTING_TEXT_MAX + 300];
	char text[KEY_TEXT_MAX];
	(void)snprintf(path, sizeof(path), "%s/gateway/%s", common.keys, name);
	FILE *file = fopen(path, "r");
	if (file == NULL)
		fatal("%s: cannot be read", path);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	(void)fclose(file);
	size_t length = strcspn(text, "\r\n");
	if (length < 32)
		fatal("%s: found a key of %zu characters, expected at least 32", path, length);
	key_add(gateway, id, text, length);
	sodium_memzero(text, sizeof(text));
}

void auth_load(struct gateway *gateway)
{
	char path[SETTING_TEXT_MAX + 16];
	(void)snprintf(path, sizeof(path), "%s/gateway", common.keys);
	DIR *dir = opendir(path);
	if (dir == NULL)
		fatal("CARILLON_KEYS: cannot read the folder %s", path);
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		uint32_t id;
		int end = 0;
		if (sscanf(entry->d_name, "operator-%" SCNu32 ".key%n", &id, &end) == 1 &&
			end > 0 && entry->d_name[end] == '\0' && id >= 1 && id <= OPERATOR_MAX)
			key_file(gateway, entry->d_name, id);
	}
	(void)closedir(dir);
	if (gateway->operators_n == 0)
		log_warn_as("gateway.keys.none",
			"found no operator-<n>.key in %s: no operator can make requests", path);
}

static bool unknown(struct gateway *gateway, struct edge_request *request, const char *found)
{
	uint32_t retry_s = 1;

	/* The limit slows down guesses only, not valid keys. */
	if (!limit_take(&gateway->by_address, limit_key(edge_peer(request)) ^ 1,
		    edge_now_us(gateway->edge), &retry_s))
		return too_many(gateway, request, retry_s);
	unauthorized(request, "operator_key", found, "Bearer and the operator's key, or a session");
	return false;
}

/* The permission of a route that no row of core/permits.c names is nobody's. */
static bool route_permission(struct edge_request *request, enum permission *permission_r)
{
	const struct edge_route *route = edge_route_of(request);

	if (permit_of_route(route->method == EDGE_POST, route->pattern, permission_r))
		return true;
	log_error_as("gateway.route.without_permission",
		"ALARM the route %s has no permission in the table: its requests are refused",
		route->pattern);
	wrong_denied(request, "not_permitted");
	edge_answer_error(request, 403, "not_permitted",
		"This route has no permission in the server's "
		"table, so nobody may use it.",
		NULL, NULL, NULL);
	return false;
}

static bool auth_session_of(struct gateway *gateway, struct edge_request *request,
	uint32_t *operator_r, const struct staff_session **session_r)
{
	*session_r = staff_session_of(gateway, request);
	if (*session_r == NULL && staff_waits(gateway, request))
		return false;
	if (*session_r == NULL)
		return unknown(gateway, request, "no key and no open session");
	*operator_r = (*session_r)->operator_id;
	return true;
}

static bool auth_key_of(struct gateway *gateway, struct edge_request *request, const char *text,
	uint32_t *operator_r)
{
	const struct operator_key *key = operator_key_of(gateway, text);

	if (key == NULL)
		return wrong_noted(gateway, request, WRONG_KEY) &&
		       unknown(gateway, request, "an unknown key");
	*operator_r = key->id;
	operator_key_used(key);
	return true;
}

static bool key_may(struct edge_request *request, enum permission permission)
{
	if (key_permits(permission))
		return true;
	wrong_denied(request, "not_permitted");
	edge_answer_error(request, 403, "not_permitted",
		"Only a user with a session may do this, not a back end with a key.", NULL, NULL,
		NULL);
	return false;
}

/* Whose path it is comes first: what another operator's roles or confirmations would allow does not
 * matter. */
bool auth_operator(struct gateway *gateway, struct edge_request *request, uint32_t wanted,
	uint32_t *operator_r)
{
	const char *key = edge_header(request, EDGE_AUTHORIZATION);
	const struct staff_session *session = NULL;
	enum permission permission;

	*operator_r = 0;
	if (key == NULL ? !auth_session_of(gateway, request, operator_r, &session)
			: !auth_key_of(gateway, request, key, operator_r))
		return false;
	if (wanted != 0 && wanted != *operator_r) {
		wrong_denied(request, "other_operator");
		edge_answer_error(request, 403, "other_operator",
			key == NULL ? "This user belongs to another operator."
				    : "This key belongs to another operator.",
			"path", NULL, NULL);
		return false;
	}
	if (!route_permission(request, &permission) ||
		(session == NULL ? !key_may(request, permission)
				 : !staff_may(gateway, request, session, permission)))
		return false;
	if (edge_route_of(request)->method == EDGE_POST)
		audit_asked(gateway, request, *operator_r);
	return key_may_use(gateway, request, *operator_r, permission);
}

bool auth_operator_path(struct gateway *gateway, struct edge_request *request, uint32_t *operator_r)
{
	int64_t wanted;
	if (!number_read(edge_parameter(request, 0), 1, OPERATOR_MAX, &wanted)) {
		answer_bad(request, "operator", edge_parameter(request, 0),
			"a number from 1 to 32767");
		return false;
	}
	return auth_operator(gateway, request, (uint32_t)wanted, operator_r);
}

/* ---- keys of requests ---- */

bool auth_key(struct edge_request *request, const char **key_r)
{
	*key_r = edge_header(request, EDGE_IDEMPOTENCY_KEY);
	if (*key_r != NULL && key_ok(*key_r))
		return true;
	answer_bad(request, "Idempotency-Key", *key_r == NULL ? "nothing" : *key_r,
		"1 to 64 printable characters without spaces: a new key for each request, the "
		"same key for a retry");
	return false;
}

void auth_id(const char *first, const char *second, uint8_t id_r[ID_BYTES])
{
	crypto_hash_sha256_state state;
	uint8_t digest[crypto_hash_sha256_BYTES];
	(void)crypto_hash_sha256_init(&state);
	(void)crypto_hash_sha256_update(&state, (const unsigned char *)first, strlen(first) + 1);
	(void)crypto_hash_sha256_update(&state, (const unsigned char *)second, strlen(second));
	(void)crypto_hash_sha256_final(&state, digest);
	memcpy(id_r, digest, ID_BYTES);
}
