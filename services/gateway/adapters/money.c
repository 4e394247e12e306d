/* Requests of operators' back ends: open accounts, book money from and to outside, block
 * players. */
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/amounts.h"
#include "services/gateway/adapters/offers.h"
#include "services/gateway/adapters/operator_keys.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- shared
 * ----------------------------------------------------------------------------------------------------------------------
 */

bool currency_ok(struct edge_request *request, const char *code, const struct currency **currency_r)
{
	*currency_r = currency_by_code(code);
	if (*currency_r != NULL)
		return true;
	answer_bad(request, "currency", code, "an ISO 4217 currency code, such as \"EUR\"");
	return false;
}

bool player_path(struct edge_request *request, uint32_t operator_id, player_id *player_r)
{
	int64_t number;
	if (number_read(edge_parameter(request, 1), 1, (int64_t)PLAYER_NUMBER_MAX, &number) &&
		player_id_make(operator_id, (uint64_t)number, player_r))
		return true;
	answer_bad(request, "player", edge_parameter(request, 1),
		"the player's number alone: 17, not 1-17");
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
	{ CARILLON__REFUSAL__REFUSAL_FUNDS, 402, "insufficient_funds", "The balance is too low." },
	{ CARILLON__REFUSAL__REFUSAL_LIMIT, 409, "limit",
		"A limit of the account does not allow this." },
	{ CARILLON__REFUSAL__REFUSAL_BLOCKED, 403, "blocked", "This player is blocked." },
	{ CARILLON__REFUSAL__REFUSAL_ACCOUNT, 404, "account_unknown",
		"The account does not exist or has another currency." },
	{ CARILLON__REFUSAL__REFUSAL_CONTENT, 422, "other_content",
		"This Idempotency-Key was already used for a different request. Nothing was done." },
	{ CARILLON__REFUSAL__REFUSAL_KIND, 503, "not_understood",
		"The wallet does not support this kind of booking yet." },
	{ CARILLON__REFUSAL__REFUSAL_SPINS, 409, "bonus_spins_over",
		"These bonus spins do not exist, or none of them can be played any more." },
	{ CARILLON__REFUSAL__REFUSAL_LIMIT_DEPOSIT, 403, "limit_deposit",
		"The deposit exceeds the player's deposit limit or the operator's limit for "
		"one deposit." },
	{ CARILLON__REFUSAL__REFUSAL_EXCLUDED, 403, "excluded",
		"The player is excluded from play for a time." },
	{ CARILLON__REFUSAL__REFUSAL_HOLD, 409, "settled",
		"The player has no such withdrawal or grant, or it is already settled." },
	{ CARILLON__REFUSAL__REFUSAL_AMOUNT, 400, "amount", "The amount is not allowed." },
};

uint32_t refusal_status(Carillon__Refusal refusal, const char **code_r, const char **message_r)
{
	*code_r = "refused";
	*message_r = "The wallet refused the request.";
	if (refusal == CARILLON__REFUSAL__REFUSAL_NONE)
		return 200;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		if (refusal != refusals[i].refusal)
			continue;
		*code_r = refusals[i].code;
		*message_r = refusals[i].message;
		return refusals[i].status;
	}
	return 409;
}

uint32_t refusal_answer(struct edge_request *request, const Carillon__WalletFact *fact)
{
	const char *code, *message;
	uint32_t status = refusal_status(fact->refusal, &code, &message);
	if (request != NULL && status != 200)
		edge_answer_error(request, status, code, message, NULL, NULL, NULL);
	return status;
}

bool fact_accepted(struct edge_request *request, const struct service_request *sent,
	const Carillon__WalletFact *fact)
{
	if (request == NULL)
		return false;
	if (fact == NULL) {
		answer_timed_out(request, sent);
		return false;
	}
	return refusal_answer(request, fact) == 200;
}

uint32_t fact_status(const struct service_request *sent, const Carillon__WalletFact *fact)
{
	const char *code, *message;
	return fact == NULL ? unanswered_status(sent)
			    : refusal_status(fact->refusal, &code, &message);
}

