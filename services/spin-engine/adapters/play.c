/* From a command to a proposal. A player has one move in flight; their other commands are queued
 * behind it. */
#include "libcommon/base/ask_again.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/settings.h"
#include "services/spin-engine/adapters/cards.h"
#include "services/spin-engine/adapters/codec.h"
#include "services/spin-engine/adapters/engine.h"
#include "services/spin-engine/adapters/quarantine.h"
#include "services/spin-engine/adapters/traced.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFUSED_ROWS_FREE 100
#define REFUSED_GAP_US UINT64_C(1000000)

struct seat *play_seat(struct engine *engine, player_id player)
{
	struct seat *seat = seats_find(&engine->seats, player);

	if (seat)
		return seat;
	store_load(service_pg(engine->service), &engine->seats, service_shards(engine->service),
		&player, 1);
	return seats_find(&engine->seats, player);
}

bool play_stopped(const struct engine *engine, uint32_t game)
{
	for (size_t i = 0; i < engine->stopped_count; i++)
		if (engine->stopped[i] == 0 || engine->stopped[i] == game)
			return true;
	return false;
}

struct request *play_decided(struct engine *engine, struct seat *seat)
{
	return seat_pop(&engine->seats, seat);
}

/* ---- proposals ---- */

static void fill_claims(const struct player_proposal *proposal, Carillon__Claim *claim,
	Carillon__Claim **claims, Carillon__Proposal *message)
{
	for (uint32_t i = 0; i < proposal->claim_count; i++) {
		carillon__claim__init(&claim[i]);
		claim[i].index = proposal->claim[i].index;
		claim[i].pool = proposal->claim[i].pool;
		claim[i].kind = proposal->claim[i].cards ? CARILLON__CLAIM_KIND__CLAIM_CARDS
							 : CARILLON__CLAIM_KIND__CLAIM_HIT;
		claim[i].coin_minor = proposal->claim[i].coin_minor;
		claim[i].stake_minor = proposal->claim[i].stake.minor;
		claims[i] = &claim[i];
	}
	message->n_claims = proposal->claim_count;
	message->claims = claims;
}

static void fill_amounts(struct player_proposal *proposal, Carillon__Proposal *message)
{
	message->move = proposal->move;
	message->round = proposal->round;
	message->game = proposal->game;
	message->kind = (Carillon__MoveKind)proposal->kind;
	message->currency = proposal->currency;
	message->pending_before = proposal->pending_before.minor;
	message->release = proposal->release.minor;
	message->stake = proposal->stake.minor;
	message->win_balance = proposal->win_balance.minor;
	message->win_pending = proposal->win_pending.minor;
	message->forfeit = proposal->forfeit.minor;
	message->n_pools = proposal->pool_count;
	message->pools = proposal->pool;
	message->not_after_us = proposal->not_after_us;
	message->void_move = proposal->void_move;
	message->awards = proposal->awards.minor;
	if (proposal->bonus) {
		message->bonus_spin.len = PLAYER_ID_BYTES;
		message->bonus_spin.data = proposal->bonus_spin;
	}
}

static size_t record_of(const struct player_proposal *proposal, const struct spin_command *command,
	uint8_t bytes[RECORD_BYTES_MAX])
{
	struct player_record record = { .next = proposal->next,
		.collected = proposal->collected,
		.awards = proposal->awards,
		.has_game = proposal->has_game };

	memcpy(record.content_hash, command->core.content_hash, sizeof(record.content_hash));
	memcpy(record.reason, command->core.reason, sizeof(record.reason));
	if (proposal->has_game) {
		record.game = proposal->after;
		record.game.move = proposal->move;
	}
	return record_encode(&record, bytes);
}

