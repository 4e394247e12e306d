/* Amounts that need two. A request above GATEWAY_APPROVE_ABOVE is kept with the command that books
 * it; an approval sends this command to the wallet, under the id that the direct way would have
 * used, so it is booked once however often it is sent. Functions of the database (migrations/0023,
 * 0039) keep, decide and note it, each with its line of the audit log in one transaction; those of
 * migrations/0034 refuse before what the operator does not offer. What a user books alone adds up
 * to at most GATEWAY_APPROVE_SUM (0043_amount_alone). */
#include "services/gateway/adapters/amounts.h"
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/offers.h"
#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/staff.h"

#include "libcommon/base/alone.h"

#include "libcommon/base/hex.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_MS 4000
#define NUMBER_MAX 24
#define ID_HEX (2 * ID_BYTES)
#define DIGEST_TEXT (2 * STAFF_DIGEST_BYTES + 3)
#define PACKED_MAX 1200
#define TELL_AGE_S "10" /* the wallet is told again if it has not decided for so long */
#define TELL_MOST "16"

static struct {
	struct alone alone, sum;
	bool taking;
} amounts;

void amounts_begin(struct gateway *gateway)
{
	char error[ALONE_ERROR_MAX];

	if (!alone_read(gateway->settings.approve_above, &amounts.alone, error))
		fatal("GATEWAY_APPROVE_ABOVE: %s", error);
	if (!alone_read(gateway->settings.approve_sum, &amounts.sum, error))
		fatal("GATEWAY_APPROVE_SUM: %s", error);
}

bool amounts_alone(const struct currency *currency, int64_t minor)
{
	return alone_permits(&amounts.alone, currency, minor);
}

struct waiting {
	struct waiter waiter;	     /* first */
	struct service_request sent; /* to the wallet, if it is told */
	char game[SLUG_MAX + 1];     /* of bonus spins */
};

/* ---- what the database answers ---- */

#define COLUMNS                                                                                    \
	"http, coalesce(code, ''), encode((result).id, 'hex'), (result).player, "                  \
	"(result).command, (result).status, (result).asked_by, (extract(epoch from "               \
	"(result).expires) * 1000000)::bigint, (result).currency, "                                \
	"coalesce(encode((result).hold, 'hex'), ''), coalesce((result).game, '') "

enum { HTTP, CODE, ID, PLAYER, COMMAND, STATUS, ASKED_BY, EXPIRES, CURRENCY, WITHDRAWAL, GAME };

static const struct {
	const char *code, *message, *where, *expected;
} refusals[] = {
	{ "other_content",
		"This Idempotency-Key was already used for a different request. Nothing was done.",
		"Idempotency-Key", NULL },
	{ "approval_refused", "Another user or key has refused this request. Nothing was done.",
		"Idempotency-Key", "a new key, if it is to be asked for again" },
	{ "approval_expired", "Nobody approved this request in time. Nothing was done.", "id",
		"a new request with a new Idempotency-Key" },
	{ "approval_decided", "This request has already been decided otherwise.", "id",
		"the id of a request that waits for approval" },
	{ "approval_unknown", "No request with this id waits for approval.", "id",
		"the id of a request that waits for approval" },
	{ "same_approver", "The same user or key made the request. Another one must approve it.",
		"Authorization", "another user or key of the operator" },
	{ "payment_asked",
		"The provider has not said whether it paid: it may have paid or may still pay. "
		"To decide anyway, send \"force\":true.",
		"id", "an answer from the provider" },
	{ "provider_has_answered", "The provider has already reported a different outcome.",
		"decision", "the outcome that the provider reported" },
	{ "decided",
		"An operator has already made a different decision. The first decision stands.",
		"decision", "the first decision" },
	{ "decision_waiting", "Another decision about this withdrawal waits for approval.", "id",
		"its approval or refusal" },
	{ "player_pseudonymised", PSEUDONYMISED, "player", "a player who was not pseudonymised" },
};

static uint32_t operator_of(const PGresult *result)
{
	return player_operator(pg_number(result, 0, PLAYER));
}

/* `game`: of bonus spins. */
static void refuse(struct edge_request *request, const PGresult *result, const char *game)
{
	const char *code = PQgetvalue(result, 0, CODE);

	if (strcmp(code, "game_not_offered") == 0)
		offers_refuse_game(request, operator_of(result), game);
	else if (strcmp(code, "currency_not_accepted") == 0)
		offers_refuse_currency(request, operator_of(result),
			currency_by_number((uint32_t)pg_number(result, 0, CURRENCY)));
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (strcmp(refusals[i].code, code) == 0)
			edge_answer_error(request, (uint32_t)pg_number(result, 0, HTTP), code,
				refusals[i].message, refusals[i].where, NULL, refusals[i].expected);
}

