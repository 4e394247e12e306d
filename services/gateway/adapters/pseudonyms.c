/* To pseudonymise a player: what people typed about them, and what they chose, is removed outside
 * the ledger, for ever. One key or user of the operator asks, another one approves or refuses.
 * Functions of the database (migrations/0040) check that nothing is left to be settled, and do it
 * all in one transaction with its line of the audit log: a gateway that dies has done all or
 * nothing of it. */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/pool_actions.h"
#include "services/gateway/adapters/staff.h"

#include "libcommon/edge/revoked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 24
#define ID_TEXT (2 * ID_BYTES + 3)
#define DIGEST_TEXT (2 * STAFF_DIGEST_BYTES + 3)
#define WRITE_MS 8000			/* it waits for all who write notes or requests */
#define FOR_EVER_S UINT64_C(7258118400) /* 2200: no token is issued later */

/* ---- who was pseudonymised ---- */

void answer_pseudonymised(struct edge_request *request)
{
	edge_answer_error(request, 409, "player_pseudonymised", PSEUDONYMISED, "player", NULL,
		"a player who was not pseudonymised");
}

/* The row that ends their sessions ends those that begin until 2200, too. */
bool player_pseudonymised(
	const struct gateway *gateway, struct edge_request *request, player_id player)
{
	if (revoked_before_s(gateway->revoked, player) < FOR_EVER_S)
		return false;
	answer_pseudonymised(request);
	return true;
}

/* ---- answers ---- */

#define COLUMNS                                                                                    \
	"http, coalesce(code, ''), coalesce(remains, ''), encode((result).id, 'hex'), "            \
	"(result).player, (result).status, (result).reason, (result).asked_by, "                   \
	"coalesce((result).decided_by, ''), (extract(epoch from (result).asked) * "                \
	"1000000)::bigint, (extract(epoch from (result).decided) * 1000000)::bigint, "             \
	"(result).notes, (result).requests, (result).letters, (result).events "
enum {
	HTTP,
	CODE,
	REMAINS,
	ID,
	PLAYER,
	STATUS,
	REASON,
	ASKED_BY,
	DECIDED_BY,
	ASKED_US,
	DECIDED_US,
	NOTES,
	REQUESTS,
	LETTERS,
	EVENTS
};

/* What gateway.player_left may name. */
static const struct {
	const char *what, *found, *expected;
} lefts[] = {
	{ "account", "a booking of the last second", "the same request in a second" },
	{ "block", "a player who may play", "a block of the player" },
	{ "balance", "money in the balance", "a balance of 0: withdraw what is left" },
	{ "pending", "money of an open round", "a round that was played to its end" },
	{ "jackpot", "a jackpot or Jackpot Cards that are not paid yet", "their payment" },
	{ "withdrawal", "a withdrawal that is held", "its payment or its release" },
	{ "bonus_spins", "bonus spins that are left", "their end" },
	{ "amount", "an amount that is not booked yet", "its booking or its refusal" },
	{ "void", "a void that waits for approval", "its approval or refusal" },
	{ "dead_letter", "a dead letter that waits", "the letter sent again or settled" },
	{ "request", "another such request, which waits for approval", "its approval or refusal" },
};

static const struct {
	const char *code, *message, *where, *expected;
} refusals[] = {
	{ "other_content",
		"This Idempotency-Key was already used for a different request. Nothing was done.",
		"Idempotency-Key", NULL },
	{ "approval_refused", "Another user or key has refused this request. Nothing was done.",
		"Idempotency-Key", "a new key, if it is to be asked for again" },
	{ "approval_decided", "This request has already been decided otherwise.", "id",
		"the id of a request that waits for approval" },
	{ "approval_unknown", "No request with this id waits for approval.", "id",
		"the id of a request that waits for approval" },
};

static void refuse(struct edge_request *request, const PGresult *result)
{
	const char *code = PQgetvalue(result, 0, CODE), *left = PQgetvalue(result, 0, REMAINS);

	if (strcmp(code, "player_unknown") == 0)
		player_unknown(request);
	else if (strcmp(code, "same_approver") == 0)
		answer_same_approver(request);
	else if (strcmp(code, "player_pseudonymised") == 0)
		answer_pseudonymised(request);
	for (size_t i = 0; i < sizeof(lefts) / sizeof(lefts[0]); i++)
		if (strcmp(lefts[i].what, left) == 0)
			edge_answer_error(request, 409, code,
				"Something of the player is not settled yet. Nothing was done.",
				left, lefts[i].found, lefts[i].expected);
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (strcmp(refusals[i].code, code) == 0)
			edge_answer_error(request, (uint32_t)pg_number(result, 0, HTTP), code,
				refusals[i].message, refusals[i].where, NULL, refusals[i].expected);
}