static void send(struct engine *engine, struct seat *seat, uint64_t now_us)
{
	uint64_t epoch = service_owner_epoch(engine->service, "wallet", seat->shard);
	uint8_t key[8];

	for (int i = 0; i < 8; i++)
		key[i] = (uint8_t)((uint64_t)seat->player.id >> (56 - 8 * i));
	if (epoch != seat->flight.owner_epoch) /* a new owner has as long for its answer */
		seat->flight.sent = 0;
	seat->flight.sent++;
	seat->flight.again_us = now_us + ask_again_us(seat->flight.sent, (uint64_t)seat->player.id);
	seat->flight.owner_epoch = epoch;
	service_send_now(engine->service, TOPIC_WALLET_COMMANDS, seat->shard, key, sizeof(key),
		seat->flight.bytes, seat->flight.length);
}

/* Packs the proposal once: it is repeated unchanged until the wallet's verdict, and nobody learns
 * the outcome before. */
static void launch(struct engine *engine, struct seat *seat, struct request *request,
	struct player_proposal *proposal, uint32_t from)
{
	Carillon__WalletCommand command;
	Carillon__Envelope envelope;
	Carillon__Proposal message;
	Carillon__Claim claim[PLAYER_CLAIMS_MAX + 1], *claims[PLAYER_CLAIMS_MAX + 1];
	uint8_t record[RECORD_BYTES_MAX];

	carillon__wallet_command__init(&command);
	carillon__envelope__init(&envelope);
	carillon__proposal__init(&message);
	service_envelope(engine->service, &envelope, 0, 0);
	envelope.trace.data = request->command.trace;
	envelope.trace.len = request->command.trace_length;
	fill_amounts(proposal, &message);
	fill_claims(proposal, claim, claims, &message);
	message.record.len = record_of(proposal, &request->command, record);
	message.record.data = record;
	if (request->command.core.has_request_id) {
		message.request_id.len = PLAYER_ID_BYTES;
		message.request_id.data = request->command.core.request_id;
	}
	command.envelope = &envelope;
	command.player = seat->player.id;
	command.body_case = CARILLON__WALLET_COMMAND__BODY_PROPOSAL;
	command.proposal = &message;
	command.reply_to = (char *)(uintptr_t)service_nn_url(engine->service);
	command.correlation = proposal->move;
	seat->flight = (struct flight){ .open = true, .move = proposal->move, .from = from };
	seat->flight.length = carillon__wallet_command__get_packed_size(&command);
	seat->flight.bytes = malloc(seat->flight.length);
	if (!seat->flight.bytes)
		fatal("no memory for a proposal");
	carillon__wallet_command__pack(&command, seat->flight.bytes);
	if (traced(&request->command))
		traced_hop(&request->command,
			(struct log_hop){ .event = "engine.move.proposed",
				.message = "the move is decided; the proposal goes to the wallet",
				.round = proposal->round,
				.move = proposal->move,
				.us = clock_mono_us() - request->arrived_us });
	send(engine, seat, clock_mono_us());
}

/* ---- deciding ---- */

/* What a command refers to. */
struct request_subject {
	const struct game *game;   /* the definition offered now */
	const struct game *opened; /* the definition that the open round began with, or `game` */
	struct player_game *play;  /* the seat's; NULL: never played */
	struct player_game fresh;  /* used if play is NULL */
};

/* Nothing was done and no row says so: a repeat of the request must find the same. */
static void note_declined(struct engine *engine, const struct request *request)
{
	const struct spin_command *command = &request->command;

	declined_note(&engine->declined, command->reply_to, command->correlation, command->player);
}

static void decline_error(
	struct engine *engine, struct seat *seat, const struct player_error *error)
{
	metric_add(engine->metrics.declined, 1);
	note_declined(engine, seat->head);
	answer_error(engine, seat, play_decided(engine, seat), error);
}

static void decline_fault(struct engine *engine, struct seat *seat, const struct fault *fault)
{
	metric_add(engine->metrics.declined, 1);
	note_declined(engine, seat->head);
	answer_fault(engine, seat, play_decided(engine, seat), fault);
}