/* Answers with what has become of a request that is not at the wallet. */
static void answer_kept(
	struct gateway *gateway, struct edge_request *request, const PGresult *result)
{
	struct json_out *out = &gateway->out;

	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "id", PQgetvalue(result, 0, ID));
	out_string(out, "status", PQgetvalue(result, 0, STATUS));
	out_string(out, "asked_by", PQgetvalue(result, 0, ASKED_BY));
	out_int(out, "expires_us", pg_number(result, 0, EXPIRES));
	if (PQgetvalue(result, 0, WITHDRAWAL)[0] != '\0')
		out_string(out, "withdrawal", PQgetvalue(result, 0, WITHDRAWAL));
	out_close(out, '}');
	answer_sent(gateway, request, (uint32_t)pg_number(result, 0, HTTP));
}

/* Sends the command that was kept. Without `request` nobody waits for the verdict. `sent.handed`:
 * it is recorded as approved, so some gateway tells the wallet in any case. */
static void tell(struct gateway *gateway, struct edge_request *request, struct service_request sent,
	const PGresult *result, int row)
{
	Carillon__WalletCommand command;
	Carillon__Outside *outside;
	size_t length;
	uint8_t *packed = pg_bytea(result, row, COMMAND, &length);

	outside = packed == NULL ? NULL : carillon__outside__unpack(NULL, length, packed);
	if (packed != NULL && length == 0) { /* removed, with the reason that it names */
		if (request != NULL)
			answer_pseudonymised(request);
		carillon__outside__free_unpacked(outside, NULL);
	} else if (outside == NULL) {
		log_error_as("gateway.amount.unreadable",
			"ALARM gateway.amount_request %s: its command cannot be read",
			PQgetvalue(result, row, ID));
		if (request != NULL)
			answer_unavailable(request, "a command that cannot be read");
	} else {
		carillon__wallet_command__init(&command);
		command.body_case = CARILLON__WALLET_COMMAND__BODY_OUTSIDE;
		command.outside = outside;
		sent.player = pg_number(result, row, PLAYER);
		(void)request_wallet(gateway, request, sent, &command);
		carillon__outside__free_unpacked(outside, NULL);
	}
	PQfreemem(packed);
}

/* ---- what the wallet has decided ---- */

static void on_noted(void *context, PGresult *result, const char *error)
{
	(void)context;
	/* The wallet is told again, and answers the same. */
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK)
		log_warn_as("gateway.amount.unnoted",
			"an approved amount: the wallet's verdict could not be noted: %s",
			error != NULL ? error : PQresultErrorMessage(result));
}

static void note(struct gateway *gateway, const struct service_request *sent,
	const Carillon__WalletFact *fact)
{
	char operator_text[NUMBER_MAX], id[ID_HEX + 3], refusal[NUMBER_MAX], status[NUMBER_MAX];
	const char *parameters[] = { operator_text, id, refusal, status };

	(void)snprintf(
		operator_text, sizeof(operator_text), "%" PRIu32, player_operator(sent->player));
	(void)snprintf(id, sizeof(id), "\\x%.32s", sent->text);
	(void)snprintf(refusal, sizeof(refusal), "%d", (int)fact->refusal);
	(void)snprintf(status, sizeof(status), "%" PRIu32, fact_status(sent, fact));
	pg_pool_query(gateway->pg,
		"select gateway.amount_booked($1::integer, $2::bytea, $3::integer, $4::integer)", 4,
		parameters, WRITE_MS, on_noted, NULL);
}

/* `sent.text` is the request's id. A wallet that does not know the kind yet has not decided. */
static void on_booked(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	struct json_out *out = &gateway->out;

	(void)reply;
	if (fact != NULL && fact->refusal != CARILLON__REFUSAL__REFUSAL_KIND)
		note(gateway, sent, fact);
	if (!fact_accepted(request, sent, fact))
		return;
	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "id", sent->text);
	out_string(out, "status", "booked");
	out_int(out, "balance_minor", fact->balance_after);
	out_uint(out, "seq", fact->envelope == NULL ? 0 : fact->envelope->seq);
	out_close(out, '}');
	answer_sent(gateway, request, 200);
}

static void on_taken(void *context, PGresult *result, const char *error)
{
	struct gateway *gateway = context;

	amounts.taking = false;
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK) {
		log_warn_as("gateway.amounts.unreadable", "cannot read the approved amounts: %s",
			error != NULL ? error : PQresultErrorMessage(result));
		return;
	}
	for (int i = 0; i < PQntuples(result); i++) {
		struct service_request sent = { .done = on_booked, .handed = true };

		(void)snprintf(sent.text, sizeof(sent.text), "%s", PQgetvalue(result, i, ID));
		tell(gateway, NULL, sent, result, i);
	}
}

