/* The pick bonus: the player picks, one outcome is drawn. */
#include "libcommon/game/core/rule.h"

#include <assert.h>

/* RULE bewitched 3.7, 3.9: one draw over all outcomes, with weights by y = lines x coins. */
static const struct pick_outcome *draw_pick(struct round *round, struct phase *phase)
{
	const struct game *game = round->game;
	int64_t y = (int64_t)round->bet.lines * round->bet.coins;
	uint32_t value = draw_below(round, phase, DRAW_PICK, 0, game->pick_weight), i = 0;
	int64_t below = game->pick_outcome[0].weight + game->pick_outcome[0].weight_per_coin * y;

	while (value >= below) {
		i++;
		assert(i < game->pick_outcome_count); /* the loader proved the sum */
		below += game->pick_outcome[i].weight + game->pick_outcome[i].weight_per_coin * y;
	}
	return &game->pick_outcome[i];
}

/* RULE bewitched 3.5 to 3.10: the outcome is drawn; the player's picks do not change it. RULE
 * bewitched 3.13: never multiplied. */
static void play(struct round *round, struct phase *phase)
{
	const struct game *game = round->game;
	const struct pick_outcome *pick_outcome;

	phase_open(round, PHASE_BONUS, phase);
	phase->needs_player = NEEDS_PICKS;
	phase->picks_needed = game->picks_made;
	phase->picks_offered = game->picks_offered;
	phase->feature_cells = round->bonus_cells;
	phase->feature_count = round->bonuses;
	pick_outcome = draw_pick(round, phase);
	phase->outcome = pick_outcome->kind;
	phase->outcome_value = pick_outcome->value;
	switch (pick_outcome->kind) {
	case PICK_MONEY: /* RULE bewitched 3.8 */
		add_win(phase, (struct win_item){ .what = WIN_BONUS,
				       .symbol = game->bonus,
				       .count = (uint8_t)round->bonuses,
				       .cells = round->bonus_cells,
				       .multiplier = pick_outcome->value,
				       .amount = times(round->total, pick_outcome->value) });
		break;
	case PICK_FREE_SPINS: /* RULE bewitched 3.10 */
		award_free_spins(round, phase, pick_outcome->value);
		break;
	case PICK_JACKPOT: /* RULE bewitched 3.9 */
		claim_jackpot(round, phase);
		break;
	}
	round->bonuses = 0;
}

static bool offered(const struct game *game)
{
	return game->pick_outcome_count > 0;
}

/* RULE bewitched 3.5 */
static void after_spin(struct round *round, struct phase *phase, const struct reel_column *columns,
	enum spin_context context)
{
	const struct game *game = round->game;

	(void)phase;
	(void)columns;
	(void)context;
	round->bonuses =
		enough_cells(round, game->bonus, game->bonus_count_min, &round->bonus_cells);
}

static bool waits(const struct round *round)
{
	return round->bonuses > 0;
}

const struct feature_rule pick_bonus_rule = {
	.offered = offered, .after_spin = after_spin, .waits = waits, .play = play
};
