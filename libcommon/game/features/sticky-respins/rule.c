/* Sticky respins: one reel is locked, some symbols on the other reels stay in their cells, the rest
 * spins. They are played before free spins, or before the next free spin. */
#include "libcommon/game/core/rule.h"

/* The held cells outside the locked reel, which is held as a whole. */
static uint32_t sticky_symbols(const struct round *round)
{
	const struct sticky_rules *rules = &round->game->sticky;
	uint32_t cells = 0;

	for (uint32_t s = 0; s < round->game->symbol_count; s++)
		if (rules->sticky & UINT32_C(1) << s)
			cells |= cells_of(round, (uint8_t)s);
	return cells;
}

/* RULE mona-lisa 3.2, 3.3, 3.5 */
static void watch(struct round *round)
{
	const struct sticky_rules *rules = &round->game->sticky;
	uint32_t locked = cells_of_reel(round->game, rules->reel);
	/* only the symbol itself counts, not a wild that covers it */
	uint32_t natural = cells_of(round, rules->symbol) & locked & ~round->covered;

	if ((uint32_t)__builtin_popcount(natural) < rules->at_least)
		return;
	round->sticky_left = rules->spins;
	round->sticky_cells = locked | sticky_symbols(round);
}

/* RULE mona-lisa 3.4, 3.6: cells that are not held show the respin's strips. */
static void respin(struct round *round, struct phase *phase)
{
	const struct game *game = round->game;
	const struct sticky_rules *rules = &game->sticky;
	struct reel_column column;

	round->strips = rules->strips;
	round->held = round->sticky_cells;
	round->hold_cells = 0;
	round->covered &= round->held;
	for (uint32_t r = 0; r < game->reels; r++) {
		if (r == rules->reel)
			continue; /* the locked reel keeps its stop */
		round->stop[r] = draw_stop(round, phase, rules->strips, r);
		reel_column(game, rules->strips, r, round->stop[r], 0, &column);
		for (uint32_t row = 0; row < game->rows; row++) {
			uint32_t cell = r * game->rows + row;

			if (round->held & UINT32_C(1) << cell)
				continue;
			round->window[cell] = column.symbol[row];
			round->covered |= (uint32_t)(column.covered >> row & 1) << cell;
		}
	}
}

/* RULE mona-lisa 3.7, 3.8, 4.5: nothing multiplies, respins do not trigger again, and the
 * progressive cannot be won. RULE mona-lisa 3.19, 3.20: at the round's bet, without a stake. */
static void play(struct round *round, struct phase *phase)
{
	struct line_terms terms = { .multiplier = 1,
		.progressive = progressive_live(round, CONTEXT_RESPIN) };

	phase_open(round, PHASE_STICKY_SPIN, phase);
	/* RULE mona-lisa 3.9, 5.2: within free spins they start at once, because the player has
	 * already started the free spins */
	if (!round->sticky_started && !round->free_started && round->game->sticky.player_starts)
		phase->needs_player = NEEDS_START;
	round->sticky_started = true;
	round->sticky_left--;
	respin(round, phase);
	round->sticky_cells |= sticky_symbols(round);
	pay_lines(round, phase, &terms);
	pay_scatters(round, phase, CONTEXT_RESPIN);
}

static bool offered(const struct game *game)
{
	return game->sticky.offered;
}

static void after_spin(struct round *round, struct phase *phase, const struct reel_column *columns,
	enum spin_context context)
{
	(void)phase;
	(void)columns;
	(void)context;
	watch(round);
}

static bool waits(const struct round *round)
{
	return round->sticky_left > 0;
}

const struct feature_rule sticky_respins_rule = {
	.offered = offered, .after_spin = after_spin, .waits = waits, .play = play
};