void amounts_tick(struct gateway *gateway)
{
	if (amounts.taking)
		return;
	amounts.taking = true;
	pg_pool_query(gateway->pg,
		"select 200, '', encode(id, 'hex'), player, command from "
		"gateway.amount_take(" TELL_AGE_S ", " TELL_MOST ")",
		0, NULL, WRITE_MS, on_taken, gateway);
}

/* ---- asking ---- */

static void on_asked(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct gateway *gateway = waiting->waiter.gateway;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);

	if (request == NULL) {
		;
	} else if (PQgetvalue(result, 0, CODE)[0] != '\0') {
		refuse(request, result, waiting->game);
	} else if (pg_number(result, 0, HTTP) == 202) {
		answer_kept(gateway, request, result);
	} else {
		waiting->sent.handed = strcmp(PQgetvalue(result, 0, STATUS), "booked") != 0;
		tell(gateway, request, waiting->sent, result, 0);
	}
	free(waiting);
}

/* Who asks: the digest of the user or the key, the name, and the text for the audit log. True: a
 * user. */
static bool asker_texts(const struct gateway *gateway, struct edge_request *request,
	char digest_r[DIGEST_TEXT], char name_r[ASKER_MAX], char from_r[ASKER_FROM_MAX])
{
	struct asker asker;

	(void)asker_of(gateway, request, &asker);
	pg_bytea_text(asker.digest, sizeof(asker.digest), digest_r);
	(void)snprintf(name_r, ASKER_MAX, "%s", asker.name);
	asker_from(&asker, request, from_r);
	return edge_header(request, EDGE_AUTHORIZATION) == NULL;
}

static void command_text(const Carillon__Outside *outside, char out[2 * PACKED_MAX + 3])
{
	uint8_t packed[PACKED_MAX];

	if (carillon__outside__get_packed_size(outside) > sizeof(packed))
		fatal("a booking has more than %d bytes: the tables of request fields allow values "
		      "that are too long",
			PACKED_MAX);
	pg_bytea_text(packed, carillon__outside__pack(outside, packed), out);
}

static bool is_decision(const Carillon__Outside *outside)
{
	return outside->kind == CARILLON__MOVE_KIND__MOVE_CAPTURE ||
	       outside->kind == CARILLON__MOVE_KIND__MOVE_HOLD_RELEASE;
}

#define ASK_VALUES                                                                                 \
	"($1::integer, $2::bytea, $3::bytea, $4::bigint, $5, $6::integer, $7::bigint, $8, "        \
	"$9::bytea, $10::bytea, $11, $12, $13, $14::bigint, case when $15::boolean and "           \
	"$16::bigint is not null then gateway.amount_alone_takes($1::integer, $2::bytea, "         \
	"$10::bytea, $6::integer, $7::bigint, $16::bigint) else $15::boolean end"

static const char ask_sql[] =
	"select " COLUMNS "from gateway.amount_ask_offered" ASK_VALUES ", $17)";
static const char decision_sql[] = "select " COLUMNS "from gateway.decision_ask" ASK_VALUES
				   ", $17::bytea, $18::integer, $19::boolean)";

/* The sum up to which a user books alone. Back ends' keys have none: what they book is what players
 * pay, all day, and their amounts are limited one by one. NULL: no sum. */
static const char *sum_text(const struct amount *amount, bool user, char text[NUMBER_MAX])
{
	int64_t most = user ? alone_most(&amounts.sum, amount->currency) : ALONE_ANY;

	if (most == ALONE_ANY)
		return NULL;
	(void)snprintf(text, NUMBER_MAX, "%" PRId64, most);
	return text;
}

/* Keeps the request for another one to approve; where it needs nobody else (`alone`) it is kept
 * only in so far as it was before, when it did. */
