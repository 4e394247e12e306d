/* Sends replies by nanomsg. A reply may be lost; a retry of the request is answered from the
 * record. */
#include "libcommon/base/currency.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "services/spin-engine/adapters/cards.h"
#include "services/spin-engine/adapters/engine.h"
#include "services/spin-engine/adapters/traced.h"
#include "services/spin-engine/adapters/view_phase.h"

#include "bus.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pending of all games that the player has already seen. */
static int64_t pending_shown(const struct seat *seat)
{
	int64_t sum = 0;

	for (size_t i = 0; i < seat->game_count; i++) {
		const struct player_game *play = seat->game[i];

		sum += player_feature_open(play) ? play->round.win_base_lines.minor
						 : player_pending(play).minor;
	}
	return sum;
}

static void fill_hidden(struct engine *engine, const struct seat *seat, Carillon__SpinReply *reply)
{
	if (seat->game_count == 0)
		return;
	reply->hidden_rounds =
		arena_take(&engine->arena, seat->game_count * sizeof(reply->hidden_rounds[0]));
	for (size_t i = 0; i < seat->game_count; i++)
		if (player_feature_open(seat->game[i]))
			reply->hidden_rounds[reply->n_hidden_rounds++] = seat->game[i]->round.move;
}

/* A game that its operator no longer offers can still be finished. */
static void fill_unfinished(
	struct engine *engine, const struct seat *seat, Carillon__SpinReply *reply)
{
	if (seat->game_count == 0)
		return;
	reply->unfinished_games =
		arena_take(&engine->arena, seat->game_count * sizeof(reply->unfinished_games[0]));
	for (size_t i = 0; i < seat->game_count; i++)
		if (player_round_open(seat->game[i]) || player_cards_open(seat->game[i]))
			reply->unfinished_games[reply->n_unfinished_games++] =
				seat->game[i]->state.game;
}

static void fill_account(struct engine *engine, const struct seat *seat, Carillon__SpinReply *reply)
{
	const struct player *player = &seat->player;
	const struct currency *currency = currency_by_number(player->currency);
	uint8_t secret[SECRET_BYTES];

	reply->account = player->account;
	reply->expect = player_expect(player);
	if (!player->account)
		return;
	if (currency)
		reply->currency = arena_text(&engine->arena, currency->code);
	reply->balance_minor = player->balance.minor;
	reply->balance_seq = player->money_seq;
	for (size_t i = 0; i < seat->game_count; i++)
		reply->hidden_minor += player_hidden(player, seat->game[i]).minor;
	reply->balance_minor -= reply->hidden_minor;
	reply->pending_minor = pending_shown(seat);
	fill_hidden(engine, seat, reply);
	fill_unfinished(engine, seat, reply);
	if (!keys_secret(engine->keys, player->id, reply->expect, &player->salt, secret))
		return;
	reply->secret_hash.len = SECRET_BYTES;
	reply->secret_hash.data = arena_take(&engine->arena, SECRET_BYTES);
	keys_secret_hash(secret, reply->secret_hash.data);
}

static void fill_autoplay(
	struct engine *engine, const struct player_game *play, Carillon__SpinReply *reply)
{
	const struct autoplay *autoplay = &play->state.autoplay;
	Carillon__Autoplay *message;

	reply->witch = play->state.witch;
	if (!autoplay_running(autoplay)) {
		/* The reason would tell what the rest of an unwatched round brings. */
		if (autoplay->spins > 0 && !player_feature_open(play))
			reply->autoplay_stopped =
				arena_text(&engine->arena, autoplay_stop_text(autoplay->stopped));
		return;
	}
	message = arena_take(&engine->arena, sizeof(*message));
	carillon__autoplay__init(message);
	message->id.len = AUTOPLAY_ID_BYTES;
	message->id.data = arena_take(&engine->arena, AUTOPLAY_ID_BYTES);
	memcpy(message->id.data, autoplay->id, AUTOPLAY_ID_BYTES);
	message->spins = autoplay->left;
	message->loss_limit_minor = autoplay->loss_limit.minor;
	message->single_win_minor = autoplay->single_win.minor;
	message->stop_on_jackpot = autoplay->stop_on_jackpot;
	message->stop_on_feature = autoplay->stop_on_feature;
	reply->autoplay = message;
}

/* The carried state of each bet value. A bet fixes all draws of its round: until the round has been
 * watched, its bet value shows the state from before it. */
