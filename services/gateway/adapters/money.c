/* What operators' back ends do: open accounts, sessions, money from and to outside, blocks; and
 * demo players, who are their own operator. */
#include "services/gateway/adapters/gateway.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DEMO_OPERATOR 1
#define DEMO_DEPOSIT_UNITS 1000 /* of the currency: 1,000.00 */
#define DEMO_NUMBER_MIN                                                                            \
	UINT64_C(100000000) /* random ones lie above, so that small numbers stay for tests */

/* ---- shared
 * ----------------------------------------------------------------------------------------------------------------------
 */

static bool currency_ok(
	struct edge_request *request, const char *code, const struct currency **currency_r)
{
	*currency_r = currency_by_code(code);
	if (*currency_r != NULL)
		return true;
	answer_bad(request, "currency", code, "a currency by its ISO 4217 code, as \"EUR\"");
	return false;
}

static bool token_for(struct gateway *gateway, struct edge_request *request, player_id player,
	char token[TOKEN_MAX], uint64_t *expires_s_r)
{
	if (token_issue(gateway->token_key, player, clock_wall_us() / SECOND_US,
		    (uint64_t)gateway->settings.session_s, token, expires_s_r) == TOKEN_OK)
		return true;
	log_error("no token could be made");
	edge_answer_error(
		request, 500, "token", "The session could not be made.", NULL, NULL, NULL);
	return false;
}

/* {n} of the path as a player of the operator. */
static bool player_path(struct edge_request *request, uint32_t operator_id, player_id *player_r)
{
	int64_t number;
	if (number_read(edge_parameter(request, 1), 1, (int64_t)PLAYER_NUMBER_MAX, &number) &&
		player_id_make(operator_id, (uint64_t)number, player_r))
		return true;
	answer_bad(request, "player", edge_parameter(request, 1),
		"the player's number with this operator, without the operator's own");
	return false;
}

/* ---- verdicts of the wallet
 * ---------------------------------------------------------------------------------------------------------
 */

static const struct {
	Carillon__Refusal refusal;
	uint32_t status;
	const char *code, *message;
} refusals[] = {
	{ CARILLON__REFUSAL__REFUSAL_FUNDS, 402, "insufficient_funds",
		"The balance does not hold so much." },
	{ CARILLON__REFUSAL__REFUSAL_LIMIT, 409, "limit", "A limit does not allow it." },
	{ CARILLON__REFUSAL__REFUSAL_BLOCKED, 403, "blocked", "The player is blocked." },
	{ CARILLON__REFUSAL__REFUSAL_ACCOUNT, 404, "account_unknown",
		"There is no such account, or it is of another currency." },
	{ CARILLON__REFUSAL__REFUSAL_CONTENT, 422, "other_content",
		"The same Idempotency-Key was used with other content. Nothing was done." },
	{ CARILLON__REFUSAL__REFUSAL_KIND, 503, "not_understood",
		"The wallet does not know this kind of booking yet." },
	{ CARILLON__REFUSAL__REFUSAL_AMOUNT, 400, "amount", "The amount is not possible." },
};

/* 200, or the status of the refusal, which is answered where somebody waits. */
static uint32_t refusal_answer(struct edge_request *request, const Carillon__WalletFact *fact)
{
	uint32_t status = 409;
	const char *code = "refused";
	const char *message = "The wallet refused it.";
	if (fact->refusal == CARILLON__REFUSAL__REFUSAL_NONE)
		return 200;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		if (fact->refusal != refusals[i].refusal)
			continue;
		status = refusals[i].status;
		code = refusals[i].code;
		message = refusals[i].message;
	}
	if (request != NULL)
		edge_answer_error(request, status, code, message, NULL, NULL, NULL);
	return status;
}

/* Before the answer: with that the request ends. */
static void audit_fact(struct gateway *gateway, struct edge_request *request, const struct ask *ask,
	const Carillon__WalletFact *fact)
{
	char content[256];
	(void)snprintf(content, sizeof(content),
		"{\"amount_minor\":%" PRId64 ",\"currency\":%" PRIu32 ",\"seq\":%" PRIu64
		",\"balance_after_minor\":%" PRId64 ",\"refusal\":%d}",
		fact->amount, fact->currency, fact->envelope == NULL ? 0 : fact->envelope->seq,
		fact->balance_after, (int)fact->refusal);
	uint32_t status = 409;
	if (fact->refusal == CARILLON__REFUSAL__REFUSAL_NONE)
		status = 200;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (fact->refusal == refusals[i].refusal)
			status = refusals[i].status;
	audit_write(gateway, request, player_operator(ask->player), ask->text, ask->player, content,
		status);
}