static void keep(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, Carillon__Outside *outside, const struct amount *amount,
	bool alone)
{
	static char command[2 * PACKED_MAX + 3];
	char operator_text[NUMBER_MAX], id[ID_HEX + 3], content[ID_HEX + 3], player[NUMBER_MAX];
	char currency[NUMBER_MAX], minor[NUMBER_MAX], key[DIGEST_TEXT], name[ASKER_MAX];
	char from[ASKER_FROM_MAX], within[NUMBER_MAX], hold[ID_HEX + 3], kind[NUMBER_MAX];
	char sum[NUMBER_MAX];
	struct outside_ids ids;
	bool decision = is_decision(outside);
	bool user = asker_texts(gateway, request, key, name, from);
	struct waiting *waiting = waiter_new(sizeof(*waiting), gateway, request, sent->player);
	const char *parameters[] = { operator_text, id, content, player, sent->text, currency,
		minor, outside->reason == NULL ? "" : outside->reason, command, key, name, from,
		edge_request_id(request), within, alone ? "true" : "false",
		sum_text(amount, user, sum), decision ? hold : waiting->game, kind,
		amount->forced ? "true" : "false" };

	waiting->sent = *sent;
	if (amount->game != NULL)
		(void)snprintf(waiting->game, sizeof(waiting->game), "%s", amount->game);
	outside_identify(sent->player, outside, amount->key, &ids);
	command_text(outside, command);
	pg_bytea_text(ids.id, ID_BYTES, id);
	pg_bytea_text(ids.hash, ID_BYTES, content);
	(void)snprintf(
		operator_text, sizeof(operator_text), "%" PRIu32, player_operator(sent->player));
	(void)snprintf(player, sizeof(player), "%" PRId64, sent->player);
	(void)snprintf(currency, sizeof(currency), "%u", (unsigned)amount->currency->number);
	(void)snprintf(minor, sizeof(minor), "%" PRId64, amount->minor);
	(void)snprintf(within, sizeof(within), "%" PRId64, gateway->settings.approve_within_s);
	pg_bytea_text(outside->of.data, outside->of.len, hold);
	(void)snprintf(kind, sizeof(kind), "%d", (int)outside->kind);
	pg_pool_query(gateway->pg, decision ? decision_sql : ask_sql, decision ? 19 : 17,
		parameters, WRITE_MS, on_asked, waiting);
}

void amounts_book(struct gateway *gateway, struct edge_request *request,
	struct service_request sent, Carillon__Outside *outside, const struct amount *amount)
{
	keep(gateway, request, &sent, outside, amount,
		key_has_amounts(gateway, request) ||
			amounts_alone(amount->currency, amount->minor));
}

/* ---- deciding ---- */

static void on_decided(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct gateway *gateway = waiting->waiter.gateway;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);

	if (request == NULL)
		;
	else if (strcmp(PQgetvalue(result, 0, CODE), "payment_asked") == 0)
		edge_answer_error(request, 409, "payment_asked",
			"The provider has not said whether it paid: it may have paid or may still "
			"pay. This decision can be approved once it says so; or refuse it, and ask "
			"for one with \"force\":true.",
			"id", NULL, "an answer from the provider");
	else if (PQgetvalue(result, 0, CODE)[0] != '\0')
		refuse(request, result, PQgetvalue(result, 0, GAME));
	else if (strcmp(PQgetvalue(result, 0, STATUS), "refused") == 0)
		answer_kept(gateway, request, result);
	else
		tell(gateway, request, waiting->sent, result, 0);
	free(waiting);
}

static void decide(struct edge_request *request, struct gateway *gateway, bool approve)
{
	struct reason_body body = { 0 };
	struct waiting *waiting;
	char operator_text[NUMBER_MAX], id[ID_HEX + 3], key[DIGEST_TEXT], name[ASKER_MAX];
	char from[ASKER_FROM_MAX];
	uint8_t bytes[ID_BYTES];
	uint32_t operator_id;
	const char *given = edge_parameter(request, 1);
	const char *parameters[] = { operator_text, id, approve ? "true" : "false", key, name, from,
		edge_request_id(request), body.reason };

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!key_may_approve(gateway, request, operator_id))
		return;
	if (!hex_parse(given, ID_BYTES, bytes)) {
		answer_bad(request, "id", given, "the 32 lower-case hex digits of the id");
		return;
	}
	if (!answer_parse(request, reason_fields, &body))
		return;
	waiting = waiter_new(sizeof(*waiting), gateway, request, 0);
	waiting->sent.done = on_booked;
	waiting->sent.handed = true;
	(void)snprintf(waiting->sent.text, sizeof(waiting->sent.text), "%s", given);
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	pg_bytea_text(bytes, ID_BYTES, id);
	(void)asker_texts(gateway, request, key, name, from);
	pg_pool_query(gateway->pg,
		"select " COLUMNS "from gateway.amount_decide_offered($1::integer, $2::bytea, "
		"$3::boolean, $4::bytea, $5, $6, $7, $8)",
		8, parameters, WRITE_MS, on_decided, waiting);
}

void on_amount_approve(struct edge_request *request, void *context)
{
	decide(request, context, true);
}

void on_amount_refuse(struct edge_request *request, void *context)
{
	decide(request, context, false);
}