static void fill_carried(struct engine *engine, const struct game *game,
	const struct player_game *play, Carillon__SpinReply *reply)
{
	const struct carried *carried = &play->state.carried;
	struct money watched = money_of(0);

	if (!game->unlock.offered)
		return;
	if (player_feature_open(play) && bet_total(&play->round.bet, &watched) != BET_OK)
		return;
	reply->carried =
		arena_take(&engine->arena, (carried->count + 1u) * sizeof(Carillon__Carried *));
	if (watched.minor > 0)
		reply->carried[reply->n_carried++] =
			view_carried(&engine->arena, game, watched, &play->round.before);
	for (uint32_t i = 0; i < carried->count; i++) {
		struct money total = carried_total(carried, i);
		struct round_state state = carried_state(carried, game, total);

		if (total.minor != watched.minor)
			reply->carried[reply->n_carried++] =
				view_carried(&engine->arena, game, total, &state);
	}
}

/* RULE mystic-gem 7.1: grants of bonus spins, for all games. */
static void fill_bonus_spins(
	struct engine *engine, const struct player *player, Carillon__SpinReply *reply)
{
	uint64_t now_us = clock_wall_us();

	reply->bonus_spins = arena_take(
		&engine->arena, (player->bonus_spins_count + 1u) * sizeof(Carillon__BonusSpins *));
	for (uint32_t i = 0; i < player->bonus_spins_count; i++) {
		const struct player_bonus_spins *bonus_spins = &player->bonus_spins[i];
		const struct game *game = games_by_number(engine->games, bonus_spins->game);
		Carillon__BonusSpins *message;

		if (!game || now_us > bonus_spins->expires_us)
			continue;
		message = arena_take(&engine->arena, sizeof(*message));
		carillon__bonus_spins__init(message);
		message->id = view_bytes(&engine->arena, bonus_spins->id, PLAYER_ID_BYTES);
		message->game = arena_text(&engine->arena, game->id);
		message->left = bonus_spins->spins - bonus_spins->used;
		message->spins = bonus_spins->spins;
		message->coin_minor = bonus_spins->coin_minor;
		message->lines = bonus_spins->lines;
		message->coins = bonus_spins->coins;
		message->expires_us = bonus_spins->expires_us;
		reply->bonus_spins[reply->n_bonus_spins++] = message;
	}
}

static void fill_fault(struct engine *engine, const struct fault *fault, Carillon__SpinReply *reply)
{
	reply->http_status = fault->http;
	reply->retry_after_ms = fault->retry_ms;
	reply->error = arena_text(&engine->arena, fault->code);
	reply->message = arena_text(&engine->arena, fault->message);
	reply->where = arena_text(&engine->arena, fault->where);
	reply->found = arena_text(&engine->arena, fault->found);
	reply->expected = arena_text(&engine->arena, fault->expected);
}

static void send(
	struct engine *engine, const struct spin_command *command, Carillon__SpinReply *reply)
{
	Carillon__Envelope envelope;
	Carillon__Bus bus;
	uint8_t trace[COMMAND_TRACE_MAX], *bytes;
	size_t length;

	if (command->reply_to[0] != '\0') {
		carillon__envelope__init(&envelope);
		carillon__bus__init(&bus);
		service_envelope(engine->service, &envelope, 0, 0);
		memcpy(trace, command->trace, sizeof(trace));
		envelope.trace.data = trace;
		envelope.trace.len = command->trace_length;
		bus.envelope = &envelope;
		bus.body_case = CARILLON__BUS__BODY_REPLY;
		bus.reply = reply;
		length = carillon__bus__get_packed_size(&bus);
		bytes = arena_take(&engine->arena, length);
		carillon__bus__pack(&bus, bytes);
		if (traced(command))
			traced_hop(
				command, (struct log_hop){ .event = "engine.reply.sent",
						 .message = reply->http_status == 200
								    ? "the reply is sent"
								    : "the reply is sent: refused",
						 .round = reply->round ? reply->round->round : 0 });
		service_bus_send_now(engine->service, command->reply_to, bytes, length);
	}
	arena_reset(&engine->arena);
}

static void reply_begin(const struct spin_command *command, Carillon__SpinReply *reply)
{
	carillon__spin_reply__init(reply);
	reply->correlation = command->correlation;
	reply->player = command->player;
	reply->http_status = 200;
}

void answer_bad(
	struct engine *engine, const struct spin_command *command, const struct fault *fault)
{
	Carillon__SpinReply reply;

	reply_begin(command, &reply);
	fill_fault(engine, fault, &reply);
	send(engine, command, &reply);
}

static const struct player_game *play_of(const struct engine *engine, const struct seat *seat,
	const struct spin_command *command, const struct game **game_r)
{
	*game_r = games_by_id(engine->games, command->game);
	return *game_r ? seat_game(seat, (*game_r)->number) : NULL;
}

