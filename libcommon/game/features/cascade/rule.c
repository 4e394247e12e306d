/* Cascades: the symbols that won on lines leave, the symbols above them fall, and the strip's next
 * symbols come in. Then the lines are paid again, with a growing multiplier, until no line wins.
 * Nothing is drawn: the spin's stops decide everything. Scatters and bonus symbols count only in
 * the spin's own window. */
#include "libcommon/game/core/rule.h"

static bool offered(const struct game *game)
{
	return game->own.cascade.tumbles_max > 0;
}

static uint32_t winning_cells(const struct phase *phase)
{
	uint32_t cells = 0;

	for (uint32_t i = 0; i < phase->win_count; i++)
		if (phase->win[i].what == WIN_LINE)
			cells |= phase->win[i].cells;
	return cells;
}

static void after_spin(struct round *round, struct phase *phase, const struct reel_column *columns,
	enum spin_context context)
{
	(void)columns;
	round->own.cascade =
		(struct cascade_state){ .winning = winning_cells(phase), .context = context };
}

static bool waits(const struct round *round)
{
	return round->own.cascade.winning != 0;
}

/* The next symbol of the strip above a reel's window and above the symbols that have come in
 * already. */
static uint8_t next_above(struct round *round, uint32_t reel)
{
	const struct game_strip *strip = &round->game->strips[round->strips].reel[reel];
	uint32_t above = ++round->own.cascade.fallen[reel] % strip->length;

	return strip->symbol[(round->stop[reel] + strip->length - above) % strip->length];
}

/* Lets the remaining symbols fall, from the bottom up. Returns the cells that changed. */
static uint32_t fall(struct round *round, uint32_t reel)
{
	uint32_t rows = round->game->rows, first = reel * rows, to = rows, moved = 0;

	for (uint32_t row = rows; row-- > 0;) {
		uint32_t cell = first + row;

		if (round->own.cascade.winning >> cell & 1)
			continue;
		to--;
		round->window[first + to] = round->window[cell];
		moved |= (uint32_t)(to != row) << (first + to);
	}
	while (to-- > 0) {
		round->window[first + to] = next_above(round, reel);
		moved |= UINT32_C(1) << (first + to);
	}
	return moved;
}

static uint32_t multiplier_of(const struct round *round)
{
	const struct cascade_rules *rules = &round->game->own.cascade;
	const struct cascade_state *state = &round->own.cascade;
	uint32_t last = rules->multiplier_count[state->context] - 1;
	uint32_t at = state->tumbles - 1;

	return rules->multiplier[state->context][at < last ? at : last];
}

static void play(struct round *round, struct phase *phase)
{
	const struct game *game = round->game;
	struct cascade_state *state = &round->own.cascade;
	struct line_terms terms = { .multiplier = 1 };
	uint32_t moved = 0;

	phase_open(round, PHASE_TUMBLE, phase);
	for (uint32_t reel = 0; reel < game->reels; reel++)
		moved |= fall(round, reel);
	phase->landed = moved;
	round->held = ((UINT32_C(1) << (game->reels * game->rows)) - 1) & ~moved;
	state->tumbles++;
	if (state->context == CONTEXT_FREE) {
		terms.multiplier = game->free_spins.line_multiplier;
		terms.wild_multiplier_count = game->free_spins.wild_multiplier_count;
		terms.wild_multiplier = game->free_spins.wild_multiplier;
	}
	terms.multiplier *= multiplier_of(round);
	phase->multiplier = terms.multiplier;
	pay_lines(round, phase, &terms);
	state->winning = state->tumbles < game->own.cascade.tumbles_max ? winning_cells(phase) : 0;
}

const struct feature_rule cascade_rule = {
	.offered = offered, .after_spin = after_spin, .waits = waits, .play = play
};
