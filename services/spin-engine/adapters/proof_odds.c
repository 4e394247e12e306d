#include "services/spin-engine/adapters/proof_odds.h"

#include "libcommon/io/log.h"
#include "libcommon/jackpot/cards_draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void proof_odds_add(struct proof_odds *known, const Carillon__ProofOdds *odds)
{
	if (known->count == known->room) {
		known->room = 2 * known->room + 64;
		known->odds = realloc(known->odds, known->room * sizeof(*known->odds));
		if (!known->odds)
			fatal("no memory for odds");
	}
	known->odds[known->count++] = *odds;
}

void proof_odds_free(struct proof_odds *known)
{
	free(known->odds);
	*known = (struct proof_odds){ .count = 0 };
}

/* What a draw was made for. */
struct draw_for {
	uint32_t pool; /* 0: any, because the definition may be an older one, in another set */
	uint32_t operator_id, game, currency;
	struct money stake;
	uint64_t time_us;
};

/* A change of odds reaches the engine within seconds; clocks may differ. */
#define CHANGE_US (UINT64_C(60) * 1000000)

static bool meant_for(const Carillon__ProofOdds *odds, const struct draw_for *of)
{
	return (of->pool == 0 || odds->pool == of->pool) && odds->currency == of->currency &&
	       (odds->operator_id == 0 || odds->operator_id == of->operator_id) &&
	       (odds->game == 0 || odds->game == of->game);
}

static int closeness(const Carillon__ProofOdds *odds)
{
	return odds->of_set ? -1 : (odds->operator_id != 0 ? 2 : 0) + (odds->game != 0 ? 1 : 0);
}

static bool maybe_in_force(const Carillon__ProofOdds *odds, uint64_t time_us)
{
	return odds->from_us <= time_us + CHANGE_US &&
	       (odds->until_us == 0 || time_us < odds->until_us + CHANGE_US);
}

static bool surely_in_force(const Carillon__ProofOdds *odds, uint64_t time_us)
{
	return odds->from_us + CHANGE_US < time_us &&
	       (odds->until_us == 0 || time_us + CHANGE_US < odds->until_us);
}

/* Closer odds of the same set that were in force at that time hold instead. */
static bool overridden(
	const struct proof_odds *known, const Carillon__ProofOdds *odds, const struct draw_for *of)
{
	for (size_t i = 0; i < known->count; i++) {
		const Carillon__ProofOdds *other = &known->odds[i];

		if (other->pool == odds->pool && meant_for(other, of) &&
			closeness(other) > closeness(odds) && surely_in_force(other, of->time_us))
			return true;
	}
	return false;
}

static bool made_with(
	const Carillon__ProofOdds *odds, const struct draw_for *of, const struct cards_draw *draw)
{
	const struct cards_odds known = { odds->pool, odds->in, odds->of };

	return meant_for(odds, of) && maybe_in_force(odds, of->time_us) &&
	       odds->of == draw->below && cards_threshold(&known, of->stake) == draw->threshold;
}

static bool known_draw(const struct proof_odds *known, const struct draw_for *of,
	const struct cards_draw *draw, const char *field, struct proof_difference *difference)
{
	for (size_t i = 0; i < known->count; i++)
		if (made_with(&known->odds[i], of, draw) && !overridden(known, &known->odds[i], of))
			return true;
	(void)snprintf(difference->field, sizeof(difference->field), "%s", field);
	(void)snprintf(difference->found, sizeof(difference->found), "%" PRIu64 " in %" PRIu64,
		draw->threshold, draw->below);
	(void)snprintf(difference->expected, sizeof(difference->expected),
		"the odds in force at that time, for a stake of %" PRId64, of->stake.minor);
	return false;
}

bool proof_odds_check(const struct proof_odds *known, player_id player,
	const struct player_game *play, const struct game *game, const struct proof_row *row,
	uint64_t time_us, struct proof_difference *difference_r)
{
	const struct play_round *now = row->record ? &row->record->game.round : NULL;
	struct draw_for of = { .operator_id = player_operator(player), .game = row->fact.game };
	bool bet = row->fact.kind == PLAYER_MOVE_BET;
	struct proof_streams streams;

	proof_streams(play, row, &streams);
	if (!now)
		return true;
	of.currency = row->fact.currency;
	of.time_us = time_us;
	if (streams.cards_open) {
		of.stake = play->round.stake;
		if (!known_draw(known, &of, bet ? &now->cards_before : &now->cards.draw,
			    bet ? "round.before_cards" : "round.cards", difference_r))
			return false;
	}
	of.stake = now->stake;
	of.pool = game ? game->cards.pool : 0;
	return !streams.cards_new ||
	       known_draw(known, &of, &now->cards.draw, "round.cards", difference_r);
}
