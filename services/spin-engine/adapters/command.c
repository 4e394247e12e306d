#include "services/spin-engine/adapters/command.h"

#include "libcommon/base/currency.h"
#include "spin.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define REASON_MAX 160

static bool bad(struct fault *fault, const char *where, const char *message)
{
	fault_set(fault, 400, "bad_request", message);
	snprintf(fault->where, sizeof(fault->where), "%s", where);
	return false;
}

static bool bad_length(struct fault *fault, const char *where, size_t found, size_t min, size_t max)
{
	bad(fault, where, "A field has the wrong length.");
	fault_found(fault, "%zu bytes", found);
	if (min == max)
		fault_expected(fault, "%zu bytes", min);
	else
		fault_expected(fault, "%zu to %zu bytes", min, max);
	return false;
}

/* Absent: 16 zeros, for commands that are not moves. */
static bool read_ids(
	const Carillon__SpinCommand *message, struct player_command *core, struct fault *fault)
{
	if (message->request_id.len != 0 && message->request_id.len != PLAYER_ID_BYTES)
		return bad_length(fault, "request_id", message->request_id.len, PLAYER_ID_BYTES,
			PLAYER_ID_BYTES);
	if (message->content_hash.len != 0 && message->content_hash.len != PLAYER_ID_BYTES)
		return bad_length(fault, "content_hash", message->content_hash.len, PLAYER_ID_BYTES,
			PLAYER_ID_BYTES);
	core->has_request_id = message->request_id.len > 0;
	if (message->request_id.len > 0)
		memcpy(core->request_id, message->request_id.data, PLAYER_ID_BYTES);
	if (message->content_hash.len > 0)
		memcpy(core->content_hash, message->content_hash.data, PLAYER_ID_BYTES);
	return true;
}

/* RULE mystic-gem 7.2: the grant of bonus spins sets the bet. */
static bool read_bonus(const Carillon__Bet *bet, struct player_command *core, struct fault *fault)
{
	if (bet->bonus_spin.len != PLAYER_ID_BYTES)
		return bad_length(
			fault, "bonus_spin", bet->bonus_spin.len, PLAYER_ID_BYTES, PLAYER_ID_BYTES);
	if (bet->coin_minor != 0 || bet->lines != 0 || bet->coins != 0 || bet->mode[0] != '\0') {
		bad(fault, "bet", "A bonus spin has the bet that was granted with it.");
		fault_expected(fault, "\"bonus_spin\" without a bet");
		return false;
	}
	core->bonus = true;
	memcpy(core->bonus_spin, bet->bonus_spin.data, PLAYER_ID_BYTES);
	return true;
}

static bool read_bet(
	const Carillon__SpinCommand *message, struct player_command *core, struct fault *fault)
{
	const Carillon__Bet *bet = message->bet;

	if (!bet)
		return bad(fault, "bet", "A bet is missing.");
	if (bet->bonus_spin.len > 0 && !read_bonus(bet, core, fault))
		return false;
	if (bet->autoplay_id.len != 0 && bet->autoplay_id.len != AUTOPLAY_ID_BYTES)
		return bad_length(fault, "bet.autoplay_id", bet->autoplay_id.len, AUTOPLAY_ID_BYTES,
			AUTOPLAY_ID_BYTES);
	if (message->client_nonce.len < PLAYER_NONCE_MIN ||
		message->client_nonce.len > PLAYER_NONCE_MAX)
		return bad_length(fault, "client_nonce", message->client_nonce.len,
			PLAYER_NONCE_MIN, PLAYER_NONCE_MAX);
	if (!core->has_request_id)
		return bad(fault, "request_id", "A bet needs a request id.");
	if (strlen(bet->mode) >= sizeof(core->mode))
		return bad_length(fault, "bet.mode", strlen(bet->mode), 0, sizeof(core->mode) - 1);
	memcpy(core->mode, bet->mode, strlen(bet->mode) + 1);
	core->bet = (struct bet){ 0, bet->coin_minor, bet->lines, bet->coins, 0 };
	core->autospin = bet->autoplay_id.len > 0;
	if (core->autospin)
		memcpy(core->autoplay_id, bet->autoplay_id.data, AUTOPLAY_ID_BYTES);
	memcpy(core->nonce, message->client_nonce.data, message->client_nonce.len);
	core->nonce_length = (uint32_t)message->client_nonce.len;
	return true;
}