/* The round to show: the open one; a closed one only if the request names it or closed it. */
static bool shows_round(
	const struct player_game *play, const struct spin_command *command, bool result)
{
	bool setting = command->core.verb == VERB_AUTOPLAY || command->core.verb == VERB_WITCH;

	if (play->round.move == 0)
		return false;
	return player_round_open(play) || (result && !setting) ||
	       command->core.round == play->round.move;
}

/* A round is told from its beginning, PLAYER_SHOW_MAX phases an answer: a bet shows the first page,
 * STATE with the round the page asked for, a step what it has opened. Everything else shows where
 * the round stands: its last phases. */
static uint32_t phases_from(
	const struct player_game *play, const struct spin_command *command, uint32_t from)
{
	uint32_t cursor = player_round_open(play) ? play->state.open.cursor : play->round.phases;
	const struct player_command *core = &command->core;

	if (core->verb == VERB_PICK || core->verb == VERB_NEXT)
		return from;
	if (core->verb == VERB_BET)
		return 0;
	if (core->verb == VERB_STATE && core->round == play->round.move)
		return core->cursor;
	return cursor > PLAYER_SHOW_MAX ? cursor - PLAYER_SHOW_MAX : 0;
}

static Carillon__RoundView *view_of(struct engine *engine, const struct seat *seat,
	const struct request *request, const struct player_game *play)
{
	Carillon__RoundView *view = NULL;
	enum view_status status = view_round(&engine->sources, &seat->player, play,
		phases_from(play, &request->command, request->from), PLAYER_SHOW_MAX, &view);

	if (status == VIEW_OK)
		return view;
	log_error_as("engine.round.unreadable", "ALARM player %" PRId64 " round %" PRIu64 ": %s",
		seat->player.id, play->round.move, view_status_text(status));
	return NULL;
}

/* RULE bewitched 5.8; RULE mystic-gem 4.8: the last cards, latest first. */
static void fill_gamble_cards(
	struct engine *engine, const struct player_game *play, Carillon__SpinReply *reply)
{
	reply->n_gamble_cards = play->state.card_count;
	reply->gamble_cards =
		arena_take(&engine->arena, GAMBLE_CARDS_MAX * sizeof(*reply->gamble_cards));
	for (uint32_t i = 0; i < play->state.card_count; i++)
		reply->gamble_cards[i] = play->state.card[i];
}

/* RULE witch-feature 8.1, 8.3: a returning player also gets the last round. */
static void fill_round(struct engine *engine, const struct seat *seat,
	const struct request *request, const struct player_game *play, bool result,
	Carillon__SpinReply *reply)
{
	const struct player_command *core = &request->command.core;

	if (shows_round(play, &request->command, result))
		reply->round = view_of(engine, seat, request, play);
	else if (core->verb == VERB_STATE && core->round == 0 && play->round.move != 0)
		reply->last_round = view_of(engine, seat, request, play);
	if (result && reply->round)
		reply->round->collected_minor = seat->player.last.collected.minor;
}

/* Not enough money: the balance, and the smallest bet. */
static void fill_funds(struct engine *engine, const struct game *game, const struct seat *seat,
	Carillon__SpinReply *reply)
{
	char text[64];
	struct bet bet;
	struct money stake;

	if (bet_smallest(game, seat->player.currency, &bet, &stake) != BET_OK)
		return;
	reply->smallest_bet_minor = stake.minor;
	reply->where = arena_text(&engine->arena, "bet");
	snprintf(text, sizeof(text), "a balance of %" PRId64, reply->balance_minor);
	reply->found = arena_text(&engine->arena, text);
	snprintf(text, sizeof(text), "at least the stake; the smallest is %" PRId64, stake.minor);
	reply->expected = arena_text(&engine->arena, text);
}

static void answer_with(struct engine *engine, struct seat *seat, struct request *request,
	const struct fault *fault, bool result)
{
	const struct game *game;
	const struct player_game *play = play_of(engine, seat, &request->command, &game);
	Carillon__SpinReply reply;

	reply_begin(&request->command, &reply);
	fill_account(engine, seat, &reply);
	fill_bonus_spins(engine, &seat->player, &reply);
	if (play) {
		fill_autoplay(engine, play, &reply);
		fill_carried(engine, game, play, &reply);
		fill_gamble_cards(engine, play, &reply);
		fill_round(engine, seat, request, play, result, &reply);
		reply.cards = cards_waiting(&engine->arena, play);
	}
	reply.bet_not_placed = result && request->command.core.verb == VERB_BET &&
			       seat->player.last.kind == PLAYER_MOVE_COLLECT;
	if (fault)
		fill_fault(engine, fault, &reply);
	if (fault && fault->http == 402 && game)
		fill_funds(engine, game, seat, &reply);
	send(engine, &request->command, &reply);
	free(request);
}