static void fail(struct engine *engine, struct seat *seat, enum player_refusal refusal)
{
	struct player_error error = { .refusal = refusal, .min = 1, .max = 0 };

	decline_error(engine, seat, &error);
}

/* The open round may have an older definition, which is read from the database. */
static bool find_subject(struct engine *engine, struct seat *seat,
	const struct spin_command *command, struct request_subject *subject)
{
	subject->game = command->game[0] ? games_by_id(engine->games, command->game) : NULL;
	subject->opened = subject->game;
	subject->play = NULL;
	if (!subject->game) {
		memset(&subject->fresh, 0, sizeof(subject->fresh));
		return command->game[0] == '\0';
	}
	subject->play = seat_game(seat, subject->game->number);
	if (!subject->play)
		player_game_init(subject->game, &subject->fresh);
	else if (player_round_open(subject->play))
		subject->opened = games_by_digest(engine->games, service_pg(engine->service),
			subject->game->number, subject->play->round.math_version);
	return subject->opened != NULL;
}

static const struct game *game_for(const struct request_subject *subject, enum player_verb verb)
{
	return verb == VERB_BET || verb == VERB_AUTOPLAY || verb == VERB_WITCH ? subject->game
									       : subject->opened;
}

/* The random numbers have failed a test: this engine stops drawing at once, and the whole
 * installation until an operator has investigated. */
static void stop_draws(struct engine *engine)
{
	char text[DRAW_HEALTH_TEXT_MAX], reason[DRAW_HEALTH_TEXT_MAX + 40];

	if (engine->health.told)
		return;
	engine->health.told = true;
	snprintf(reason, sizeof(reason), "random numbers: %s",
		draw_health_text(&engine->health, text));
	log_error_as("engine.draws.stopped",
		"ALARM %s: all play is stopped; players can finish open rounds", reason);
	metric_set(engine->metrics.draw_fault, 1);
	service_unhealthy(engine->service, reason);
	store_stop(service_pg(engine->service), 0, reason);
}

/* Checked before a draw and after it: results of bad numbers are not proposed. */
static bool draws_fail(struct engine *engine, enum player_verb verb)
{
	if (draw_health_fault(&engine->health) == RNG_SOUND)
		return false;
	stop_draws(engine);
	return verb == VERB_BET || verb == VERB_GAMBLE;
}

/* The cards stream of the open round, which this move may close, and the odds by the definition it
 * began with. */
static bool cards_of_open(struct engine *engine, const struct seat *seat,
	const struct player_game *play, struct player_entropy *entropy)
{
	const struct game *game;

	if (!player_round_open(play))
		return true;
	if (view_key(&engine->sources, seat->player.id, &play->round, play->state.game, "cards",
		    &game, entropy->cards_key_open) != VIEW_OK)
		return false;
	entropy->cards_open = cards_odds_of(&engine->card_sets, &engine->cards_rules, game,
		seat->player.id, seat->player.currency);
	return true;
}

/* Keys and random bytes of the move; a bet is played with the definition `offered`. */
static bool make_entropy(struct engine *engine, const struct seat *seat, const struct game *offered,
	const struct player_game *play, const struct player_command *command,
	struct player_entropy *entropy_r)
{
	const struct game *game;
	uint8_t secret[SECRET_BYTES];
	const char *purpose = command->verb == VERB_GAMBLE ? "gamble" : "game";

