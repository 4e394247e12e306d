/* Hold and win: bonus symbols stay where they land, each free cell spins as its own reel, and at
 * the end all values are paid at once. */
#include "libcommon/game/core/rule.h"

#include <assert.h>

static uint32_t cell_count(const struct game *game)
{
	return game->reels * game->rows;
}

static uint32_t all_cells(const struct game *game)
{
	assert(cell_count(game) <= GAME_CELLS_MAX);
	return (UINT32_C(1) << cell_count(game)) - 1;
}

static bool has_cell(uint32_t cells, uint32_t cell)
{
	return (cells >> cell & 1) != 0;
}

/* ---- what a symbol carries ---------------------------------------------------------------------
 */

/* RULE mystery-elves 3.2: one draw over everything a symbol may carry. The award, multiplier and
 * own value of special symbols are drawn at the end of the feature. */
static struct cell_load draw_load(struct round *round, struct phase *phase, uint32_t cell)
{
	const struct hold_rules *hold = &round->game->hold;
	uint32_t weight = hold->value.weight + hold->mystery_weight + hold->multiplier_weight;
	uint32_t value = draw_below(round, phase, DRAW_CELL_CARRIES, cell, weight);

	if (value < hold->value.weight)
		return (struct cell_load){ .kind = HOLD_VALUE,
			.x = choice_of(&hold->value, value) };
	if (value < hold->value.weight + hold->mystery_weight)
		return (struct cell_load){ .kind = HOLD_MYSTERY };
	return (struct cell_load){ .kind = HOLD_MULTIPLIER };
}

/* RULE mystery-elves 3.3: every symbol of the paid spin carries something, even if too few start
 * the feature: the player sees it, and it pays only in the feature. RULE mystery-elves 3.1: enough
 * symbols start it. */
static void land_base(struct round *round, struct phase *phase)
{
	const struct hold_rules *hold = &round->game->hold;
	uint32_t cells = cells_of(round, hold->symbol);

	for (uint32_t rest = cells; rest; rest &= rest - 1) {
		uint32_t cell = (uint32_t)__builtin_ctz(rest);

		round->load[cell] = draw_load(round, phase, cell);
	}
	round->hold_cells = cells;
	round->hold_running = (uint32_t)__builtin_popcount(cells) >= hold->at_least;
	round->hold_left = round->hold_running ? hold->respins : 0;
}

/* ---- respins -----------------------------------------------------------------------------------
 */

/* RULE mystery-elves 3.6 */
static bool is_over(const struct round *round)
{
	return round->hold_left == 0 || round->hold_cells == all_cells(round->game);
}

/* RULE mystery-elves 6.9: it starts without the player. RULE mystery-elves 3.4, 3.5: symbols stay,
 * and a landing symbol resets the respins. RULE mystery-elves 3.7: each free cell is a reel of its
 * own. The window of empty cells keeps the symbols of the paid spin; screens show these cells
 * blank. */
static void respin(struct round *round, struct phase *phase)
{
	const struct hold_rules *hold = &round->game->hold;

	assert(round->hold_running && !is_over(round));
	phase_open(round, PHASE_HOLD_RESPIN, phase);
	round->held = round->hold_cells;
	phase->landed = 0;
	for (uint32_t cell = 0; cell < cell_count(round->game); cell++) {
		if (has_cell(round->held, cell) ||
			!draw_odds(round, phase, DRAW_CELL_LANDS, cell, hold->cell))
			continue;
		round->load[cell] = draw_load(round, phase, cell);
		round->window[cell] = hold->symbol;
		round->covered |= UINT32_C(1) << cell;
		phase->landed |= UINT32_C(1) << cell;
	}
	round->hold_cells |= phase->landed;
	round->hold_left = phase->landed ? hold->respins : round->hold_left - 1;
}

/* ---- the end -----------------------------------------------------------------------------------
 */

/* The multipliers of the symbols, and whether the excluded awards can be drawn. */
struct hold_factors {
	uint64_t product; /* of all multipliers; 1 without any */
	bool exclude;
};

/* RULE mystery-elves 3.10 */
static struct hold_factors draw_multipliers(struct round *round, struct phase *phase)
{
	const struct hold_rules *hold = &round->game->hold;
	struct hold_factors factors = { 1, false };

	for (uint32_t cell = 0; cell < cell_count(round->game); cell++) {
		struct cell_load *load = &round->load[cell];

		if (!has_cell(round->hold_cells, cell) || load->kind != HOLD_MULTIPLIER)
			continue;
		load->x = draw_choice(round, phase, DRAW_CELL_MULTIPLIER, cell, &hold->multiplier);
		factors.exclude |= load->x >= hold->exclude_from;
		assert(factors.product <= UINT64_MAX / load->x); /* bounds of the loader */
		factors.product *= load->x;
	}
	return factors;
}

