/* Keys of operators' back ends: the rows of gateway.operator_key, read once a second beside the
 * files in CARILLON_KEYS; and what a key that is limited may not do. */
#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/staff.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define READ_MS 1000
#define USED_TICKS 10 /* seconds between two writes of when keys were used */
#define FOUND_MAX 64

/* ---- which keys there are ---- */

static struct {
	bool begun, reading, told, full;
	size_t files; /* so many of the keys are from files; they come first */
} keys;

size_t operator_keys_files(void)
{
	return keys.files;
}

/* False: the row's limits cannot be read, so the key is refused. */
static bool row_read(struct operator_key *key, const PGresult *result, int row)
{
	size_t length;
	uint8_t *digest = pg_bytea(result, row, 1, &length);
	bool good = length == sizeof(key->digest);

	memset(key, 0, sizeof(*key));
	key->id = (uint32_t)pg_number(result, row, 0);
	if (good)
		memcpy(key->digest, digest, length);
	PQfreemem(digest);
	digest = pg_bytea(result, row, 6, &length);
	good = good && length == sizeof(key->first);
	if (good)
		memcpy(key->first, digest, length);
	PQfreemem(digest);
	key->expires_us = (uint64_t)pg_number(result, row, 2);
	if (!PQgetisnull(result, row, 3))
		good = scope_kinds_read(PQgetvalue(result, row, 3), &key->scope) && good;
	if (!PQgetisnull(result, row, 4))
		good = scope_amounts_read(PQgetvalue(result, row, 4), &key->scope) && good;
	if (!PQgetisnull(result, row, 5))
		good = scope_pools_read(PQgetvalue(result, row, 5), &key->scope) && good;
	return good;
}

static void on_rows(void *context, PGresult *result, const char *error)
{
	struct gateway *gateway = context;
	size_t unread = 0;

	keys.reading = false;
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK) {
		log_warn_as("gateway.operator_keys.unreadable",
			"cannot read the keys of operators: %s; those already known stay in force",
			error != NULL ? error : PQresultErrorMessage(result));
		return;
	}
	if (keys.files + (size_t)PQntuples(result) > OPERATORS_MAX && !keys.full)
		log_error_as("gateway.operator_keys.too_many",
			"ALARM more than %d keys of operators are in force: the newest ones are "
			"refused",
			OPERATORS_MAX);
	keys.full = keys.files + (size_t)PQntuples(result) > OPERATORS_MAX;
	gateway->operators_n = keys.files;
	for (int i = 0; i < PQntuples(result) && gateway->operators_n < OPERATORS_MAX; i++)
		if (row_read(&gateway->operators[gateway->operators_n], result, i))
			gateway->operators_n++;
		else
			unread++;
	if (unread > 0 && !keys.told)
		log_error_as("gateway.operator_keys.bad_limits",
			"ALARM the limits of %zu keys in gateway.operator_key cannot be read: "
			"these keys are refused",
			unread);
	keys.told = unread > 0;
}

/* ---- when they were used ---- */

/* Digests of the keys that were used since the last write. */
static struct {
	uint8_t digest[OPERATORS_MAX][32];
	size_t n;
	unsigned ticks;
} used;

void operator_key_used(const struct operator_key *key)
{
	for (size_t i = 0; i < used.n; i++)
		if (memcmp(used.digest[i], key->digest, sizeof(key->digest)) == 0)
			return;
	if (used.n < OPERATORS_MAX)
		memcpy(used.digest[used.n++], key->digest, sizeof(key->digest));
}

static void on_used(void *context, PGresult *result, const char *error)
{
	(void)context;
	if (result == NULL || PQresultStatus(result) != PGRES_COMMAND_OK)
		log_warn_as("gateway.operator_keys.use_unnoted",
			"cannot write when keys of operators were used: %s",
			error != NULL ? error : PQresultErrorMessage(result));
}

