#include "services/spin-engine/core/proof.h"

#include "services/spin-engine/core/player_move.h"

#include <stdio.h>
#include <string.h>

static bool differs_text(struct proof_difference *difference, const char *field, const char *found,
	const char *expected)
{
	(void)snprintf(difference->field, sizeof(difference->field), "%s", field);
	(void)snprintf(difference->found, sizeof(difference->found), "%s", found);
	(void)snprintf(difference->expected, sizeof(difference->expected), "%s", expected);
	return false;
}

static const struct play_round *recorded_round(const struct proof_row *row)
{
	return row->record && row->record->has_game ? &row->record->game.round : NULL;
}

void proof_streams(const struct player_game *play, const struct proof_row *row,
	struct proof_streams *streams_r)
{
	const struct play_round *round = recorded_round(row);
	enum player_move kind = row->fact.kind;

	memset(streams_r, 0, sizeof(*streams_r));
	if (!round || row->fact.refusal != 0)
		return;
	streams_r->game = kind == PLAYER_MOVE_BET;
	streams_r->gamble = kind == PLAYER_MOVE_GAMBLE && player_round_open(play);
	streams_r->cards_new = kind == PLAYER_MOVE_BET && round->cards.draw.below != 0;
	streams_r->cards_open =
		player_round_open(play) && (kind == PLAYER_MOVE_BET ? round->cards_before.below
								    : round->cards.draw.below) != 0;
}

const uint8_t *proof_definition(const struct player_game *play, const struct proof_row *row)
{
	const struct play_round *round = recorded_round(row);

	if (!round || row->fact.refusal != 0)
		return NULL;
	if (row->fact.kind == PLAYER_MOVE_BET)
		return round->math_version;
	return play && play->round.move != 0 ? play->round.math_version : NULL;
}

/* The odds that a recorded draw was made with: its threshold is min(of, in x stake). */
static struct cards_odds odds_of(uint32_t pool, const struct cards_draw *draw, struct money stake)
{
	struct cards_odds odds = { .pool = pool };

	if (pool == 0 || stake.minor <= 0)
		return odds;
	odds.of = draw->below;
	odds.in = draw->threshold == draw->below ? draw->below
						 : draw->threshold / (uint64_t)stake.minor;
	return odds;
}

/* What the entropy of the row was, but for its keys. */
static void entropy_fill(const struct player_game *play, const struct game *game,
	const struct proof_row *row, struct player_entropy *entropy)
{
	const struct play_round *round = &row->record->game.round;
	bool bet = row->fact.kind == PLAYER_MOVE_BET;
	uint32_t pool = game && game->cards.eligible ? game->cards.pool : 0;

	entropy->next = row->record->next;
	entropy->watch = NULL;
	if (!game || !row->record->has_game)
		return;
	/* The definition of a round that a bet closed may be an older one, in another set. */
	if (player_round_open(play))
		entropy->cards_open =
			bet ? odds_of(UINT32_MAX, &round->cards_before, play->round.stake)
			    : odds_of(pool, &round->cards.draw, play->round.stake);
	if (!bet)
		return;
	entropy->cards_new = odds_of(pool, &round->cards.draw, round->stake);
	if (row->scripts) {
		entropy->forced_count = round->forced_count;
		memcpy(entropy->forced, round->forced, sizeof(entropy->forced));
	}
}

/* ---- the command, read back from what it led to ---- */

static enum player_verb verb_of(enum player_move kind)
{
	switch (kind) {
	case PLAYER_MOVE_OPEN:
		return VERB_OPEN;
	case PLAYER_MOVE_BET:
		return VERB_BET;
	case PLAYER_MOVE_GAMBLE:
		return VERB_GAMBLE;
	case PLAYER_MOVE_HALVE:
		return VERB_HALVE;
	case PLAYER_MOVE_VOID:
		return VERB_VOID;
	case PLAYER_MOVE_SETTING:
		return VERB_AUTOPLAY;
	case PLAYER_MOVE_NONE:
	case PLAYER_MOVE_RELEASE:
	case PLAYER_MOVE_COLLECT:
		break;
	}
	return VERB_COLLECT;
}

static void bet_command(const struct player *player, const struct player_game *play,
	const struct proof_row *row, struct player_command *command)
{
	const struct play_round *round = &row->record->game.round;

	command->bet = round->bet;
	command->bet.currency = player->currency;
	command->bonus = round->bonus;
	command->autospin = round->autospin;
	memcpy(command->autoplay_id, play->state.autoplay.id, sizeof(command->autoplay_id));
	memcpy(command->nonce, round->nonce, sizeof(command->nonce));
	command->nonce_length = round->nonce_length;
	if (row->has_grant)
		memcpy(command->bonus_spin, row->grant.id, sizeof(command->bonus_spin));
}