/* RULE mystery-elves 3.11: excluded awards are left out of the table before the draw, so no draw is
 * ever repeated. */
static uint32_t award_weight(const struct hold_award *award, bool exclude)
{
	return exclude && award->excluded ? 0 : award->weight;
}

/* RULE mystery-elves 3.9: its index + 1. */
static uint8_t draw_award(struct round *round, struct phase *phase, uint32_t cell, bool exclude)
{
	const struct hold_rules *hold = &round->game->hold;
	uint32_t weight = 0, value, i = 0;

	for (uint32_t a = 0; a < hold->award_count; a++)
		weight += award_weight(&hold->award[a], exclude);
	value = draw_below(round, phase, DRAW_CELL_AWARD, cell, weight);
	while (value >= award_weight(&hold->award[i], exclude)) {
		value -= award_weight(&hold->award[i++], exclude);
		assert(i < hold->award_count);
	}
	return (uint8_t)(i + 1);
}

static void draw_awards(
	struct round *round, struct phase *phase, const struct hold_factors *factors)
{
	for (uint32_t cell = 0; cell < cell_count(round->game); cell++)
		if (has_cell(round->hold_cells, cell) && round->load[cell].kind == HOLD_MYSTERY)
			round->load[cell].award = draw_award(round, phase, cell, factors->exclude);
}

/* RULE mystery-elves 3.12 */
static void draw_own_values(struct round *round, struct phase *phase)
{
	const struct choices *values = &round->game->hold.value;

	for (uint32_t cell = 0; cell < cell_count(round->game); cell++)
		if (has_cell(round->hold_cells, cell) && round->load[cell].kind != HOLD_VALUE)
			round->load[cell].own =
				draw_choice(round, phase, DRAW_CELL_OWN_VALUE, cell, values);
}

/* The value that multipliers multiply, times the total bet; the symbol's own value is added after
 * them. */
static uint32_t multiplied_x(const struct hold_rules *hold, const struct cell_load *load)
{
	switch ((enum hold_kind)load->kind) {
	case HOLD_VALUE:
		return load->x;
	case HOLD_MYSTERY:
		return hold->award[load->award - 1].x;
	case HOLD_MULTIPLIER:
		return 0;
	}
	return 0;
}

static void pay_cell(
	struct round *round, struct phase *phase, uint32_t cell, uint64_t product, uint32_t full)
{
	const struct hold_rules *hold = &round->game->hold;
	const struct cell_load *load = &round->load[cell];
	uint32_t x = multiplied_x(hold, load);
	uint64_t shown = (x > 0 ? product : 1) * full;
	struct money amount = times(times(round->total, x), product);
	bool fits = money_add(amount, times(round->total, load->own), &amount);

	assert(fits); /* bounds of the loader */
	/* The field is for the screen and has 32 bits: only fourteen multipliers of x5 exceed them,
	 * and the loads still have the exact values. */
	add_win(phase, (struct win_item){ .what = WIN_CELL,
			       .symbol = hold->symbol,
			       .count = 1,
			       .cells = UINT32_C(1) << cell,
			       .multiplier = shown < UINT32_MAX ? (uint32_t)shown : UINT32_MAX,
			       .amount = times(amount, full) });
}

/* RULE mystery-elves 3.8: multipliers first, so that the excluded awards are known before an award
 * is drawn; then the values they multiply; then the own values, which they do not multiply; RULE
 * mystery-elves 3.13: then a full screen. RULE mystery-elves 3.14: everything is paid at once. */
static void end(struct round *round, struct phase *phase)
{
	const struct hold_rules *hold = &round->game->hold;
	bool is_full = round->hold_cells == all_cells(round->game);
	struct hold_factors factors;

	assert(round->hold_running && is_over(round));
	phase_open(round, PHASE_HOLD_END, phase);
	round->held = round->hold_cells;
	factors = draw_multipliers(round, phase);
	draw_awards(round, phase, &factors);
	draw_own_values(round, phase);
	for (uint32_t cell = 0; cell < cell_count(round->game); cell++)
		if (has_cell(round->hold_cells, cell))
			pay_cell(round, phase, cell, factors.product,
				is_full ? hold->full_multiplier : 1);
	round->hold_running = false;
	round->hold_left = 0;
}

static bool offered(const struct game *game)
{
	return game->hold.offered;
}

/* The bonus symbols of free spins carry nothing: only paid spins start the feature. */
static void after_spin(struct round *round, struct phase *phase, const struct reel_column *columns,
	enum spin_context context)
{
	(void)columns;
	if (context == CONTEXT_BASE)
		land_base(round, phase);
}

static bool waits(const struct round *round)
{
	return round->hold_running;
}

static void play(struct round *round, struct phase *phase)
{
	(is_over(round) ? end : respin)(round, phase);
}

const struct feature_rule hold_and_win_rule = {
	.offered = offered, .after_spin = after_spin, .waits = waits, .play = play
};
