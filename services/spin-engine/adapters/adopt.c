/* From a booked row to the state: facts by Kafka in order, verdicts by nanomsg in any order. The
 * state in the record becomes the player's, whichever engine proposed it. */
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/service/command_about.h"
#include "services/spin-engine/adapters/codec.h"
#include "services/spin-engine/adapters/engine.h"
#include "services/spin-engine/adapters/quarantine.h"
#include "services/spin-engine/adapters/traced.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_move(const Carillon__WalletFact *fact)
{
	return fact->move > 0 || fact->kind == CARILLON__MOVE_KIND__MOVE_OPEN;
}

static bool kind_known(const Carillon__WalletFact *fact)
{
	return fact->kind <= CARILLON__MOVE_KIND__MOVE_SETTING ||
	       (fact->kind >= CARILLON__MOVE_KIND__MOVE_DEPOSIT &&
		       fact->kind <= CARILLON__MOVE_KIND__MOVE_LIMIT);
}

/* Converts the row for the state machine. */
static struct player_fact fact_of(const Carillon__WalletFact *message)
{
	struct player_fact fact = { .seq = message->envelope->seq,
		.move = message->move,
		.round = message->round,
		.game = message->game,
		.refusal = (uint32_t)message->refusal,
		.currency = message->currency,
		.balance_after = money_of(message->balance_after) };

	if (is_move(message)) /* a refused row of an unknown kind spends its move number too */
		fact.kind = message->kind > 0 && message->kind <= CARILLON__MOVE_KIND__MOVE_SETTING
				    ? (enum player_move)message->kind
				    : PLAYER_MOVE_SETTING;
	if (message->request_id.len == PLAYER_ID_BYTES)
		memcpy(fact.request_id, message->request_id.data, PLAYER_ID_BYTES);
	fact.bonus = fact.kind == PLAYER_MOVE_BET && message->outside_id.len == PLAYER_ID_BYTES;
	if (fact.bonus)
		memcpy(fact.bonus_spin, message->outside_id.data, PLAYER_ID_BYTES);
	return fact;
}

/* NULL: the row has no record, or is refused and its record cannot be read. False: the row is
 * accepted and its record cannot be read; going on would be guessing. */
static bool record_of(const Carillon__WalletFact *message, struct player_record *record,
	const struct player_record **record_r)
{
	*record_r = NULL;
	if (!is_move(message) || message->record.len == 0)
		return true;
	if (record_decode(message->record.data, message->record.len, record) == CODEC_OK) {
		*record_r = record;
		return true;
	}
	return message->refusal != CARILLON__REFUSAL__REFUSAL_NONE;
}

/* The game of an accepted row has a place in the seat. */
static bool has_room(
	const struct seat *seat, const struct player_fact *fact, const struct player_record *record)
{
	return !record || !record->has_game || fact->refusal != 0 ||
	       seat->game_count < SEAT_GAMES_MAX || seat_game(seat, record->game.state.game);
}

static struct player_game *play_for(
	struct seat *seat, const struct player_fact *fact, const struct player_record *record)
{
	struct player_game *play;
	struct player_game none;

	if (!record || !record->has_game || fact->refusal != 0)
		return NULL;
	play = seat_game(seat, record->game.state.game);
	if (play)
		return play;
	memset(&none, 0, sizeof(none));
	none.state.game = record->game.state.game;
	return seat_game_add(seat, &none);
}

/* ---- replies to proposals in flight ---- */

static void count_round(
	struct engine *engine, const struct player_fact *fact, const struct player_record *record)
{
	if (fact->refusal != 0)
		metric_add(engine->metrics.refused, 1);
	if (fact->refusal != 0 || fact->kind != PLAYER_MOVE_BET || !record)
		return;
	metric_add(engine->metrics.rounds, 1);
	metric_add(engine->metrics.hits, record->game.round.claims);
}

static void count_cards(
	struct engine *engine, const struct player_fact *fact, const struct player_record *record)
{
	if (fact->refusal == 0 && record && record->has_game &&
		record->game.round.closed_by == fact->move && record->game.round.cards.index != 0)
		metric_add(engine->metrics.cards, 1);
}

static bool is_answer(const struct request *request, const struct player_fact *fact)
{
	static const uint8_t none[PLAYER_ID_BYTES];
	const uint8_t *id =
		request->command.core.has_request_id ? request->command.core.request_id : none;

	return fact->kind == PLAYER_MOVE_OPEN || memcmp(id, fact->request_id, PLAYER_ID_BYTES) == 0;
}

