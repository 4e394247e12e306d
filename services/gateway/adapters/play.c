/* Players' requests: state, bets, steps, settings, replay of a past round. */
#include "services/gateway/adapters/history_read.h"
#include "services/gateway/adapters/offers.h"
#include "services/gateway/adapters/own_limits.h"
#include "services/gateway/adapters/reports.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Answers with the engine's reply. */
static void on_reply(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	(void)fact;
	if (request == NULL)
		return;
	if (reply == NULL)
		answer_timed_out(request, sent);
	else if (!own_limits_refused(gateway, request, sent->player, reply))
		answer_reply(gateway, request, reply);
}

/* True when the client was told that its operator does not offer the game: the engine was to start
 * nothing (`sent.text` is the game), and this bet was not started before. */
static bool not_offered(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply)
{
	if (request == NULL || reply == NULL || sent->text[0] == '\0' ||
		reply->http_status != 409 || strcmp(reply->error, "too_late") != 0)
		return false;
	offers_refuse_bet(gateway, request, sent->player, sent->text, reply);
	return true;
}

/* The same of a bet. */
static void on_bet_reply(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	if (reply != NULL)
		bet_mix_count(reply);
	if (!not_offered(gateway, request, sent, reply))
		on_reply(gateway, request, sent, reply, fact);
}

/* Hash the content before adding what a retry may change: the move number, the time, the
 * requester. */
static void ids_set(Carillon__SpinCommand *command, player_id player, const char *key,
	uint8_t id[ID_BYTES], uint8_t hash[crypto_hash_sha256_BYTES])
{
	uint8_t packed[2048];
	char text[PLAYER_TEXT_MAX];
	command->player = player;
	size_t length = carillon__spin_command__get_packed_size(command);
	if (length > sizeof(packed))
		fatal("a command has %zu bytes, expected at most %zu: the tables of request "
		      "fields allow values that are too long",
			length, sizeof(packed));
	(void)carillon__spin_command__pack(command, packed);
	(void)crypto_hash_sha256(hash, packed, length);
	player_id_format(player, text);
	auth_id(key, text, id);
	command->request_id.data = id;
	command->request_id.len = ID_BYTES;
	command->content_hash.data = hash;
	command->content_hash.len = ID_BYTES;
}

/* With a round, `from` is the first phase of the page: a long round has several pages. */
void on_state(struct edge_request *request, void *context)
{
	static const char *const names[] = { "game", "round", "from", NULL };
	struct gateway *gateway = context;
	struct service_request sent = { .done = on_reply };
	Carillon__SpinCommand command;
	carillon__spin_command__init(&command);
	char game[SLUG_MAX + 1];
	int64_t round, from;
	if (!auth_player(gateway, request, &sent.player) || !answer_query(request, names) ||
		!answer_number(request, "round", 0, 1, INT64_MAX, &round) ||
		!answer_number(request, "from", 0, 0, UINT32_MAX, &from))
		return;
	command.round = (uint64_t)round;
	command.cursor = (uint32_t)from;
	if (edge_query(request, "game", game, sizeof(game)) != NULL) {
		if (!game_served(gateway, request, game) ||
			!presence_game(gateway, request, sent.player, game, true))
			return;
		command.game = game;
	}
	command.kind = CARILLON__SPIN_KIND__SPIN_STATE;
	(void)request_spin(gateway, request, sent, &command);
}

/* A game that the operator does not offer: the engine still answers a bet that it has started, as
 * it does after the time is over, and starts no other. */
static uint64_t not_after(struct service_request *sent, const char *game)
{
	if (offers_game(player_operator(sent->player), game))
		return clock_wall_us() + NOT_AFTER_US;
	(void)snprintf(sent->text, sizeof(sent->text), "%s", game);
	return 1;
}

void on_round(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct service_request sent = { .done = on_bet_reply };
	struct round_body body = { 0 };
	Carillon__SpinCommand command;
	carillon__spin_command__init(&command);
	Carillon__Bet bet;
	carillon__bet__init(&bet);
	uint8_t id[ID_BYTES];
	uint8_t hash[crypto_hash_sha256_BYTES];
	struct problem problem;
	const char *key;
	if (!auth_action(gateway, request, &sent.player) || !auth_key(request, &key) ||
		!answer_parse(request, round_fields, &body) ||
		!game_served(gateway, request, body.game) ||
		!presence_game(gateway, request, sent.player, body.game, false) ||
		offers_wait(request))
		return;
	if (round_check(&body, &problem) != FIELDS_OK) {
		answer_problem(request, &problem);
		return;
	}
	bet.coin_minor = body.bet.coin_minor;
	bet.lines = (uint32_t)body.bet.lines;
	bet.coins = (uint32_t)body.bet.coins;
	bet.mode = body.bet.mode;
	bet.autoplay_id.data = body.autoplay.bytes;
	bet.autoplay_id.len = body.has_autoplay ? body.autoplay.length : 0;
	bet.bonus_spin.data = body.bonus_spin.bytes;
	bet.bonus_spin.len = body.has_bonus_spin ? body.bonus_spin.length : 0;
	command.kind = CARILLON__SPIN_KIND__SPIN_BET;
	command.game = body.game;
	command.bet = &bet;
	command.client_nonce.data = body.nonce.bytes;
	command.client_nonce.len = body.nonce.length;
	ids_set(&command, sent.player, key, id, hash);
	command.expect = (uint64_t)body.expect;
	command.not_after_us = not_after(&sent, body.game);
	(void)request_spin(gateway, request, sent, &command);
}