static void used_write(struct gateway *gateway)
{
	/* "\\x" and 64 digits, in quotes, with a comma. */
	static char list[OPERATORS_MAX * (2 * 32 + 6) + 3];
	const char *parameters[] = { list };
	size_t n = (size_t)sprintf(list, "{");

	if (used.n == 0 || ++used.ticks < USED_TICKS)
		return;
	for (size_t i = 0; i < used.n; i++) {
		char text[2 * 32 + 3];
		pg_bytea_text(used.digest[i], 32, text);
		n += (size_t)sprintf(list + n, "%s\"\\%s\"", i == 0 ? "" : ",", text);
	}
	(void)sprintf(list + n, "}");
	used.n = 0;
	used.ticks = 0;
	pg_pool_query(gateway->pg,
		"update gateway.operator_key set used = now() where digest = any ($1::bytea[])", 1,
		parameters, READ_MS, on_used, NULL);
}

/* ---- reading ---- */

void operator_keys_tick(struct gateway *gateway)
{
	if (!keys.begun)
		keys.files = gateway->operators_n;
	keys.begun = true;
	used_write(gateway);
	if (keys.reading)
		return;
	keys.reading = true;
	pg_pool_query(gateway->pg_ro,
		"select operator, digest, coalesce((extract(epoch from expires) * "
		"1000000)::bigint, 0), case when read_only then 'read' else scopes end, amounts, "
		"pools, coalesce(first, digest) from gateway.operator_key where revoked is null and (expires is null or "
		"expires > now()) order by created limit 513",
		0, NULL, READ_MS, on_rows, gateway);
}

/* Compares with every key in full: the time taken reveals nothing. */
const struct operator_key *operator_key_of(const struct gateway *gateway, const char *text)
{
	const struct operator_key *found = NULL;
	uint8_t digest[32];

	(void)crypto_hash_sha256(digest, (const unsigned char *)text, strlen(text));
	for (size_t i = 0; i < gateway->operators_n; i++)
		if (sodium_memcmp(digest, gateway->operators[i].digest, sizeof(digest)) == 0)
			found = &gateway->operators[i];
	/* Also while the table cannot be read. */
	if (found != NULL && found->expires_us != 0 && found->expires_us <= clock_wall_us())
		return NULL;
	return found;
}

/* ---- what a key may not do ---- */

/* Of the request's key; NULL: not limited, or a user's session. A key that has ended since the
 * request was accepted may do nothing more. */
static const struct scope *scope_of(
	const struct gateway *gateway, const struct edge_request *request)
{
	static const struct scope nothing = { .by_kind = true, .by_amount = true, .by_pool = true };
	const char *text = edge_header(request, EDGE_AUTHORIZATION);
	const struct operator_key *key;

	if (text == NULL)
		return NULL;
	key = operator_key_of(gateway, text);
	if (key == NULL)
		return &nothing;
	return scope_is_limited(&key->scope) ? &key->scope : NULL;
}

struct refusal {
	uint32_t operator_id;
	const char *subject, *message, *where, *found, *allowed;
};

/* What was found and allowed are words, numbers and codes of our own: they need no escaping. */
static bool refuse(
	struct gateway *gateway, struct edge_request *request, const struct refusal *refusal)
{
	char content[2 * SCOPE_TEXT_MAX + 200];

	(void)snprintf(content, sizeof(content),
		"{\"where\":\"%s\",\"found\":\"%s\",\"allowed\":\"%s\"}", refusal->where,
		refusal->found, refusal->allowed);
	if (edge_route_of(request)->method == EDGE_POST)
		audit_write_of(gateway, edge_ticket(request), refusal->operator_id,
			"scope exceeded", refusal->subject, content, 403);
	wrong_denied(request, "scope_exceeded");
	edge_answer_error(request, 403, "scope_exceeded", refusal->message, refusal->where,
		refusal->found, refusal->allowed);
	return false;
}

#define NAMES_NO_AMOUNT                                                                            \
	"The amounts that this key may move are limited, and this request names no amount. "       \
	"Nothing was done."

/* The refusal names the scope that is missing. `refusal` has the subject. */
static bool kind_refused(struct gateway *gateway, struct edge_request *request,
	struct refusal refusal, const struct scope *scope, enum scope_kind kind)
{
	char found[SCOPE_TEXT_MAX];