static void answer(struct engine *engine, struct seat *seat, const struct player_fact *fact)
{
	struct request *request = seat->head;
	uint32_t from = seat->flight.from;
	struct fault fault;

	log_trace(request->command.trace, request->command.trace_length);
	metric_observe_us(engine->metrics.verdict_us, clock_mono_us() - request->arrived_us);
	seat_land(seat);
	if (!is_answer(request, fact)) {
		/* another engine's move took the number: decide this command again; nobody has seen
		 * what was drawn for it */
		request->deadline_us = 0;
		return;
	}
	if (traced(&request->command))
		traced_hop(&request->command,
			(struct log_hop){ .event = "engine.verdict.received",
				.message = fact->refusal == 0 ? "the wallet has booked a row"
							      : "the wallet has refused a row",
				.round = fact->round,
				.move = fact->move,
				.seq = fact->seq,
				.us = clock_mono_us() - request->arrived_us });
	request = play_decided(engine, seat);
	if (fact->refusal == 0) {
		answer_state(engine, seat, request, from, true);
		return;
	}
	if (fact->refusal == CARILLON__REFUSAL__REFUSAL_PENDING) {
		metric_add(engine->metrics.lost_pending, 1);
		log_error_as("engine.move.pending_differs",
			"ALARM player %" PRId64 " move %" PRIu64
			": the wallet's pending amount differs from the engine's",
			seat->player.id, fact->move);
	}
	seat->refused++;
	seat->refused_us = clock_mono_us();
	fault_of_refusal(fact->refusal, &fault);
	answer_fault(engine, seat, request, &fault);
}

/* False: the row cannot be read, and nothing has changed. */
static bool adopt(struct engine *engine, struct seat *seat, const Carillon__WalletFact *message)
{
	struct player_fact fact = fact_of(message);
	struct player_record record;
	const struct player_record *readable = NULL;
	enum player_adopt result;

	/* most facts come after their verdict: then only the balance is new */
	if (!player_knows(&seat->player, &fact) &&
		(!record_of(message, &record, &readable) || !has_room(seat, &fact, readable)))
		return false;
	result = player_adopt(&seat->player, play_for(seat, &fact, readable), &fact, readable);
	seat_touch(&engine->seats, seat);
	if (result == ADOPT_SKIPPED && fact.kind != PLAYER_MOVE_OPEN) {
		metric_add(engine->metrics.skipped, 1);
		log_warn_as("engine.move.skipped",
			"player %" PRId64 ": move %" PRIu64
			" was adopted, but the previous move is missing",
			seat->player.id, fact.move);
	}
	if (result != ADOPT_KNOWN) {
		count_round(engine, &fact, readable);
		count_cards(engine, &fact, readable);
	}
	if (seat->flight.open && fact.kind != PLAYER_MOVE_NONE &&
		(fact.move == seat->flight.move || seat->player.last_move > seat->flight.move))
		answer(engine, seat, &fact);
	return true;
}

/* ---- rows that are not moves ---- */

static void take_award(
	struct engine *engine, struct seat *seat, const Carillon__WalletFact *message)
{
	const Carillon__Award *award = message->award;
	struct player_award kept;

	if (!award || message->refusal != CARILLON__REFUSAL__REFUSAL_NONE)
		return;
	kept = (struct player_award){ award->move, award->index, award->pool,
		money_of(award->paid_minor) };
	player_award(&seat->player, &kept);
	for (size_t i = 0; i < seat->game_count; i++)
		(void)player_cards_booked(seat->game[i], &kept);
	seat_touch(&engine->seats, seat);
	answer_held(engine, clock_mono_us(), false);
}

/* Bonus spins, granted or ended. False: the row cannot be read. */
static bool take_bonus_spins(struct seat *seat, const Carillon__WalletFact *message)
{
	Carillon__SpinGrant *grant;
	struct player_bonus_spins bonus_spins;

	if (message->refusal != CARILLON__REFUSAL__REFUSAL_NONE)
		return true;
	grant = carillon__spin_grant__unpack(NULL, message->record.len, message->record.data);
	if (!grant || message->outside_id.len != PLAYER_ID_BYTES) {
		if (grant)
			carillon__spin_grant__free_unpacked(grant, NULL);
		return false;
	}
	if (message->kind == CARILLON__MOVE_KIND__MOVE_SPINS_END) {
		if (grant->grant.len == PLAYER_ID_BYTES)
			player_bonus_spins_end(&seat->player, grant->grant.data);
	} else {
		bonus_spins = (struct player_bonus_spins){ .game = grant->game,
			.lines = grant->lines,
			.coins = grant->coins,
			.spins = grant->spins,
			.coin_minor = grant->coin_minor,
			.expires_us = grant->expires_us };
		memcpy(bonus_spins.id, message->outside_id.data, PLAYER_ID_BYTES);
		player_bonus_spins(&seat->player, &bonus_spins);
	}
	carillon__spin_grant__free_unpacked(grant, NULL);
	return true;
}