static void action_fill(Carillon__SpinCommand *command, const struct action_body *body)
{
	static char pick[] = "pick";
	static char next[] = "next";
	switch ((enum action)body->action) {
	case ACTION_PICK:
	case ACTION_NEXT:
		command->kind = CARILLON__SPIN_KIND__SPIN_STEP;
		command->action = body->action == ACTION_PICK ? pick : next;
		break;
	case ACTION_COLLECT:
		command->kind = CARILLON__SPIN_KIND__SPIN_COLLECT;
		break;
	case ACTION_GAMBLE:
		command->kind = CARILLON__SPIN_KIND__SPIN_GAMBLE;
		break;
	case ACTION_HALVE:
		command->kind = CARILLON__SPIN_KIND__SPIN_HALVE;
		break;
	}
	command->choice = (uint32_t)body->choice;
	command->cursor = (uint32_t)body->cursor;
}

/* {round} of the path. */
static bool round_of(struct edge_request *request, const char *text, int64_t *round_r)
{
	if (number_read(text, 1, MOVE_MAX, round_r))
		return true;
	answer_bad(request, "round", text, "the number of a round");
	return false;
}

void on_action(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct service_request sent = { .done = on_reply };
	struct action_body body = { 0 };
	struct problem problem;
	Carillon__SpinCommand command;
	carillon__spin_command__init(&command);
	uint8_t id[ID_BYTES];
	uint8_t hash[crypto_hash_sha256_BYTES];
	int64_t round;
	const char *key;
	if (!auth_action(gateway, request, &sent.player) || !auth_key(request, &key) ||
		!round_of(request, edge_parameter(request, 0), &round) ||
		!answer_parse(request, action_fields, &body) ||
		!game_served(gateway, request, body.game) ||
		!presence_game(gateway, request, sent.player, body.game, false))
		return;
	if (action_check(&body, &problem) != FIELDS_OK) {
		answer_problem(request, &problem);
		return;
	}
	command.game = body.game;
	command.round = (uint64_t)round;
	action_fill(&command, &body);
	ids_set(&command, sent.player, key, id, hash);
	command.expect = (uint64_t)body.expect;
	if (body.action == ACTION_GAMBLE)
		command.not_after_us = clock_wall_us() + NOT_AFTER_US;
	(void)request_spin(gateway, request, sent, &command);
}

void on_settings(struct edge_request *request, void *context)
{
	static char witch[] = "witch";
	static char autoplay[] = "autoplay";
	struct gateway *gateway = context;
	struct service_request sent = { .done = on_reply };
	struct settings_body body = { .autoplay = {
					      .loss_limit_minor = -1, .single_win_minor = -1 } };
	struct problem problem;
	Carillon__SpinCommand command;
	carillon__spin_command__init(&command);
	Carillon__Autoplay setting;
	carillon__autoplay__init(&setting);
	uint8_t id[ID_BYTES];
	uint8_t hash[crypto_hash_sha256_BYTES];
	char own_key[32];
	const char *key = edge_header(request, EDGE_IDEMPOTENCY_KEY);
	if (!auth_action(gateway, request, &sent.player) ||
		(key != NULL && !auth_key(request, &key)) ||
		!answer_parse(request, settings_fields, &body) ||
		!game_served(gateway, request, body.game) ||
		!presence_game(gateway, request, sent.player, body.game, false))
		return;
	if (settings_check(&body, &problem) != FIELDS_OK) {
		answer_problem(request, &problem);
		return;
	}
	command.kind = CARILLON__SPIN_KIND__SPIN_SETTING;
	command.game = body.game;
	command.action = body.has_witch ? witch : autoplay;
	command.choice = (uint32_t)body.witch;
	if (body.has_autoplay) {
		setting.id.data = body.autoplay.id.bytes;
		setting.id.len = body.autoplay.id.length;
		setting.spins = (uint32_t)body.autoplay.spins;
		setting.loss_limit_minor = body.autoplay.loss_limit_minor;
		setting.single_win_minor = body.autoplay.single_win_minor;
		setting.stop_on_jackpot = body.autoplay.stop_on_jackpot;
		setting.stop_on_feature = body.autoplay.stop_on_feature;
		command.autoplay = &setting;
	}
	/* No key needed: the same setting at the same move is the same request. */
	(void)snprintf(own_key, sizeof(own_key), "setting-%" PRId64, body.expect);
	ids_set(&command, sent.player, key == NULL ? own_key : key, id, hash);
	command.expect = (uint64_t)body.expect;
	(void)request_spin(gateway, request, sent, &command);
}

/* ---- a past round
 * ----------------------------------------------------------------------------------------------------------------
 */

void history_round(
	struct gateway *gateway, struct edge_request *request, player_id player, const char *number)
{
	static const char *const names[] = { NULL };
	struct service_request sent = { .done = history_replay, .player = player };
	Carillon__SpinCommand command;

	carillon__spin_command__init(&command);
	if (!answer_query(request, names) || !round_of(request, number, &sent.number))
		return;
	command.kind = CARILLON__SPIN_KIND__SPIN_REPLAY;
	command.round = (uint64_t)sent.number;
	(void)request_spin(gateway, request, sent, &command);
}

void on_replay(struct edge_request *request, void *context)
{
	player_id player;

	if (auth_player(context, request, &player))
		history_round(context, request, player, edge_parameter(request, 0));
}
