/* Scatter award: the scatters of a spin pay, and a draw may award free spins. */
#include "libcommon/game/core/rule.h"

/* RULE bewitched 3.2 to 3.4; never multiplied by the free spins, RULE bewitched 3.13. RULE
 * bewitched 2.7: the player's choice of witch changes nothing. */
static void play(struct round *round, struct phase *phase)
{
	const struct game *game = round->game;
	uint32_t count = round->scatters;
	uint32_t pay = game->symbol[game->scatter[0]].pay[count];
	uint32_t value, i = 0;

	phase_open(round, PHASE_SCATTER_AWARD, phase);
	value = draw_below(round, phase, DRAW_SCATTER_AWARD, 0, game->scatter_award_weight[count]);
	while (value >= game->scatter_award[count][i].weight)
		value -= game->scatter_award[count][i++].weight;
	phase->feature_cells = round->scatter_cells;
	phase->feature_count = count;
	phase->scatter_award_won = game->scatter_award[count][i].free_spins > 0;
	if (pay > 0)
		add_win(phase, (struct win_item){ .what = WIN_SCATTER,
				       .symbol = game->scatter[0],
				       .count = (uint8_t)count,
				       .cells = round->scatter_cells,
				       .multiplier = pay,
				       .amount = times(round->total, pay) });
	/* RULE bewitched 3.11: only scatter awards and bonus rounds award free spins */
	award_free_spins(round, phase, game->scatter_award[count][i].free_spins);
	round->scatters = 0;
}

static bool offered(const struct game *game)
{
	return game->scatter_count_min > 0;
}

/* RULE bewitched 3.2 */
static void after_spin(struct round *round, struct phase *phase, const struct reel_column *columns,
	enum spin_context context)
{
	const struct game *game = round->game;

	(void)phase;
	(void)columns;
	(void)context;
	round->scatters = enough_cells(
		round, game->scatter[0], game->scatter_count_min, &round->scatter_cells);
}

static bool waits(const struct round *round)
{
	return round->scatters > 0;
}

const struct feature_rule scatter_award_rule = {
	.offered = offered, .after_spin = after_spin, .waits = waits, .play = play
};