/* Before the answer, which ends the request. */
static void audit_fact(struct gateway *gateway, const struct service_request *sent,
	const Carillon__WalletFact *fact)
{
	struct json_out *out = &gateway->out;
	char *content;
	out_begin(out);
	out_open(out, NULL, '{');
	out_int(out, "amount_minor", fact->amount);
	out_uint(out, "currency", fact->currency);
	out_uint(out, "seq", fact->envelope == NULL ? 0 : fact->envelope->seq);
	out_int(out, "balance_after_minor", fact->balance_after);
	out_int(out, "refusal", (int64_t)fact->refusal);
	if (audit_reason_of(sent->ticket)[0] != '\0')
		out_string(out, "reason", audit_reason_of(sent->ticket));
	out_close(out, '}');
	content = strndup(out->bytes, out->n);
	audit_write(gateway, sent->ticket, player_operator(sent->player), sent->text, sent->player,
		content == NULL ? "{}" : content, fact_status(sent, fact));
	free(content);
}

void money_done(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	struct json_out *out = &gateway->out;
	(void)reply;
	if (fact == NULL) {
		audit_write(gateway, sent->ticket, player_operator(sent->player), sent->text,
			sent->player, "{}", unanswered_status(sent));
	} else {
		audit_fact(gateway, sent, fact);
	}
	if (!fact_accepted(request, sent, fact))
		return;
	out_begin(out);
	out_open(out, NULL, '{');
	if (fact->kind == CARILLON__MOVE_KIND__MOVE_BLOCK) {
		out_bool(out, "blocked", fact->amount != 0);
	} else {
		out_int(out, "balance_minor", fact->balance_after);
		out_uint(out, "seq", fact->envelope == NULL ? 0 : fact->envelope->seq);
		out_hex(out, "id", fact->outside_id.data, fact->outside_id.len);
		if (fact->kind == CARILLON__MOVE_KIND__MOVE_HOLD)
			out_string(out, "state", "held");
	}
	out_close(out, '}');
	answer_sent(gateway, request, 200);
}

static void content_hash(player_id id, const Carillon__Outside *outside, uint8_t hash_r[ID_BYTES])
{
	uint8_t packed[1024];
	char player[PLAYER_TEXT_MAX];
	char content[PLAYER_TEXT_MAX + 2 * sizeof(packed)];
	player_id_format(id, player);
	size_t length = carillon__outside__get_packed_size(outside);
	if (length > sizeof(packed))
		fatal("a booking has %zu bytes, expected at most %zu: the tables of request "
		      "fields allow values that are too long",
			length, sizeof(packed));
	(void)carillon__outside__pack(outside, packed);
	(void)sodium_bin2hex(content, sizeof(content), packed, length);
	auth_id(player, content, hash_r);
}

void outside_identify(
	player_id id, Carillon__Outside *outside, const char *key, struct outside_ids *ids)
{
	char operator_text[16];
	content_hash(id, outside, ids->hash);
	if (outside->kind == CARILLON__MOVE_KIND__MOVE_HOLD) {
		Carillon__Outside before = *outside;
		before.kind = CARILLON__MOVE_KIND__MOVE_WITHDRAWAL;
		content_hash(id, &before, ids->former);
		outside->former_hash.data = ids->former;
		outside->former_hash.len = ID_BYTES;
	}
	/* Ids are per operator, not per player: one key is one booking, for any player. */
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, player_operator(id));
	auth_id(key, operator_text, ids->id);
	outside->id.data = ids->id;
	outside->id.len = ID_BYTES;
	outside->content_hash.data = ids->hash;
	outside->content_hash.len = ID_BYTES;
}

bool outside_ask(struct gateway *gateway, struct edge_request *request, struct service_request sent,
	Carillon__Outside *outside, const char *key)
{
	Carillon__WalletCommand command;
	struct outside_ids ids;
	carillon__wallet_command__init(&command);
	outside_identify(sent.player, outside, key, &ids);
	command.body_case = CARILLON__WALLET_COMMAND__BODY_OUTSIDE;
	command.outside = outside;
	return request_wallet(gateway, request, sent, &command);
}