	memset(entropy_r, 0, sizeof(*entropy_r));
	keys_salt(engine->keys, &entropy_r->next);
	(void)draw_health_salt(&engine->health, entropy_r->next.bytes);
	entropy_r->watch = &engine->health.streams;
	if (!cards_of_open(engine, seat, play, entropy_r))
		return false;
	if (command->verb == VERB_BET) {
		if (!keys_secret(engine->keys, seat->player.id, player_expect(&seat->player),
			    &seat->player.salt, secret))
			return false;
		keys_stream(secret, command->nonce, command->nonce_length, "game",
			entropy_r->round_key);
		keys_stream(secret, command->nonce, command->nonce_length, "cards",
			entropy_r->cards_key_new);
		entropy_r->cards_new = cards_odds_of(&engine->card_sets, &engine->cards_rules,
			offered, seat->player.id, seat->player.currency);
		(void)draw_health_key(&engine->health, seat->player.id,
			player_expect(&seat->player), entropy_r->round_key);
		if (engine->settings->forced_draws)
			entropy_r->forced_count = store_script(
				service_pg(engine->service), seat->player.id, entropy_r->forced);
		if (entropy_r->forced_count > 0)
			metric_add(engine->metrics.forced, 1);
		return true;
	}
	if (!player_round_open(play))
		return true;
	return view_key(&engine->sources, seat->player.id, &play->round, play->state.game, purpose,
		       &game, entropy_r->round_key) == VIEW_OK;
}

/* A round exceeded its bounds: stops this game here and on every other engine. */
static void stop_game(struct engine *engine, const struct seat *seat, const struct game *game)
{
	log_error_as("engine.game.stopped",
		"ALARM game %s: a round of player %" PRId64
		" exceeded its proven bounds; the game is stopped",
		game->id, seat->player.id);
	metric_add(engine->metrics.stopped, 1);
	store_stop(service_pg(engine->service), game->number, "a round exceeded its proven bounds");
	if (engine->stopped_count < STORE_STOPPED_MAX)
		engine->stopped[engine->stopped_count++] = game->number;
}

/* How long a player must wait before the next bet, whichever game it is for; 0: not at all. Rounds
 * keep their beginning, so this holds after a restart and at another engine too. */
static uint64_t gap_left_us(const struct seat *seat, uint64_t now_us)
{
	uint64_t gap_us = (uint64_t)common.bet_gap_ms * 1000, most_us = 0;

	for (size_t i = 0; i < seat->game_count; i++) {
		uint64_t left_us = player_gap_left_us(seat->game[i], gap_us, now_us);

		if (left_us > most_us)
			most_us = left_us;
	}
	return most_us;
}

/* A refused bet leaves a row in the journal: after many, a player gets one a second. */
static uint64_t refused_left_us(const struct seat *seat, uint64_t mono_us)
{
	uint64_t passed_us = mono_us - seat->refused_us;

	if (seat->refused < REFUSED_ROWS_FREE || passed_us >= REFUSED_GAP_US)
		return 0;
	return REFUSED_GAP_US - passed_us;
}

/* True if the bet came too soon and was answered. */
static bool too_soon(struct engine *engine, struct seat *seat)
{
	uint64_t left_us = gap_left_us(seat, clock_wall_us());
	uint64_t refused_us = refused_left_us(seat, clock_mono_us());
	struct fault fault;

	if (left_us == 0 && refused_us == 0)
		return false;
	fault_set(&fault, 429, "too_soon",
		refused_us > left_us
			? "Many of your bets were refused. Nothing was done. Wait a second."
			: "This bet came too soon after the last one. Nothing was done.");
	fault.retry_ms = (uint32_t)(((left_us > refused_us ? left_us : refused_us) + 999) / 1000);
	snprintf(fault.where, sizeof(fault.where), "bet");
	fault_found(&fault, "a request %" PRIu32 " ms too soon", fault.retry_ms);
	if (refused_us > left_us)
		fault_expected(&fault, "at least %d ms after the last refusal",
			(int)(REFUSED_GAP_US / 1000));
	else
		fault_expected(&fault, "at least %" PRId64 " ms after the last bet",
			(int64_t)common.bet_gap_ms);
	decline_fault(engine, seat, &fault);
	return true;
}