static bool read_autoplay(
	const Carillon__SpinCommand *message, struct player_command *core, struct fault *fault)
{
	const Carillon__Autoplay *autoplay = message->autoplay;

	core->verb = VERB_AUTOPLAY;
	if (!autoplay)
		return bad(fault, "autoplay", "The settings of autoplay are missing.");
	core->autoplay.spins = autoplay->spins;
	core->autoplay.loss_limit_minor = autoplay->loss_limit_minor;
	core->autoplay.single_win_minor = autoplay->single_win_minor;
	core->autoplay.stop_on_jackpot = autoplay->stop_on_jackpot;
	core->autoplay.stop_on_feature = autoplay->stop_on_feature;
	if (autoplay->spins == 0) /* stopping autoplay names no id */
		return true;
	if (autoplay->id.len != AUTOPLAY_ID_BYTES)
		return bad_length(fault, "autoplay.id", autoplay->id.len, AUTOPLAY_ID_BYTES,
			AUTOPLAY_ID_BYTES);
	memcpy(core->autoplay.id, autoplay->id.data, AUTOPLAY_ID_BYTES);
	return true;
}

static bool read_action(
	const Carillon__SpinCommand *message, struct player_command *core, struct fault *fault)
{
	const char *action = message->action;

	if (message->kind == CARILLON__SPIN_KIND__SPIN_STEP) {
		core->verb = strcmp(action, "pick") == 0 ? VERB_PICK : VERB_NEXT;
		if (core->verb == VERB_PICK || strcmp(action, "next") == 0)
			return true;
		bad(fault, "action", "This step is unknown.");
		fault_expected(fault, "\"pick\" or \"next\"");
	} else {
		if (strcmp(action, "autoplay") == 0)
			return read_autoplay(message, core, fault);
		core->verb = VERB_WITCH;
		if (strcmp(action, "witch") == 0)
			return true;
		bad(fault, "action", "This setting is unknown.");
		fault_expected(fault, "\"witch\" or \"autoplay\"");
	}
	fault_found(fault, "\"%.60s\"", action);
	return false;
}

static bool read_currency(
	const Carillon__SpinCommand *message, struct player_command *core, struct fault *fault)
{
	const struct currency *currency = currency_by_code(message->currency);

	if (!currency) {
		bad(fault, "currency", "This currency is unknown.");
		fault_found(fault, "\"%.20s\"", message->currency);
		fault_expected(fault, "an ISO 4217 code, as \"EUR\"");
		return false;
	}
	core->currency = currency->number;
	return true;
}