	scope_kinds_text(scope, found);
	refusal.message = "This key lacks the scope that the request needs. Nothing was done.";
	refusal.where = "scope";
	refusal.found = found[0] == '\0' ? "none" : found;
	refusal.allowed = scope_kind_names[kind];
	return refuse(gateway, request, &refusal);
}

bool key_may_use(struct gateway *gateway, struct edge_request *request, uint32_t operator_id,
	enum permission permission)
{
	const struct scope *scope = scope_of(gateway, request);
	const struct edge_route *route = edge_route_of(request);
	bool post = route->method == EDGE_POST;
	enum scope_kind kind;
	struct refusal refusal = { .operator_id = operator_id,
		.subject = route->pattern,
		.where = "Authorization",
		.found = permission_names[permission],
		.allowed = "a key without limits" };

	if (scope == NULL || scope_permits(scope, post, permission))
		return true;
	if (!scope_kind_of(post, permission, &kind))
		refusal.message = "A key with limits may not make or change users, keys and "
				  "webhooks, nor deal with dead letters. Nothing was done.";
	else if (!scope_has(scope, kind))
		return kind_refused(gateway, request, refusal, scope, kind);
	else
		refusal.message = NAMES_NO_AMOUNT;
	return refuse(gateway, request, &refusal);
}

bool asker_may_change(
	struct gateway *gateway, const struct edge_request *request, enum permission permission)
{
	const struct scope *scope = scope_of(gateway, request);
	struct asker asker;

	if (!asker_of(gateway, request, &asker))
		return false;
	return asker.session != NULL ? roles_permit(asker.session->roles, permission)
				     : scope == NULL || scope_permits(scope, true, permission);
}

bool key_may_approve(struct gateway *gateway, struct edge_request *request, uint32_t operator_id)
{
	const struct refusal refusal = { .operator_id = operator_id,
		.subject = edge_route_of(request)->pattern,
		.message = NAMES_NO_AMOUNT,
		.where = "Authorization",
		.found = "approval",
		.allowed = "a key without limits" };

	return !key_has_amounts(gateway, request) || refuse(gateway, request, &refusal);
}

bool key_may_stop(struct gateway *gateway, struct edge_request *request, uint32_t operator_id)
{
	const struct scope *scope = scope_of(gateway, request);
	const struct refusal refusal = { .operator_id = operator_id,
		.subject = edge_route_of(request)->pattern,
		.message = "This key is limited to single pools, and a game has stakes in others. "
			   "Nothing was done.",
		.where = "Authorization",
		.found = "games",
		.allowed = "a key that is not limited to pools" };

	return scope == NULL || !scope->by_pool || refuse(gateway, request, &refusal);
}

bool key_has_amounts(const struct gateway *gateway, const struct edge_request *request)
{
	const struct scope *scope = scope_of(gateway, request);

	return scope != NULL && scope->by_amount;
}

static bool amount_refused(struct gateway *gateway, struct edge_request *request,
	struct refusal refusal, const struct scope *scope, const struct currency *currency,
	int64_t minor)
{
	char found[FOUND_MAX], allowed[SCOPE_TEXT_MAX];

	scope_amount_text(scope, currency, allowed);
	(void)snprintf(found, sizeof(found), "%" PRId64 " %s", minor, currency->code);
	refusal.message = "The amount is above what this key may move in one request. Nothing was "
			  "done.";
	refusal.found = found;
	refusal.allowed = allowed;
	return refuse(gateway, request, &refusal);
}

bool key_may_move(struct gateway *gateway, struct edge_request *request, player_id player,
	const struct currency *currency, int64_t minor)
{
	const struct scope *scope = scope_of(gateway, request);
	struct refusal refusal = { .operator_id = player_operator(player),
		.where = "amount_minor" };
	char subject[PLAYER_TEXT_MAX];

	player_id_format(player, subject);
	refusal.subject = subject;
	/* Bonus spins are money, too. */
	if (scope != NULL && !scope_has(scope, SCOPE_MONEY))
		return kind_refused(gateway, request, refusal, scope, SCOPE_MONEY);
	if (scope == NULL || scope_permits_amount(scope, currency, minor))
		return true;
	return amount_refused(gateway, request, refusal, scope, currency, minor);
}