static void pseudonym_json(struct json_out *out, const PGresult *result)
{
	char player[PLAYER_TEXT_MAX];

	player_id_format((player_id)pg_number(result, 0, PLAYER), player);
	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "id", PQgetvalue(result, 0, ID));
	out_string(out, "player", player);
	out_string(out, "status", PQgetvalue(result, 0, STATUS));
	out_string(out, "reason", PQgetvalue(result, 0, REASON));
	out_string(out, "asked_by", PQgetvalue(result, 0, ASKED_BY));
	out_string(out, "decided_by", PQgetvalue(result, 0, DECIDED_BY));
	out_int(out, "asked_us", pg_number(result, 0, ASKED_US));
	out_int(out, "decided_us", pg_number(result, 0, DECIDED_US));
	out_open(out, "removed", '{');
	out_int(out, "notes", pg_number(result, 0, NOTES));
	out_int(out, "requests", pg_number(result, 0, REQUESTS));
	out_int(out, "dead_letters", pg_number(result, 0, LETTERS));
	out_int(out, "dead_events", pg_number(result, 0, EVENTS));
	out_close(out, '}');
	out_close(out, '}');
}

static void on_answer(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct edge_request *request = waiter_rows(waiter, result, error);

	if (request != NULL && PQgetvalue(result, 0, CODE)[0] != '\0') {
		refuse(request, result);
	} else if (request != NULL) {
		pseudonym_json(&waiter->gateway->out, result);
		answer_sent(waiter->gateway, request, (uint32_t)pg_number(result, 0, HTTP));
	}
	free(waiter);
}

/* ---- asking and deciding ---- */

/* Who asks for what, as parameters of a query. */
struct texts {
	char operator_id[NUMBER_MAX], player[NUMBER_MAX], id[ID_TEXT], content[ID_TEXT];
	char key[DIGEST_TEXT], name[ASKER_MAX], from[ASKER_FROM_MAX];
};

static void texts_fill(const struct gateway *gateway, struct edge_request *request,
	player_id player, struct texts *texts)
{
	struct asker asker = { 0 };

	(void)asker_of(gateway, request, &asker);
	(void)snprintf(texts->operator_id, sizeof(texts->operator_id), "%" PRIu32,
		player_operator(player));
	(void)snprintf(texts->player, sizeof(texts->player), "%" PRId64, player);
	pg_bytea_text(asker.digest, sizeof(asker.digest), texts->key);
	(void)snprintf(texts->name, sizeof(texts->name), "%s", asker.name);
	asker_from(&asker, request, texts->from);
}

void on_pseudonymise(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct reason_body body = { 0 };
	struct texts texts;
	char name[PLAYER_TEXT_MAX];
	uint8_t id[ID_BYTES], content[ID_BYTES];
	uint32_t operator_id;
	player_id player;
	const char *key;
	const char *parameters[] = { texts.operator_id, texts.id, texts.content, texts.player,
		body.reason, texts.key, texts.name, texts.from, edge_request_id(request) };

	if (!auth_operator_path(gateway, request, &operator_id) || !auth_key(request, &key) ||
		!player_path(request, operator_id, &player) ||
		!answer_parse(request, reason_fields, &body))
		return;
	player_id_format(player, name);
	auth_id(key, "pseudonymise", id);
	auth_id(name, body.reason, content);
	texts_fill(gateway, request, player, &texts);
	pg_bytea_text(id, ID_BYTES, texts.id);
	pg_bytea_text(content, ID_BYTES, texts.content);
	pg_pool_query(gateway->pg,
		"select " COLUMNS "from gateway.pseudonym_ask($1::integer, $2::bytea, $3::bytea, "
		"$4::bigint, $5, $6::bytea, $7, $8, $9)",
		9, parameters, WRITE_MS, on_answer,
		waiter_new(sizeof(struct waiter), gateway, request, player));
}

static void decide(struct edge_request *request, struct gateway *gateway, bool approve)
{
	struct reason_body body = { 0 };
	struct texts texts;
	uint8_t id[ID_BYTES];
	uint32_t operator_id;
	player_id player;
	const char *parameters[] = { texts.operator_id, texts.player, texts.id,
		approve ? "true" : "false", texts.key, texts.name, texts.from,
		edge_request_id(request), body.reason };

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!player_path(request, operator_id, &player) || !id_path(request, id) ||
		!key_may_approve(gateway, request, operator_id) ||
		!answer_parse(request, reason_fields, &body))
		return;
	texts_fill(gateway, request, player, &texts);
	pg_bytea_text(id, ID_BYTES, texts.id);
	pg_pool_query(gateway->pg,
		"select " COLUMNS "from gateway.pseudonym_decide($1::integer, $2::bigint, "
		"$3::bytea, $4::boolean, $5::bytea, $6, $7, $8, $9)",
		9, parameters, WRITE_MS, on_answer,
		waiter_new(sizeof(struct waiter), gateway, request, player));
}

void on_pseudonym_approve(struct edge_request *request, void *context)
{
	decide(request, context, true);
}

void on_pseudonym_refuse(struct edge_request *request, void *context)
{
	decide(request, context, false);
}