static struct player_command command_of(
	const struct player *player, const struct player_game *play, const struct proof_row *row)
{
	struct player_command command = { .verb = verb_of(row->fact.kind),
		.expect = player_expect(player),
		.round = row->fact.round,
		.currency = row->fact.currency };
	const struct play_round *round = recorded_round(row);

	/* The order either names all jackpots or none. */
	if (command.verb == VERB_VOID && row->record && row->record->awards.minor != 0)
		command.awards = row->awards;
	if (!round)
		return command;
	if (command.verb == VERB_BET)
		bet_command(player, play, row, &command);
	if (command.verb == VERB_GAMBLE && round->gamble_count > 0)
		command.choice = round->gamble[round->gamble_count - 1].guess;
	return command;
}

/* ---- the proposal, made again ---- */

/* Autoplay's settings are the player's own and move no money: the definition whose limits they
 * obeyed is not known, so only what is computed from them is expected. */
static void setting_started(const struct proof_row *row, struct player_proposal *proposal)
{
	const struct autoplay *now = &row->record->game.state.autoplay;
	struct autoplay *expected = &proposal->after.state.autoplay;

	if (now->stopped == AUTOPLAY_STOPPED_PLAYER)
		return; /* it was stopped */
	*expected = *now;
	expected->left = now->spins;
	expected->stopped = AUTOPLAY_RUNS;
	expected->bets = expected->wins = money_of(0);
	expected->last_spin_ms = 0;
}

static bool refused(struct proof_difference *difference, const struct player_error *error)
{
	char found[PROOF_TEXT_MAX];

	(void)snprintf(found, sizeof(found), "a move that is not allowed (refusal %d%s%s)",
		(int)error->refusal, error->field ? ", " : "", error->field ? error->field : "");
	return differs_text(difference, "kind", found, "a move that the state allows");
}

static bool end_proposed(const struct player *player, const struct player_game *play,
	const struct game *game, const struct player_command *command,
	const struct player_entropy *entropy, struct player_proposal *proposal_r)
{
	return player_round_open(play) &&
	       player_propose_end(player, play, play, game, command, entropy, proposal_r);
}

/* A round that is the last of its game is voided in the game's state, any other by its rows. */
static bool past_proposed(const struct player *player, const struct player_game *play,
	const struct proof_row *row, const struct player_entropy *entropy,
	const struct player_command *command, struct player_proposal *proposal_r)
{
	struct past_round past = row->past;

	if (!row->has_past || (play && play->round.move == row->fact.round))
		return false;
	past.awards = command->awards;
	return player_propose_void_past(player, play, &past, entropy, proposal_r);
}

static bool propose(const struct player *player, const struct player_game *play,
	const struct game *game, const struct proof_row *row, const struct player_entropy *entropy,
	struct player_proposal *proposal_r, struct proof_difference *difference)
{
	struct player_command command = command_of(player, play, row);
	struct player_error error = { .refusal = REFUSED_NO_GAME };
	uint64_t now_us = row->record->has_game ? row->record->game.round.opened_us : 0;
	enum player_outcome outcome = PLAYER_PROPOSE;

	if (command.bonus) /* at the bet of its grant; without one the bet is refused */
		player_bonus_spins_bet(player, &command);
	if (row->fact.kind == PLAYER_MOVE_VOID && !row->record->has_game)
		return past_proposed(player, play, row, entropy, &command, proposal_r) ||
		       refused(difference, &error);
	if (row->fact.kind == PLAYER_MOVE_RELEASE)
		return end_proposed(player, play, game, &command, entropy, proposal_r) ||
		       refused(difference, &error);
	if (command.verb != VERB_AUTOPLAY)
		outcome = player_check(player, play, game, &command, now_us, &error);
	if (outcome != PLAYER_PROPOSE)
		return refused(difference, &error);
	error.refusal = player_propose(player, play, game, &command, entropy, now_us, proposal_r);
	error.field = NULL;
	if (error.refusal != REFUSED_NOTHING)
		return refused(difference, &error);
	if (command.verb == VERB_AUTOPLAY)
		setting_started(row, proposal_r);
	return true;
}

/* ---- the comparison ---- */