static void money(struct edge_request *request, struct gateway *gateway, Carillon__MoveKind kind,
	const char *action, const struct field *fields)
{
	struct service_request sent = { .done = money_done };
	struct money_body body = { 0 };
	Carillon__Outside outside;
	carillon__outside__init(&outside);
	const struct currency *currency;
	char actor[ACTOR_MAX];
	uint32_t operator_id;
	const char *key;
	if (!auth_operator_path(gateway, request, &operator_id) || !auth_key(request, &key) ||
		!player_path(request, operator_id, &sent.player) ||
		!answer_parse(request, fields, &body) ||
		!currency_ok(request, body.currency, &currency))
		return;
	if (body.amount_minor == 0) {
		answer_bad(request, "amount_minor", "0", "an amount that is not 0");
		return;
	}
	if (!key_may_move(gateway, request, sent.player, currency, body.amount_minor))
		return;
	(void)snprintf(sent.text, sizeof(sent.text), "%s", action);
	audit_reason(request, body.reason);
	actor_of(gateway, request, operator_id, actor);
	outside.kind = kind;
	outside.amount_minor = body.amount_minor;
	outside.currency = currency->number;
	outside.reason = body.reason;
	outside.actor = actor;
	amounts_book(gateway, request, sent, &outside,
		&(struct amount){ .currency = currency, .minor = body.amount_minor, .key = key });
}

void on_deposit(struct edge_request *request, void *context)
{
	money(request, context, CARILLON__MOVE_KIND__MOVE_DEPOSIT, "deposit", money_fields);
}

void on_withdrawal(struct edge_request *request, void *context)
{
	money(request, context, CARILLON__MOVE_KIND__MOVE_HOLD, "withdrawal", money_fields);
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
	struct service_request sent = { .done = money_done, .text = "block" };
	struct block_body body = { 0 };
	Carillon__Outside outside;
	carillon__outside__init(&outside);
	char actor[ACTOR_MAX];
	char own_key[40];
	uint32_t operator_id;
	const char *key = edge_header(request, EDGE_IDEMPOTENCY_KEY);
	if (!auth_operator_path(gateway, request, &operator_id) ||
		(key != NULL && !auth_key(request, &key)) ||
		!player_path(request, operator_id, &sent.player) ||
		!answer_parse(request, block_fields, &body) ||
		(!body.blocked && player_pseudonymised(gateway, request, sent.player)))
		return;
	/* Without a key each request has its own id: blocking twice is harmless. */
	(void)snprintf(own_key, sizeof(own_key), "block-%08" PRIx32 "%08" PRIx32,
		randombytes_random(), randombytes_random());
	(void)snprintf(sent.text, sizeof(sent.text), "%s", body.blocked ? "block" : "unblock");
	audit_reason(request, body.reason);
	actor_of(gateway, request, operator_id, actor);
	outside.kind = CARILLON__MOVE_KIND__MOVE_BLOCK;
	outside.amount_minor = body.blocked ? 1 : 0;
	outside.reason = body.reason;
	outside.actor = actor;
	(void)outside_ask(gateway, request, sent, &outside, key == NULL ? own_key : key);
}

/* ---- accounts and sessions
 * --------------------------------------------------------------------------------------------------------
 */

static void on_opened(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	struct json_out *out = &gateway->out;
	char player[PLAYER_TEXT_MAX];
	(void)fact;
	audit_write(gateway, sent->ticket, player_operator(sent->player), "open", sent->player,
		"{}", reply == NULL ? unanswered_status(sent) : reply->http_status);
	if (!reply_accepted(gateway, request, sent, reply))
		return;
	player_id_format(sent->player, player);
	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "player", player);
	out_string(out, "currency", reply->currency);
	out_int(out, "balance_minor", reply->balance_minor);
	out_close(out, '}');
	answer_sent(gateway, request, 201);
}

void query_open(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, char *currency)
{
	Carillon__SpinCommand command;
	carillon__spin_command__init(&command);
	uint8_t id[ID_BYTES];
	char player[PLAYER_TEXT_MAX];
	player_id_format(sent->player, player);
	auth_id("open", player, id);
	command.kind = CARILLON__SPIN_KIND__SPIN_OPEN;
	command.currency = currency;
	command.request_id.data = id;
	command.request_id.len = ID_BYTES;
	command.content_hash.data = id;
	command.content_hash.len = ID_BYTES;
	(void)request_spin(gateway, request, *sent, &command);
}

void on_open_player(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct service_request sent = { .done = on_opened };
	struct account_body body = { 0 };
	const struct currency *currency;
	uint32_t operator_id;
	if (!auth_operator_path(gateway, request, &operator_id) ||
		!answer_parse(request, account_fields, &body) ||
		!currency_ok(request, body.currency, &currency))
		return;
	if (!player_id_make(operator_id, (uint64_t)body.player, &sent.player)) {
		answer_bad(request, "player", "a number that no player can have",
			"1 to 281474976710655");
		return;
	}
	offers_open(gateway, request, &sent, currency, true);
}