static void decide_propose(struct engine *engine, struct seat *seat, struct request *request,
	const struct request_subject *subject)
{
	const struct player_command *command = &request->command.core;
	const struct player_game *play = subject->play ? subject->play : &subject->fresh;
	const struct game *game = game_for(subject, command->verb);
	struct player_proposal proposal;
	struct player_entropy entropy;
	enum player_refusal refusal;

	if (draws_fail(engine, command->verb)) {
		fail(engine, seat, REFUSED_DRAWS);
		return;
	}
	if (command->verb == VERB_BET && play_stopped(engine, game->number)) {
		fail(engine, seat, REFUSED_GAME_STOPPED);
		return;
	}
	if ((command->verb == VERB_BET ||
		    (command->verb == VERB_GAMBLE && refused_left_us(seat, clock_mono_us()) > 0)) &&
		too_soon(engine, seat))
		return;
	if (!make_entropy(engine, seat, game, play, command, &entropy)) {
		log_error_as("engine.key.missing",
			"ALARM player %" PRId64 ": the service key of their round is missing",
			seat->player.id);
		fail(engine, seat, REFUSED_GAME_STOPPED);
		return;
	}
	refusal = player_propose(
		&seat->player, play, game, command, &entropy, clock_wall_us(), &proposal);
	if (draws_fail(engine, command->verb))
		refusal = REFUSED_DRAWS;
	if (refusal == REFUSED_PHASE_LIMIT)
		stop_game(engine, seat, game);
	if (refusal != REFUSED_NOTHING)
		fail(engine, seat, refusal);
	else
		launch(engine, seat, request, &proposal, 0);
}

static void decide_step(struct engine *engine, struct seat *seat, struct request *request,
	struct request_subject *subject)
{
	struct player_command *command = &request->command.core;
	struct player_proposal proposal;
	struct player_entropy entropy;
	struct player_error error;
	uint32_t from = 0;

	if (!subject->play)
		subject->play = seat_game_add(seat, &subject->fresh);
	if (!subject->play ||
		!make_entropy(engine, seat, subject->game, subject->play, command, &entropy)) {
		fail(engine, seat, REFUSED_GAME_STOPPED);
		return;
	}
	(void)draws_fail(engine, command->verb); /* a step draws nothing, so it may go on */
	switch (player_step(&seat->player, subject->play, game_for(subject, command->verb), command,
		&entropy, &from, &proposal, &error)) {
	case PLAYER_ANSWER:
		seat_touch_soon(&engine->seats, seat);
		answer_state(engine, seat, play_decided(engine, seat), from, false);
		break;
	case PLAYER_PROPOSE:
		launch(engine, seat, request, &proposal, from);
		break;
	case PLAYER_REFUSE:
	case PLAYER_STORED:
	case PLAYER_WAIT:
	case PLAYER_STEP:
		decline_error(engine, seat, &error);
		break;
	}
}

/* A move that this engine has not seen: its row is read at once. */
static bool decide_wait(
	struct engine *engine, struct seat *seat, struct request *request, uint64_t mono_us)
{
	struct player_error error = { .refusal = REFUSED_MOVE_AHEAD,
		.field = "expect",
		.found = (int64_t)request->command.core.expect };

	struct service_shard *shard = service_shard(engine->service, seat->shard);

	if (request->deadline_us == 0)
		request->deadline_us = mono_us + ENGINE_WAIT_US;
	if (shard != NULL)
		service_facts_soon(engine->service, shard);
	if (mono_us < request->deadline_us)
		return false;
	error.min = error.max = (int64_t)player_expect(&seat->player);
	decline_error(engine, seat, &error);
	return true;
}

/* The index of the mode that the client named; an unknown mode gets an index beyond the last, which
 * bet_check refuses. */
static uint32_t mode_of(const struct game *game, const char *id)
{
	uint32_t mode = 0;

	while (id[0] && mode < game->mode_count && strcmp(game->mode[mode].id, id) != 0)
		mode++;
	return mode;
}