static void on_money_fact(struct gateway *gateway, struct edge_request *request,
	const struct ask *ask, const Carillon__SpinReply *reply, const Carillon__WalletFact *fact)
{
	struct json_out *out = &gateway->out;
	(void)reply;
	if (fact == NULL) {
		audit_write(gateway, request, player_operator(ask->player), ask->text, ask->player,
			"{}", 504);
		if (request != NULL)
			ask_no_answer(request);
		return;
	}
	audit_fact(gateway, request, ask, fact);
	if (refusal_answer(request, fact) != 200 || request == NULL)
		return;
	out_begin(out);
	out_open(out, NULL, '{');
	if (fact->kind == CARILLON__MOVE_KIND__MOVE_BLOCK) {
		out_bool(out, "blocked", fact->amount != 0);
	} else {
		out_int(out, "balance_minor", fact->balance_after);
		out_uint(out, "seq", fact->envelope == NULL ? 0 : fact->envelope->seq);
		out_hex(out, "id", fact->outside_id.data, fact->outside_id.len);
	}
	out_close(out, '}');
	answer_sent(gateway, request, 200);
}

/* Sends money from or to outside; the id and the hash of the content are set here. */
static bool outside_ask(struct gateway *gateway, struct edge_request *request, struct ask ask,
	Carillon__Outside *outside, const char *key)
{
	Carillon__WalletCommand command = CARILLON__WALLET_COMMAND__INIT;
	uint8_t id[ID_BYTES];
	uint8_t hash[crypto_hash_sha256_BYTES];
	uint8_t packed[1024];
	char player[PLAYER_TEXT_MAX];
	char content[PLAYER_TEXT_MAX + 2 * sizeof(packed)];
	player_id_format(ask.player, player);
	size_t length = carillon__outside__get_packed_size(outside);
	if (length > sizeof(packed))
		fatal("a booking of %zu bytes: the tables let too much through", length);
	(void)carillon__outside__pack(outside, packed);
	(void)sodium_bin2hex(content, sizeof(content), packed, length);
	auth_id(player, content, hash);
	/* Ids are the operator's, not the player's: one key is one booking, whoever it is for. */
	(void)snprintf(player, sizeof(player), "%" PRIu32, player_operator(ask.player));
	auth_id(key, player, id);
	outside->id.data = id;
	outside->id.len = ID_BYTES;
	outside->content_hash.data = hash;
	outside->content_hash.len = ID_BYTES;
	command.body_case = CARILLON__WALLET_COMMAND__BODY_OUTSIDE;
	command.outside = outside;
	return ask_wallet(gateway, request, ask, &command);
}

static void money(struct edge_request *request, struct gateway *gateway, Carillon__MoveKind kind,
	const char *action, const struct field *fields)
{
	struct ask ask = { .done = on_money_fact };
	struct money_body body = { 0 };
	Carillon__Outside outside = CARILLON__OUTSIDE__INIT;
	const struct currency *currency;
	char actor[32];
	uint32_t operator_id;
	const char *key;
	if (!auth_operator_path(gateway, request, &operator_id) || !auth_key(request, &key) ||
		!player_path(request, operator_id, &ask.player) ||
		!answer_parse(request, fields, &body) ||
		!currency_ok(request, body.currency, &currency))
		return;
	if (body.amount_minor == 0) {
		answer_bad(request, "amount_minor", "0", "an amount that is not 0");
		return;
	}
	(void)snprintf(ask.text, sizeof(ask.text), "%s", action);
	(void)snprintf(actor, sizeof(actor), "operator-%" PRIu32, operator_id);
	outside.kind = kind;
	outside.amount_minor = body.amount_minor;
	outside.currency = currency->number;
	outside.reason = body.reason;
	outside.actor = actor;
	(void)outside_ask(gateway, request, ask, &outside, key);
}

void on_deposit(struct edge_request *request, void *context)
{
	money(request, context, CARILLON__MOVE_KIND__MOVE_DEPOSIT, "deposit", money_fields);
}

void on_withdrawal(struct edge_request *request, void *context)
{
	money(request, context, CARILLON__MOVE_KIND__MOVE_WITHDRAWAL, "withdrawal", money_fields);
}

void on_correction(struct edge_request *request, void *context)
{
	money(request, context, CARILLON__MOVE_KIND__MOVE_CORRECTION, "correction",
		correction_fields);
}

void on_grant(struct edge_request *request, void *context)
{
	money(request, context, CARILLON__MOVE_KIND__MOVE_GRANT, "grant", money_fields);
}