static bool numbers_equal(const struct player_proposal *proposal, const struct proof_row *row,
	struct proof_difference *difference)
{
	/* A void takes back at most the balance; the row's amount is the rest. */
	int64_t owed = row->fact.kind == PLAYER_MOVE_VOID ? row->amount.minor : 0;
	const struct {
		const char *field;
		int64_t found, expected;
	} numbers[] = {
		{ "kind", row->fact.kind, proposal->kind },
		{ "round", (int64_t)row->fact.round, (int64_t)proposal->round },
		{ "game", row->fact.game, proposal->game },
		{ "mode", row->mode, 0 },
		{ "currency", row->fact.currency, proposal->currency },
		{ "stake", row->stake.minor + owed, proposal->stake.minor },
		{ "win_balance", row->win_balance.minor, proposal->win_balance.minor },
		{ "win_pending", row->win_pending.minor, proposal->win_pending.minor },
		{ "release", row->release.minor, proposal->release.minor },
		{ "forfeit", row->forfeit.minor, proposal->forfeit.minor },
		{ "amount", row->amount.minor, owed },
		{ "bonus", row->fact.bonus, proposal->bonus },
		{ "collected", row->record->collected.minor, proposal->collected.minor },
		{ "awards", row->record->awards.minor, proposal->awards.minor },
		{ "void.awards", row->void_awards.minor, proposal->awards.minor },
		{ "claims", row->claim_count, proposal->claim_count },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].found != numbers[i].expected)
			return proof_differs(difference, numbers[i].field, numbers[i].found,
				numbers[i].expected);
	return true;
}

static bool claims_equal(const struct player_proposal *proposal, const struct proof_row *row,
	struct proof_difference *difference)
{
	for (uint32_t i = 0; i < proposal->claim_count; i++) {
		const struct player_claim *a = &row->claim[i], *b = &proposal->claim[i];

		if (a->index != b->index)
			return proof_differs(difference, "claim.index", a->index, b->index);
		if (a->pool != b->pool)
			return proof_differs(difference, "claim.pool", a->pool, b->pool);
		if (a->cards != b->cards)
			return proof_differs(difference, "claim.cards", a->cards, b->cards);
		if (a->coin_minor != b->coin_minor)
			return proof_differs(
				difference, "claim.coin_minor", a->coin_minor, b->coin_minor);
		if (a->stake.minor != b->stake.minor)
			return proof_differs(
				difference, "claim.stake", a->stake.minor, b->stake.minor);
	}
	return true;
}

static bool state_equal(const struct player_proposal *proposal, const struct proof_row *row,
	struct proof_difference *difference)
{
	struct player_game expected = proposal->after;
	int64_t pending;

	if (row->record->has_game != proposal->has_game)
		return proof_differs(
			difference, "record.state", row->record->has_game, proposal->has_game);
	if (!proposal->has_game) /* a void of a past round leaves the pending of its game */
		return row->pending_after.minor == proposal->pending_before.minor ||
		       proof_differs(difference, "pending_after", row->pending_after.minor,
			       proposal->pending_before.minor);
	expected.move = proposal->move;
	if (!proof_state_equal(&row->record->game, &expected, difference))
		return false;
	pending = player_pending(&expected).minor;
	return row->pending_after.minor == pending ||
	       proof_differs(difference, "pending_after", row->pending_after.minor, pending);
}

static bool check_accepted(const struct player *player, const struct player_game *play,
	const struct game *game, const struct proof_row *row, struct player_entropy *entropy,
	struct proof_difference *difference)
{
	struct player_proposal proposal;
	struct player_game watched;
	bool has_game = play && row->record->has_game;

	if (play) {
		watched = *play;
		if (has_game)
			proof_state_watch(&watched, &row->record->game, row->fact.kind);
	}
	entropy_fill(play, game, row, entropy);
	return propose(player, play ? &watched : NULL, game, row, entropy, &proposal, difference) &&
	       numbers_equal(&proposal, row, difference) &&
	       claims_equal(&proposal, row, difference) && state_equal(&proposal, row, difference);
}

bool proof_check(const struct player *player, const struct player_game *play,
	const struct game *game, const struct proof_row *row, struct player_entropy *entropy,
	struct proof_difference *difference_r)
{
	if (row->fact.move != player_expect(player))
		return proof_differs(difference_r, "move", (int64_t)row->fact.move,
			(int64_t)player_expect(player));
	if (row->fact.refusal != 0)
		return row->claim_count == 0 ||
		       proof_differs(difference_r, "claims", row->claim_count, 0);
	if (!row->record)
		return differs_text(difference_r, "record", "no record, or one that cannot be read",
			"a record");
	return check_accepted(player, play, game, row, entropy, difference_r);
}
