/* What all features share: phases, draws, reels. */
#include "libcommon/game/core/round_parts.h"

#include <assert.h>
#include <string.h>

/* ---- phases ---- */

void phase_open(struct round *round, enum phase_kind kind, struct phase *phase)
{
	const struct game *game = round->game;

	/* all fields except draws and wins, which are valid only up to their counts */
	phase->index = round->phases++;
	phase->kind = kind;
	phase->needs_player = NEEDS_NOTHING;
	phase->picks_needed = 0;
	phase->picks_offered = 0;
	phase->reels = (uint8_t)game->reels;
	phase->rows = (uint8_t)game->rows;
	phase->landed = 0;
	phase->win_count = 0;
	phase->win_total = money_of(0);
	phase->feature_cells = 0;
	phase->feature_count = 0;
	phase->scatter_award_won = false;
	phase->outcome = PICK_MONEY;
	phase->outcome_value = 0;
	phase->free_spins_awarded = 0;
	phase->multiplier = 1;
	phase->features = 0;
	phase->explodes = false;
	memset(phase->collected_colour, 0, sizeof(phase->collected_colour));
	phase->jackpot_hit = false;
	phase->claim_index = 0;
	phase->draw_count = 0;
}

void phase_close(const struct round *round, struct phase *phase)
{
	phase->strips = round->strips;
	memcpy(phase->stop, round->stop, sizeof(phase->stop));
	memcpy(phase->window, round->window, sizeof(phase->window));
	phase->covered = round->covered;
	phase->held = round->held;
	phase->loaded = round->hold_cells;
	if (round->hold_cells != 0)
		memcpy(phase->load, round->load, sizeof(phase->load));
	phase->free_spins_left = round->free_left;
	phase->free_spins_appended = round->free_appended;
	phase->respins_left = round->hold_running ? round->hold_left : round->sticky_left;
	phase->state = round->state;
}

/* ---- draws ---- */

static void add_draw(struct phase *phase, enum draw_meaning meaning, uint32_t where, uint64_t below,
	uint64_t value)
{
	assert(phase->draw_count < PHASE_DRAWS_MAX);
	phase->draw[phase->draw_count++] = (struct draw){
		.meaning = (uint8_t)meaning, .where = (uint8_t)where, .below = below, .value = value
	};
}

uint32_t draw_below(struct round *round, struct phase *phase, enum draw_meaning meaning,
	uint32_t where, uint32_t below)
{
	uint32_t value = rng_below(round->rng, below);

	add_draw(phase, meaning, where, below, value);
	return value;
}

uint64_t draw_below64(struct round *round, struct phase *phase, enum draw_meaning meaning,
	uint32_t where, uint64_t below)
{
	uint64_t value = rng_below64(round->rng, below);

	add_draw(phase, meaning, where, below, value);
	return value;
}

uint32_t choice_of(const struct choices *choices, uint32_t value)
{
	uint32_t i = 0;

	while (value >= choices->of[i].weight) {
		value -= choices->of[i++].weight;
		assert(i < choices->count);
	}
	return choices->of[i].x;
}

uint32_t draw_choice(struct round *round, struct phase *phase, enum draw_meaning meaning,
	uint32_t where, const struct choices *choices)
{
	return choice_of(choices, draw_below(round, phase, meaning, where, choices->weight));
}

bool draw_odds(struct round *round, struct phase *phase, enum draw_meaning meaning, uint32_t where,
	struct odds odds)
{
	return draw_below(round, phase, meaning, where, odds.of) < odds.in;
}

/* ---- reels ---- */

uint32_t cells_of(const struct round *round, uint8_t symbol)
{
	uint32_t cells = 0, count = round->game->reels * round->game->rows;

	for (uint32_t cell = 0; cell < count; cell++)
		cells |= (uint32_t)(round->window[cell] == symbol) << cell;
	return cells;
}

uint32_t cells_counting(const struct round *round, uint8_t symbol)
{
	uint32_t cells = 0, count = round->game->reels * round->game->rows;
	uint32_t symbols = game_counts_as(round->game, symbol);

	for (uint32_t cell = 0; cell < count; cell++)
		cells |= (symbols >> round->window[cell] & 1) << cell;
	return cells;
}

uint32_t enough_cells(const struct round *round, uint8_t symbol, uint32_t least, uint32_t *cells_r)
{
	uint32_t count;

	*cells_r = cells_counting(round, symbol);
	count = (uint32_t)__builtin_popcount(*cells_r);
	return count >= least ? count : 0;
}

uint32_t cells_of_reel(const struct game *game, uint32_t reel)
{
	return ((UINT32_C(1) << game->rows) - 1) << (reel * game->rows);
}

void show_reels(
	struct round *round, uint32_t set, uint32_t wild_reels, struct reel_column *columns_r)
{
	const struct game *game = round->game;
	struct reel_column column;

	round->strips = (uint8_t)set;
	round->covered = round->held = round->hold_cells = 0;
	for (uint32_t r = 0; r < game->reels; r++) {
		reel_column(game, set, r, round->stop[r], wild_reels, &column);
		memcpy(round->window + (size_t)r * game->rows, column.symbol, game->rows);
		round->covered |= (uint32_t)column.covered << (r * game->rows);
		if (columns_r)
			columns_r[r] = column;
	}
}

uint16_t draw_stop(struct round *round, struct phase *phase, uint32_t set, uint32_t reel)
{
	const struct game_strip *strip = &round->game->strips[set].reel[reel];

	return strip->stop_of[draw_below(round, phase, DRAW_STOP, reel, strip->weight)];
}

void spin_reels(
	struct round *round, struct phase *phase, uint32_t set, struct reel_column *columns_r)
{
	for (uint32_t r = 0; r < round->game->reels; r++)
		round->stop[r] = draw_stop(round, phase, set, r);
	show_reels(round, set, 0, columns_r);
}