bool key_may_pool(
	struct gateway *gateway, struct edge_request *request, uint32_t operator_id, uint32_t pool)
{
	const struct scope *scope = scope_of(gateway, request);
	char subject[FOUND_MAX], found[FOUND_MAX], allowed[SCOPE_TEXT_MAX];
	struct refusal refusal = { .operator_id = operator_id,
		.subject = subject,
		.message = "This key is limited to other pools. Nothing was done.",
		.where = "pool",
		.found = found,
		.allowed = allowed };

	if (scope == NULL || scope_permits_pool(scope, pool))
		return true;
	(void)snprintf(subject, sizeof(subject), "pool %" PRIu32, pool);
	(void)snprintf(found, sizeof(found), "pool %" PRIu32, pool);
	scope_pools_text(scope, allowed);
	return refuse(gateway, request, &refusal);
}

bool key_sees_pool(const struct gateway *gateway, const struct edge_request *request, uint32_t pool)
{
	const struct scope *scope = scope_of(gateway, request);

	return scope == NULL || scope_permits_pool(scope, pool);
}

/* Where a pool's money goes: a member "pool" with a number, anywhere in the parameters. */
static bool pools_may(
	struct gateway *gateway, struct edge_request *request, uint32_t operator_id, json_t *json)
{
	const char *name;
	json_t *value;
	size_t i;

	json_array_foreach(
		json, i, value) if (!pools_may(gateway, request, operator_id, value)) return false;
	json_object_foreach(json, name, value)
	{
		json_int_t pool = json_integer_value(value);
		if (strcmp(name, "pool") == 0 && json_is_integer(value) &&
			!key_may_pool(gateway, request, operator_id,
				pool < 0 || pool > UINT32_MAX ? 0 : (uint32_t)pool))
			return false;
		if (!pools_may(gateway, request, operator_id, value))
			return false;
	}
	return true;
}

/* Pausing and taking part move nothing. Of an adjustment the amount is compared; what the other
 * actions move or make a jackpot worth, no request names. */
static bool action_may(struct gateway *gateway, struct edge_request *request, uint32_t operator_id,
	const struct pool_asked *asked, const json_t *json)
{
	const struct scope *scope = scope_of(gateway, request);
	const json_t *delta = json_object_get(json, "delta_minor");
	const char *code = json_string_value(json_object_get(json, "currency"));
	const struct currency *currency = currency_by_code(code == NULL ? "EUR" : code);
	char subject[FOUND_MAX];
	struct refusal refusal = { .operator_id = operator_id,
		.subject = subject,
		.message = "The amounts that this key may move are limited, and this action names "
			   "no amount. Nothing was done.",
		.where = "action",
		.found = asked->name,
		.allowed = "pause, resume, take_part, or adjust with delta_minor" };

	if (scope == NULL || !scope->by_amount || asked->moves == POOL_MOVES_NOTHING)
		return true;
	(void)snprintf(subject, sizeof(subject), "pool %" PRIu32, asked->pool);
	if (asked->moves == POOL_MOVES_UNKNOWN || currency == NULL || !json_is_integer(delta))
		return refuse(gateway, request, &refusal);
	if (scope_permits_amount(scope, currency, json_integer_value(delta)))
		return true;
	refusal.where = "parameters.delta_minor";
	return amount_refused(
		gateway, request, refusal, scope, currency, json_integer_value(delta));
}

bool key_may_act(struct gateway *gateway, struct edge_request *request, uint32_t operator_id,
	const struct pool_asked *asked)
{
	json_t *json;
	bool may;

	if (scope_of(gateway, request) == NULL)
		return true;
	json = json_loads(asked->parameters[0] != '\0' ? asked->parameters : "{}", 0, NULL);
	may = pools_may(gateway, request, operator_id, json) &&
	      action_may(gateway, request, operator_id, asked, json);
	json_decref(json);
	return may;
}