bool adopt_row(struct engine *engine, struct seat *seat, const Carillon__WalletFact *fact)
{
	uint64_t seq = fact->envelope->seq;
	/* After a restart rows come again that the stored state has. A grant of bonus spins that
	 * was used up since is forgotten, so only its seq tells that it is an old one. */
	bool again = seq <= seat->player.taken_seq;

	if (!kind_known(fact) && fact->refusal == CARILLON__REFUSAL__REFUSAL_NONE) {
		quarantine_put(engine, seat, seq, true, "kind %d is unknown to this build",
			(int)fact->kind);
		return false;
	}
	if (!adopt(engine, seat, fact)) {
		quarantine_put(engine, seat, seq, false,
			"the record of move %" PRIu64 " (%zu bytes) cannot be read", fact->move,
			fact->record.len);
		return false;
	}
	if (fact->kind == CARILLON__MOVE_KIND__MOVE_AWARD && !fact->award &&
		fact->refusal == CARILLON__REFUSAL__REFUSAL_NONE && fact->record.len > 0) {
		quarantine_put(engine, seat, seq, false, "the award (%zu bytes) cannot be read",
			fact->record.len);
		return false;
	}
	if (fact->kind == CARILLON__MOVE_KIND__MOVE_AWARD)
		take_award(engine, seat, fact);
	else if ((fact->kind == CARILLON__MOVE_KIND__MOVE_SPINS ||
			 fact->kind == CARILLON__MOVE_KIND__MOVE_SPINS_END) &&
		 !again && !take_bonus_spins(seat, fact)) {
		quarantine_put(engine, seat, seq, false,
			"the bonus spins (%zu bytes) cannot be read", fact->record.len);
		return false;
	} else if (fact->kind == CARILLON__MOVE_KIND__MOVE_BLOCK &&
		   fact->refusal == CARILLON__REFUSAL__REFUSAL_NONE)
		seat->player.blocked = fact->amount != 0;
	if (!again)
		seat->player.taken_seq = seq;
	play_run(engine, seat);
	return true;
}

void adopt_fact(struct engine *engine, const Carillon__WalletFact *fact)
{
	struct seat *seat = play_seat(engine, fact->player);

	if (!seat_aside(seat)) /* else the row is read at the release */
		(void)adopt_row(engine, seat, fact);
}

/* Money and awards are known by seq and id, so they may come out of order and again. What else a
 * row changes (bonus spins, a block) is taken in order alone. */
static void adopt_booking(
	struct engine *engine, struct seat *seat, const Carillon__WalletFact *fact)
{
	if (fact->refusal != CARILLON__REFUSAL__REFUSAL_NONE)
		return;
	(void)adopt(engine, seat, fact); /* Kafka, in order, tells of a row that cannot be read */
	if (fact->kind == CARILLON__MOVE_KIND__MOVE_AWARD)
		take_award(engine, seat, fact);
	play_run(engine, seat);
}

/* The wallet has died of the proposal in flight and does not look at it any more, or its player's
 * account is quarantined there. Whether it was booked before, its row will tell: until then this
 * engine knows nothing of it, and nobody has seen what was drawn. */
void adopt_quarantined(struct engine *engine, const Carillon__Quarantined *quarantined)
{
	struct seat *seat = seats_find(&engine->seats, quarantined->player);
	uint8_t id[COMMAND_ID_BYTES];
	struct fault fault;

	if (!seat || !seat->flight.open || !seat->flight.bytes ||
		quarantined->kind != CARILLON__COMMAND_KIND__COMMAND_WALLET ||
		quarantined->id.len != COMMAND_ID_BYTES)
		return;
	command_id(TOPIC_WALLET_COMMANDS, seat->flight.bytes, seat->flight.length, id);
	if (memcmp(id, quarantined->id.data, COMMAND_ID_BYTES) != 0)
		return;
	seat_land(seat);
	if (quarantined->account) {
		quarantine_answer(engine, seat, play_decided(engine, seat));
	} else {
		fault_set(&fault, 503, "quarantined",
			"This request has stopped a service several times, so it is no longer "
			"carried out. It may have taken effect: load the state to see.");
		answer_fault(engine, seat, play_decided(engine, seat), &fault);
	}
	play_run(engine, seat);
}

void adopt_verdict(struct engine *engine, const Carillon__WalletFact *fact)
{
	struct seat *seat = seats_find(&engine->seats, fact->player);

	if (seat && seat_aside(seat))
		return;
	if (seat && !is_move(fact) && kind_known(fact))
		adopt_booking(engine, seat, fact);
	/* the rest comes with the facts, in order */
	if (!seat || !seat->flight.open || !is_move(fact) || fact->move != seat->flight.move)
		return;
	if (adopt(engine, seat, fact))
		play_run(engine, seat);
}
