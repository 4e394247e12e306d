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
};

static bool made_with(
	const Carillon__ProofOdds *odds, const struct draw_for *of, const struct cards_draw *draw)
{
	const struct cards_odds known = { odds->pool, odds->in, odds->of };

	return (of->pool == 0 || odds->pool == of->pool) && odds->currency == of->currency &&
	       (odds->operator_id == 0 || odds->operator_id == of->operator_id) &&
	       (odds->game == 0 || odds->game == of->game) && odds->of == draw->below &&
	       cards_threshold(&known, of->stake) == draw->threshold;
}

static bool known_draw(const struct proof_odds *known, const struct draw_for *of,
	const struct cards_draw *draw, const char *field, struct proof_difference *difference)
{
	for (size_t i = 0; i < known->count; i++)
		if (made_with(&known->odds[i], of, draw))
			return true;
	(void)snprintf(difference->field, sizeof(difference->field), "%s", field);
	(void)snprintf(difference->found, sizeof(difference->found), "%" PRIu64 " in %" PRIu64,
		draw->threshold, draw->below);
	(void)snprintf(difference->expected, sizeof(difference->expected),
		"odds of the set or of an operator, for a stake of %" PRId64, of->stake.minor);
	return false;
}

bool proof_odds_check(const struct proof_odds *known, player_id player,
	const struct player_game *play, const struct game *game, const struct proof_row *row,
	struct proof_difference *difference_r)
{
	const struct play_round *now = row->record ? &row->record->game.round : NULL;
	struct draw_for of = { .operator_id = player_operator(player), .game = row->fact.game };
	bool bet = row->fact.kind == PLAYER_MOVE_BET;
	struct proof_streams streams;

	proof_streams(play, row, &streams);
	if (!now)
		return true;
	of.currency = row->fact.currency;
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