static bool read_verb(
	const Carillon__SpinCommand *message, struct player_command *core, struct fault *fault)
{
	switch ((int)message->kind) {
	case CARILLON__SPIN_KIND__SPIN_OPEN:
		core->verb = VERB_OPEN;
		return read_currency(message, core, fault);
	case CARILLON__SPIN_KIND__SPIN_STATE:
		core->verb = VERB_STATE;
		return true;
	case CARILLON__SPIN_KIND__SPIN_BET:
		core->verb = VERB_BET;
		return read_bet(message, core, fault);
	case CARILLON__SPIN_KIND__SPIN_STEP:
	case CARILLON__SPIN_KIND__SPIN_SETTING:
		return read_action(message, core, fault);
	case CARILLON__SPIN_KIND__SPIN_COLLECT:
		core->verb = VERB_COLLECT;
		return true;
	case CARILLON__SPIN_KIND__SPIN_GAMBLE:
		core->verb = VERB_GAMBLE;
		return true;
	case CARILLON__SPIN_KIND__SPIN_HALVE:
		core->verb = VERB_HALVE;
		return true;
	case CARILLON__SPIN_KIND__SPIN_VOID:
		core->verb = VERB_VOID;
		return true;
	case CARILLON__SPIN_KIND__SPIN_RESOLVE:
		core->verb = VERB_RESOLVE;
		return true;
	case CARILLON__SPIN_KIND__SPIN_REPLAY:
		core->verb = VERB_REPLAY;
		return true;
	default:
		bad(fault, "kind", "This kind of command is unknown.");
		fault_found(fault, "%d", (int)message->kind);
		fault_expected(fault, "1..11");
		return false;
	}
}

static bool read_game(
	const Carillon__SpinCommand *message, struct spin_command *command, struct fault *fault)
{
	enum player_verb verb = command->core.verb;
	size_t length = strlen(message->game);

	if (length >= GAME_ID_MAX)
		return bad_length(fault, "game", length, 1, GAME_ID_MAX - 1);
	memcpy(command->game, message->game, length + 1);
	if (length == 0 && verb != VERB_OPEN && verb != VERB_STATE && verb != VERB_REPLAY)
		return bad(fault, "game", "The game is missing.");
	return true;
}

static bool read_rest(
	const Carillon__SpinCommand *message, struct spin_command *command, struct fault *fault)
{
	struct player_command *core = &command->core;
	size_t reason = strlen(message->reason);

	if (core->verb == VERB_VOID && (reason == 0 || reason > PLAYER_REASON_MAX))
		return bad_length(fault, "reason", reason, 1, PLAYER_REASON_MAX);
	if (core->verb == VERB_VOID)
		memcpy(core->reason, message->reason, reason + 1);
	core->awards_named = core->verb == VERB_VOID && message->awards;
	if (core->verb == VERB_REPLAY && message->round == 0)
		return bad(fault, "round", "The round is missing.");
	core->expect = message->expect;
	core->not_after_us = message->not_after_us;
	core->round = message->round;
	core->choice = message->choice;
	core->cursor = message->cursor;
	return true;
}

static void read_trace(const Carillon__SpinCommand *message, struct spin_command *command)
{
	if (!message->envelope || message->envelope->trace.len != COMMAND_TRACE_MAX)
		return;
	memcpy(command->trace, message->envelope->trace.data, COMMAND_TRACE_MAX);
	command->trace_length = COMMAND_TRACE_MAX;
}

enum command_status command_read(const Carillon__SpinCommand *message,
	struct spin_command *command_r, struct fault *fault_r, char *reason)
{
	size_t reply_to = strlen(message->reply_to);

	memset(command_r, 0, sizeof(*command_r));
	fault_set(fault_r, 0, "", "");
	if (!player_id_valid(message->player)) {
		snprintf(reason, REASON_MAX, "player: found %" PRId64 ", expected a player's id",
			message->player);
		return COMMAND_UNREADABLE;
	}
	if (reply_to >= COMMAND_REPLY_TO_MAX) {
		snprintf(reason, REASON_MAX, "reply_to: found %zu bytes, expected at most %d",
			reply_to, COMMAND_REPLY_TO_MAX - 1);
		return COMMAND_UNREADABLE;
	}
	command_r->player = message->player;
	command_r->correlation = message->correlation;
	memcpy(command_r->reply_to, message->reply_to, reply_to + 1);
	read_trace(message, command_r);
	if (!read_ids(message, &command_r->core, fault_r) ||
		!read_verb(message, &command_r->core, fault_r) ||
		!read_game(message, command_r, fault_r) || !read_rest(message, command_r, fault_r))
		return COMMAND_BAD;
	return COMMAND_OK;
}
