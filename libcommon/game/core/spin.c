/* The paid spin in every mode: plain, with bought wild reels, with a guarantee. */
#include "libcommon/game/core/rule.h"
#include "libcommon/game/core/spin_rank.h"

#include <stddef.h>

/* RULE mystic-gem 3.4: which reels are covered is drawn by the positions' weights. */
static uint32_t draw_wild_reels(
	struct round *round, struct phase *phase, const struct game_mode *mode)
{
	uint32_t value, i = 0;

	if (mode->position_count == 0)
		return 0;
	value = draw_below(round, phase, DRAW_WILD_REELS, 0, mode->position_weight);
	while (value >= mode->position[i].weight)
		value -= mode->position[i++].weight;
	return mode->position[i].reels;
}

/* RULE mystic-gem 3.5, 3.9; RULE mystery-elves 4.3: the combinations that keep the guarantee are
 * numbered and one is drawn. The spin has the distribution of a spin without the guarantee, given
 * that the guarantee is kept, and no draw is discarded. Returns the wild reels. */
static uint32_t draw_guaranteed(
	struct round *round, struct phase *phase, const struct game_mode *mode)
{
	const struct spin_rank *rank = mode->rank;
	uint32_t position = 0;

	if (mode->position_count > 0)
		position = spin_rank_position_of(
			rank, draw_below64(round, phase, DRAW_WILD_REELS, 0, rank->weight));
	spin_rank_stops(rank, position,
		draw_below64(round, phase, DRAW_GUARANTEED, 0, rank->position[position].count),
		round->stop);
	return rank->position[position].reels;
}

/* A covered reel's stop is drawn too but not shown, so the number of draws is the same. */
static uint32_t draw_spin(struct round *round, struct phase *phase, const struct game_mode *mode)
{
	uint32_t wild_reels;

	if (mode->guarantee != GUARANTEE_NONE)
		return draw_guaranteed(round, phase, mode);
	wild_reels = draw_wild_reels(round, phase, mode);
	for (uint32_t r = 0; r < round->game->reels; r++)
		round->stop[r] = draw_stop(round, phase, mode->strips, r);
	return wild_reels;
}

void end_spin(struct round *round, struct phase *phase, const struct reel_column *columns,
	enum spin_context context)
{
	for (uint32_t i = 0; i < FEATURES; i++)
		if (feature_rules[i]->after_spin && feature_rules[i]->offered(round->game))
			feature_rules[i]->after_spin(round, phase, columns, context);
}

/* RULE mystic-gem 2.11, 3.4, 3.15; RULE mystery-elves 4.2, 4.4: a bought spin is played at once on
 * the mode's strips, and everything it shows pays. RULE mona-lisa 3.12: wilds do not multiply in
 * it. */
void play_spin(struct round *round, struct phase *phase)
{
	const struct game *game = round->game;
	const struct game_mode *mode = &game->mode[round->bet.mode];
	struct line_terms terms = { .multiplier = 1,
		.progressive = progressive_live(round, CONTEXT_BASE) };
	struct reel_column columns[GAME_REELS_MAX];

	phase_open(round, PHASE_SPIN, phase);
	round->spin_played = true;
	show_reels(round, mode->strips, draw_spin(round, phase, mode), columns);
	pay_lines(round, phase, &terms);
	pay_scatters(round, phase, CONTEXT_BASE);
	claim_anywhere(round, phase, CONTEXT_BASE);
	end_spin(round, phase, columns, CONTEXT_BASE);
}