void answer_fault(struct engine *engine, struct seat *seat, struct request *request,
	const struct fault *fault)
{
	answer_with(engine, seat, request, fault, false);
}

void answer_error(struct engine *engine, struct seat *seat, struct request *request,
	const struct player_error *error)
{
	const struct game *game = games_by_id(engine->games, request->command.game);
	const struct game_currency *currency =
		game ? game_currency(game, seat->player.currency) : NULL;
	struct fault fault;

	fault_of_error(error, &fault);
	if (fault_by_definition(error) &&
		games_behind(engine->games, service_pg(engine->service), request->command.game))
		fault_behind(&fault);
	else if (game && error->refusal == REFUSED_BET)
		fault_of_bet(game, currency, (enum bet_status)error->detail,
			&request->command.core.bet, request->command.core.mode, &fault);
	answer_with(engine, seat, request, &fault, false);
}

/* True if the cursor has passed a jackpot whose award is not known yet. */
static bool awaits_award(const struct seat *seat, const struct player_game *play)
{
	if (!play)
		return false;
	for (uint32_t index = 1; index <= play->round.claims_shown; index++)
		if (!player_award_of(&seat->player, play->round.move, index))
			return true;
	return false;
}

/* The wallet refused this request, so there is no jackpot to wait for. */
static bool was_refused(const struct seat *seat, const struct request *request)
{
	struct player_error error;

	return request->result && seat->player.last.refusal != 0 &&
	       player_repeat(&seat->player, &request->command.core, &error) == PLAYER_STORED;
}

/* While a reply waits for an award, the player may move on by another request; the state is then no
 * longer the result of this one. After many moves the player's record does not even have the
 * request any more; of a move that was made this too means that it was done. */
static bool moved_on(
	const struct seat *seat, const struct request *request, struct player_error *error_r)
{
	const struct player_command *command = &request->command.core;
	enum player_outcome outcome;

	if (!request->result || !command->has_request_id)
		return false;
	outcome = player_repeat(&seat->player, command, error_r);
	if (outcome == PLAYER_PROPOSE &&
		(command->verb == VERB_BET || command->verb == VERB_COLLECT ||
			command->verb == VERB_GAMBLE || command->verb == VERB_HALVE)) {
		*error_r = (struct player_error){
			.refusal = REFUSED_DONE, .field = "Idempotency-Key", .min = 1
		};
		return true;
	}
	return outcome == PLAYER_REFUSE;
}

static void answer_now(struct engine *engine, struct seat *seat, struct request *request)
{
	struct player_error error;
	struct fault fault;

	if (was_refused(seat, request)) {
		fault_of_refusal(seat->player.last.refusal, &fault);
		answer_with(engine, seat, request, &fault, false);
	} else if (moved_on(seat, request, &error)) {
		answer_error(engine, seat, request, &error);
	} else {
		answer_with(engine, seat, request, NULL, request->result);
	}
}

void answer_state(struct engine *engine, struct seat *seat, struct request *request, uint32_t from,
	bool result)
{
	const struct game *game;
	const struct player_game *play = play_of(engine, seat, &request->command, &game);

	request->from = from;
	request->result = result;
	if (!awaits_award(seat, play) || !shows_round(play, &request->command, result) ||
		was_refused(seat, request)) {
		answer_now(engine, seat, request);
		return;
	}
	request->round = play->round.move;
	request->deadline_us = clock_mono_us() + ENGINE_AWARD_US;
	request->next = engine->held;
	engine->held = request;
}

void answer_held(struct engine *engine, uint64_t mono_us, bool all)
{
	struct request **link = &engine->held;

	while (*link) {
		struct request *request = *link;
		struct seat *seat = play_seat(engine, request->command.player);
		const struct game *game;
		const struct player_game *play = play_of(engine, seat, &request->command, &game);

		if (!all && mono_us < request->deadline_us && awaits_award(seat, play) &&
			play->round.move == request->round) {
			link = &request->next;
			continue;
		}
		*link = request->next;
		answer_now(engine, seat, request);
	}
}

void answer_replay(struct engine *engine, struct seat *seat, const struct spin_command *command,
	const struct player_game *play, Carillon__RoundView *view)
{
	Carillon__SpinReply reply;

	reply_begin(command, &reply);
	fill_account(engine, seat, &reply);
	reply.witch = play->state.witch;
	reply.round = view;
	send(engine, command, &reply);
}
