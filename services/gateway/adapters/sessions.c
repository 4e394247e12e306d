/* Sessions: issues tokens to players with an account, and to demo players, who open their own
 * account and get play money once. */
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/offers.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEMO_OPERATOR 1
#define DEMO_DEPOSIT_UNITS 1000 /* of the currency: 1,000.00 */
#define DEMO_NUMBER_MIN                                                                            \
	UINT64_C(100000000) /* random numbers start here; smaller ones are for tests */
#define AGAIN_MAX 4096
#define AGAIN_US UINT64_C(20000)
#define AGAIN_ATTEMPTS 60

static bool token_for(struct gateway *gateway, struct edge_request *request, player_id player,
	char token[TOKEN_MAX], uint64_t *expires_s_r)
{
	uint64_t now_s = clock_wall_us() / SECOND_US;
	uint64_t before_s = revoked_before_s(gateway->revoked, player);

	if (player_pseudonymised(gateway, request, player))
		return false;
	/* Who has just ended all their sessions begins one that is newer than those. */
	if (now_s <= before_s)
		now_s = before_s + 1;
	if (token_issue(gateway->token_key, player, now_s, (uint64_t)gateway->settings.session_s,
		    token, expires_s_r) == TOKEN_OK) {
		presence_issued(gateway, player, token, *expires_s_r);
		player_session_begins(gateway, player, token, now_s, *expires_s_r);
		return true;
	}
	log_error_as("gateway.token.failed", "could not make a token");
	edge_answer_error(request, 500, "session_failed", "The session could not be created.", NULL,
		NULL, NULL);
	return false;
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

/* A deposit reaches the engine by wallet.facts, some milliseconds after the wallet's verdict
 * reaches the gateway. A new player's first state must not show an empty balance: until their first
 * move, the gateway reads the state again until the money is there. */
static bool too_early(const struct service_request *sent, const Carillon__SpinReply *reply)
{
	return sent->number > 0 && reply->expect <= 1 && reply->balance_minor < sent->number;
}

static void on_session_state(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact);

static void query_state(struct gateway *gateway, struct edge_request *request, player_id player,
	int64_t deposit, uint32_t attempt)
{
	static char game[SLUG_MAX + 1];
	struct service_request sent = {
		.done = on_session_state, .player = player, .number = deposit
	};
	Carillon__SpinCommand command;
	carillon__spin_command__init(&command);
	(void)snprintf(sent.text, sizeof(sent.text), "%" PRIu32, attempt);
	(void)snprintf(game, sizeof(game), "%s", game_first());
	command.kind = CARILLON__SPIN_KIND__SPIN_STATE;
	command.game = game;
	(void)request_spin(gateway, request, sent, &command);
}

static struct {
	struct {
		uint64_t ticket, due_us;
		player_id player;
		int64_t deposit;
		uint32_t attempt;
	} item[AGAIN_MAX];
	size_t n;
} again;

/* False: no room, or too many tries. */
static bool retry_open(
	struct gateway *gateway, struct edge_request *request, const struct service_request *sent)
{
	uint32_t attempt = (uint32_t)strtoul(sent->text, NULL, 10) + 1;
	if (again.n == AGAIN_MAX || attempt > AGAIN_ATTEMPTS)
		return false;
	again.item[again.n].ticket = edge_ticket(request);
	again.item[again.n].due_us = edge_now_us(gateway->edge) + AGAIN_US;
	again.item[again.n].player = sent->player;
	again.item[again.n].deposit = sent->number;
	again.item[again.n++].attempt = attempt;
	return true;
}

void sessions_tick(struct gateway *gateway)
{
	uint64_t now_us = edge_now_us(gateway->edge);
	size_t kept = 0;
	for (size_t i = 0; i < again.n; i++) {
		struct edge_request *request = edge_find(gateway->edge, again.item[i].ticket);
		if (again.item[i].due_us > now_us)
			again.item[kept++] = again.item[i];
		else if (request != NULL)
			query_state(gateway, request, again.item[i].player, again.item[i].deposit,
				again.item[i].attempt);
	}
	again.n = kept;
}

static void on_session_state(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	(void)fact;
	if (request == NULL)
		return;
	if (reply == NULL)
		answer_timed_out(request, sent);
	else if (reply->http_status != 200)
		answer_reply(gateway, request, reply);
	else if (!reply->account)
		edge_answer_error(request, 404, "account_unknown", "This account does not exist.",
			"player", NULL, "a player with an account");
	else if (!too_early(sent, reply) || !retry_open(gateway, request, sent))
		session_answer(gateway, request, sent->player, sent->number != 0 ? reply : NULL);
}

void on_session(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct account_body body = { 0 };
	player_id player;
	uint32_t operator_id;
	if (!auth_operator_path(gateway, request, &operator_id) ||
		!answer_parse(request, session_fields, &body))
		return;
	if (!player_id_make(operator_id, (uint64_t)body.player, &player)) {
		answer_bad(request, "player", "a number that no player can have",
			"1 to 281474976710655");
		return;
	}
	query_state(gateway, request, player, 0, 0);
}

/* ---- demo players: open, then a deposit that can be made only once, then the state
 * ------------------------------------------------- */

static void on_demo_deposit(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	(void)reply;
	if (request == NULL)
		return;
	if (fact == NULL) {
		answer_timed_out(request, sent);
		return;
	}
	/* The account was first opened in another currency: it already has its money. */
	if (fact->refusal != CARILLON__REFUSAL__REFUSAL_CONTENT &&
		refusal_answer(request, fact) != 200)
		return;
	query_state(gateway, request, sent->player, sent->number, 0);
}

static void on_demo_opened(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	Carillon__Outside outside;
	carillon__outside__init(&outside);
	static char actor[] = "demo";
	static char reason[] = "play money of a demo player";
	char key[PLAYER_TEXT_MAX + 16];
	char player[PLAYER_TEXT_MAX];
	(void)fact;
	if (!reply_accepted(gateway, request, sent, reply))
		return;
	const struct currency *currency = currency_by_code(reply->currency);
	if (currency == NULL) {
		edge_answer_error(request, 500, "currency_unknown",
			"This server does not know the account's currency.", "currency",
			reply->currency, NULL);
		return;
	}
	int64_t amount = DEMO_DEPOSIT_UNITS;
	for (uint32_t i = 0; i < currency->exponent; i++)
		amount *= 10;
	player_id_format(sent->player, player);
	(void)snprintf(key, sizeof(key), "demo-deposit-%s", player);
	outside.kind = CARILLON__MOVE_KIND__MOVE_DEPOSIT;
	outside.amount_minor = amount;
	outside.currency = currency->number;
	outside.reason = reason;
	outside.actor = actor;
	(void)outside_ask(gateway, request,
		(struct service_request){
			.done = on_demo_deposit, .player = sent->player, .number = amount },
		&outside, key);
}

void on_demo_session(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct service_request sent = { .done = on_demo_opened };
	struct account_body body = { .currency = "EUR" };
	const struct currency *currency;
	uint64_t number;
	if (!gateway->demo) {
		edge_answer_error(request, 404, "no_demo",
			"A live installation has no demo players.", NULL, NULL, NULL);
		return;
	}
	if (!auth_session_rate(gateway, request) || !answer_parse(request, demo_fields, &body) ||
		!currency_ok(request, body.currency, &currency))
		return;
	if (body.has_player) {
		number = (uint64_t)body.player;
	} else {
		/* One of 2^47 numbers: a collision of two players is less likely than a disk
		 * error. */
		randombytes_buf(&number, sizeof(number));
		number = DEMO_NUMBER_MIN + number % (UINT64_C(1) << 47);
	}
	if (!player_id_make(DEMO_OPERATOR, number, &sent.player)) {
		answer_bad(request, "player", "a number that no player can have",
			"1 to 281474976710655");
		return;
	}
	offers_open(gateway, request, &sent, currency, false);
}