static void void_journal_fault(struct fault *fault)
{
	fault_set(fault, 503, "journal_unavailable",
		"The round cannot be read now. Nothing was done. Try again.");
}

/* Reads the jackpots that the order names. False: they cannot be taken back, and the request was
 * declined. */
static bool void_awards(struct engine *engine, struct seat *seat, struct request *request)
{
	struct player_command *command = &request->command.core;
	struct fault fault;
	uint32_t http = 200;

	if (command->awards_named)
		http = past_awards_read(engine, seat, command->round, &command->awards);
	if (http == 200)
		return true;
	if (http == 404)
		fault_set(&fault, 409, "no_award",
			"No jackpot was paid to this round. Void it without \"award\".");
	else if (http == 409)
		fault_of_refusal(CARILLON__REFUSAL__REFUSAL_CLAIM_OPEN, &fault);
	else
		void_journal_fault(&fault);
	snprintf(fault.where, sizeof(fault.where), "round");
	fault_found(&fault, "%" PRIu64, command->round);
	decline_fault(engine, seat, &fault);
	return false;
}

/* Voids a round that is no longer in the state, with its figures from the journal. */
static void void_past(struct engine *engine, struct seat *seat, struct request *request,
	const struct request_subject *subject)
{
	const struct player_command *command = &request->command.core;
	struct player_proposal proposal;
	struct player_entropy entropy;
	struct past_round past;
	struct fault fault;
	uint32_t http;

	assert(subject->game !=
		NULL); /* player_check has checked everything else before the round */
	if (!void_awards(engine, seat, request))
		return;
	http = past_round_read(engine, seat, subject->game->number, command->round, &past);
	if (http != 200) {
		if (http == 404)
			fault_set(&fault, 404, "no_round",
				"This player has no such round in this game.");
		else if (http == 410)
			fault_set(&fault, 404, "archived",
				"This round is no longer in the database. It is in the archive.");
		else if (http == 409)
			fault_set(&fault, 409, "day_open",
				"The player has too many bookings since the round. It can be "
				"voided once the wallet has closed the day.");
		else
			void_journal_fault(&fault);
		snprintf(fault.where, sizeof(fault.where), "round");
		fault_found(&fault, "%" PRIu64, command->round);
		decline_fault(engine, seat, &fault);
		return;
	}
	memset(&entropy, 0, sizeof(entropy));
	keys_salt(engine->keys, &entropy.next);
	(void)draw_health_salt(&engine->health, entropy.next.bytes);
	(void)draws_fail(engine, command->verb); /* a void draws nothing, so it may go on */
	past.awards = command->awards;
	if (player_propose_void_past(&seat->player, subject->play, &past, &entropy, &proposal))
		launch(engine, seat, request, &proposal, 0);
	else
		fail(engine, seat, REFUSED_OVERFLOW);
}

/* False: the seat must wait. */
static bool decide(struct engine *engine, struct seat *seat, struct request *request)
{
	struct player_command *command = &request->command.core;
	struct player_error error;
	struct request_subject subject;

	command->bet.currency = seat->player.currency;
	if (command->verb == VERB_BET && command->bonus)
		player_bonus_spins_bet(&seat->player, command);
	if (command->verb == VERB_REPLAY) {
		replay_answer(engine, seat, play_decided(engine, seat));
		return true;
	}
	if (!find_subject(engine, seat, &request->command, &subject)) {
		fail(engine, seat, subject.game ? REFUSED_GAME_STOPPED : REFUSED_NO_GAME);
		return true;
	}
	if (command->verb == VERB_BET)
		command->bet.mode = mode_of(subject.game, command->mode);
	switch (player_check(&seat->player,
		subject.play   ? subject.play
		: subject.game ? &subject.fresh
			       : NULL,
		game_for(&subject, command->verb), command, clock_wall_us(), &error)) {
	case PLAYER_ANSWER:
		answer_state(engine, seat, play_decided(engine, seat), command->cursor, false);
		return true;
	case PLAYER_STORED:
		answer_state(engine, seat, play_decided(engine, seat), command->cursor, true);
		return true;
	case PLAYER_WAIT:
		return decide_wait(engine, seat, request, clock_mono_us());
	case PLAYER_STEP:
		decide_step(engine, seat, request, &subject);
		return true;
	case PLAYER_PROPOSE:
		if (command->verb != VERB_VOID || void_awards(engine, seat, request))
			decide_propose(engine, seat, request, &subject);
		return true;
	case PLAYER_REFUSE:
		break;
	}
	if (command->verb == VERB_VOID && error.refusal == REFUSED_ROUND) {
		void_past(engine, seat, request, &subject);
		return true;
	}
	decline_error(engine, seat, &error);
	return true;
}