void on_block(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct ask ask = { .done = on_money_fact, .text = "block" };
	struct block_body body = { 0 };
	Carillon__Outside outside = CARILLON__OUTSIDE__INIT;
	char actor[32];
	char own_key[40];
	uint32_t operator_id;
	const char *key = edge_header(request, EDGE_IDEMPOTENCY_KEY);
	if (!auth_operator_path(gateway, request, &operator_id) ||
		(key != NULL && !auth_key(request, &key)) ||
		!player_path(request, operator_id, &ask.player) ||
		!answer_parse(request, block_fields, &body))
		return;
	/* Without a key each request is one of its own: blocking twice does no harm. */
	(void)snprintf(own_key, sizeof(own_key), "block-%08" PRIx32 "%08" PRIx32,
		randombytes_random(), randombytes_random());
	(void)snprintf(ask.text, sizeof(ask.text), "%s", body.blocked ? "block" : "unblock");
	(void)snprintf(actor, sizeof(actor), "operator-%" PRIu32, operator_id);
	outside.kind = CARILLON__MOVE_KIND__MOVE_BLOCK;
	outside.amount_minor = body.blocked ? 1 : 0;
	outside.reason = body.reason;
	outside.actor = actor;
	(void)outside_ask(gateway, request, ask, &outside, key == NULL ? own_key : key);
}

/* ---- accounts and sessions
 * --------------------------------------------------------------------------------------------------------
 */

static void on_opened(struct gateway *gateway, struct edge_request *request, const struct ask *ask,
	const Carillon__SpinReply *reply, const Carillon__WalletFact *fact)
{
	struct json_out *out = &gateway->out;
	char player[PLAYER_TEXT_MAX];
	(void)fact;
	audit_write(gateway, request, player_operator(ask->player), "open", ask->player, "{}",
		reply == NULL ? 504 : reply->http_status);
	if (request == NULL)
		return;
	if (reply == NULL) {
		ask_no_answer(request);
		return;
	}
	if (reply->http_status != 200) {
		answer_reply(gateway, request, reply);
		return;
	}
	player_id_format(ask->player, player);
	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "player", player);
	out_string(out, "currency", reply->currency);
	out_int(out, "balance_minor", reply->balance_minor);
	out_close(out, '}');
	answer_sent(gateway, request, 201);
}

static void open_ask(struct gateway *gateway, struct edge_request *request, const struct ask *ask,
	char *currency)
{
	Carillon__SpinCommand command = CARILLON__SPIN_COMMAND__INIT;
	uint8_t id[ID_BYTES];
	char player[PLAYER_TEXT_MAX];
	player_id_format(ask->player, player);
	auth_id("open", player, id);
	command.kind = CARILLON__SPIN_KIND__SPIN_OPEN;
	command.currency = currency;
	command.request_id.data = id;
	command.request_id.len = ID_BYTES;
	command.content_hash.data = id;
	command.content_hash.len = ID_BYTES;
	(void)ask_spin(gateway, request, *ask, &command);
}

void on_open_player(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct ask ask = { .done = on_opened };
	struct account_body body = { 0 };
	const struct currency *currency;
	uint32_t operator_id;
	if (!auth_operator_path(gateway, request, &operator_id) ||
		!answer_parse(request, account_fields, &body) ||
		!currency_ok(request, body.currency, &currency))
		return;
	if (!player_id_make(operator_id, (uint64_t)body.player, &ask.player)) {
		answer_bad(
			request, "player", "a number that is no player's", "1 to 281474976710655");
		return;
	}
	open_ask(gateway, request, &ask, body.currency);
}

static void session_answer(struct gateway *gateway, struct edge_request *request, player_id player,
	const Carillon__SpinReply *state)
{
	struct json_out *out = &gateway->out;
	char token[TOKEN_MAX];
	char text[PLAYER_TEXT_MAX];
	uint64_t expires_s;
	if (!token_for(gateway, request, player, token, &expires_s))
		return;
	player_id_format(player, text);
	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "token", token);
	out_string(out, "player", text);
	out_uint(out, "expires_at", expires_s);
	if (state != NULL) {
		out_open(out, "state", '{');
		answer_state_members(out, state);
		out_close(out, '}');
	}
	out_close(out, '}');
	answer_sent(gateway, request, 200);
}