void play_run(struct engine *engine, struct seat *seat)
{
	while (seat->head && seat_aside(seat))
		quarantine_answer(engine, seat, play_decided(engine, seat));
	while (seat->head && !seat->flight.open) {
		log_trace(seat->head->command.trace, seat->head->command.trace_length);
		if (!decide(engine, seat, seat->head))
			break;
	}
	log_trace(NULL, 0);
}

/* The same command is being decided, its reply waits for an award, or it was declined. */
static bool is_repeat(
	const struct engine *engine, const struct seat *seat, const struct spin_command *command)
{
	const struct request *held = engine->held;

	if (declined_has(
		    &engine->declined, command->reply_to, command->correlation, command->player))
		return true;
	while (held && !request_repeats(held, command))
		held = held->next;
	return held || seat_queued(seat, command);
}

void play_command(struct engine *engine, const struct spin_command *command)
{
	struct seat *seat = play_seat(engine, command->player);
	struct request *request;
	struct fault fault;

	if (is_repeat(engine, seat, command)) {
		metric_add(engine->metrics.asked_twice, 1);
		return;
	}
	request = calloc(1, sizeof(*request));
	if (!request)
		fatal("no memory for a command");
	request->command = *command;
	request->arrived_us = clock_mono_us();
	if (traced(command))
		traced_hop(command, (struct log_hop){ .event = "engine.command.received",
					    .message = "the command has come" });
	if (!seat_push(&engine->seats, seat, request)) {
		metric_add(engine->metrics.busy, 1);
		note_declined(engine, request);
		fault_set(&fault, 429, "busy",
			"Too many requests of this player are already waiting. Try again.");
		fault_expected(&fault, "at most %d at once", SEAT_QUEUE_MAX);
		answer_fault(engine, seat, request, &fault);
		return;
	}
	play_run(engine, seat);
}

/* Unanswered for a while; or another wallet has taken the shard, which knows nothing of it. */
static bool is_due(struct engine *engine, const struct seat *seat, uint64_t mono_us)
{
	uint64_t epoch = service_owner_epoch(engine->service, "wallet", seat->shard);

	return mono_us >= seat->flight.again_us ||
	       (epoch != 0 && epoch != seat->flight.owner_epoch);
}

void play_tick(struct engine *engine, uint64_t mono_us)
{
	struct seat *seat = engine->seats.busy, *after;
	int64_t in_flight = 0, repeats = 0;

	for (; seat; seat = after) {
		after = seat->busy_after; /* play_run may remove this seat from the list, but no
					     other */
		if (!seat->flight.open) {
			play_run(engine, seat);
			continue;
		}
		in_flight++;
		if (repeats == ENGINE_REPEATS_MAX || !is_due(engine, seat, mono_us))
			continue;
		repeats++;
		metric_add(engine->metrics.repeats, 1);
		send(engine, seat, mono_us);
	}
	metric_set(engine->metrics.in_flight, in_flight);
	metric_set(engine->metrics.waiting, (int64_t)engine->seats.busy_count - in_flight);
}