static void on_session_state(struct gateway *gateway, struct edge_request *request,
	const struct ask *ask, const Carillon__SpinReply *reply, const Carillon__WalletFact *fact)
{
	(void)fact;
	if (request == NULL)
		return;
	if (reply == NULL)
		ask_no_answer(request);
	else if (reply->http_status != 200)
		answer_reply(gateway, request, reply);
	else if (!reply->account)
		edge_answer_error(request, 404, "account_unknown", "There is no such account.",
			"player", NULL, "a player whose account was opened");
	else
		session_answer(gateway, request, ask->player, ask->number != 0 ? reply : NULL);
}

static void state_ask(struct gateway *gateway, struct edge_request *request, struct ask ask)
{
	Carillon__SpinCommand command = CARILLON__SPIN_COMMAND__INIT;
	command.kind = CARILLON__SPIN_KIND__SPIN_STATE;
	(void)ask_spin(gateway, request, ask, &command);
}

void on_session(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct ask ask = { .done = on_session_state };
	struct account_body body = { 0 };
	uint32_t operator_id;
	if (!auth_operator_path(gateway, request, &operator_id) ||
		!answer_parse(request, session_fields, &body))
		return;
	if (!player_id_make(operator_id, (uint64_t)body.player, &ask.player)) {
		answer_bad(
			request, "player", "a number that is no player's", "1 to 281474976710655");
		return;
	}
	state_ask(gateway, request, ask);
}

/* ---- demo players: open, then a deposit that can be made only once, then the state
 * ------------------------------------------------- */

static void on_demo_deposit(struct gateway *gateway, struct edge_request *request,
	const struct ask *ask, const Carillon__SpinReply *reply, const Carillon__WalletFact *fact)
{
	(void)reply;
	if (request == NULL)
		return;
	if (fact == NULL) {
		ask_no_answer(request);
		return;
	}
	/* Of another currency than when it was first opened: the money is there already. */
	if (fact->refusal != CARILLON__REFUSAL__REFUSAL_CONTENT &&
		refusal_answer(request, fact) != 200)
		return;
	state_ask(gateway, request,
		(struct ask){ .done = on_session_state, .player = ask->player, .number = 1 });
}

static void on_demo_opened(struct gateway *gateway, struct edge_request *request,
	const struct ask *ask, const Carillon__SpinReply *reply, const Carillon__WalletFact *fact)
{
	Carillon__Outside outside = CARILLON__OUTSIDE__INIT;
	static char actor[] = "demo";
	static char reason[] = "play money of a demo player";
	char key[PLAYER_TEXT_MAX + 16];
	char player[PLAYER_TEXT_MAX];
	(void)fact;
	if (request == NULL)
		return;
	if (reply == NULL) {
		ask_no_answer(request);
		return;
	}
	if (reply->http_status != 200) {
		answer_reply(gateway, request, reply);
		return;
	}
	const struct currency *currency = currency_by_code(reply->currency);
	if (currency == NULL) {
		edge_answer_error(request, 500, "currency",
			"The account's currency is unknown here.", "currency", reply->currency,
			NULL);
		return;
	}
	int64_t amount = DEMO_DEPOSIT_UNITS;
	for (uint32_t i = 0; i < currency->exponent; i++)
		amount *= 10;
	player_id_format(ask->player, player);
	(void)snprintf(key, sizeof(key), "demo-deposit-%s", player);
	outside.kind = CARILLON__MOVE_KIND__MOVE_DEPOSIT;
	outside.amount_minor = amount;
	outside.currency = currency->number;
	outside.reason = reason;
	outside.actor = actor;
	(void)outside_ask(gateway, request,
		(struct ask){ .done = on_demo_deposit, .player = ask->player }, &outside, key);
}

void on_demo_session(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct ask ask = { .done = on_demo_opened };
	struct account_body body = { .currency = "EUR" };
	const struct currency *currency;
	uint64_t number;
	if (!gateway->demo) {
		edge_answer_error(request, 404, "no_demo",
			"There are no demo players on a live installation.", NULL, NULL, NULL);
		return;
	}
	if (!auth_session_rate(gateway, request) || !answer_parse(request, demo_fields, &body) ||
		!currency_ok(request, body.currency, &currency))
		return;
	if (body.has_player) {
		number = (uint64_t)body.player;
	} else {
		/* Of 2^47 numbers: that two players meet is less likely than that a disk lies. */
		randombytes_buf(&number, sizeof(number));
		number = DEMO_NUMBER_MIN + number % (UINT64_C(1) << 47);
	}
	if (!player_id_make(DEMO_OPERATOR, number, &ask.player)) {
		answer_bad(
			request, "player", "a number that is no player's", "1 to 281474976710655");
		return;
	}
	open_ask(gateway, request, &ask, body.currency);
}
