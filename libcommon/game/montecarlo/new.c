#include "libcommon/game/montecarlo/tags.h"

#include <stdlib.h>
#include <string.h>

/* In hundredths of the stake. */
static const uint32_t bins[FAST_BINS] = { 0, 0, 25, 50, 75, 100, 150, 200, 300, 500, 1000, 2000,
	5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000 };

uint32_t fast_bin_from(uint32_t bin)
{
	return bins[bin];
}

static bool progressive_live(const struct game *game, const struct bet *bet)
{
	const struct jackpot_symbols *rules = &game->jackpot_symbols;

	return rules->symbol != GAME_NO_SYMBOL && (!rules->max_bet_only || bet_is_max(game, bet));
}

static void amounts(struct fast_sim *sim, struct money stake, struct money total)
{
	const struct bet *bet = &sim->bet;
	const struct jackpot_row *row =
		jackpot_row(&sim->game->jackpot, bet->currency, bet->coin_minor);

	sim->stake = (uint64_t)stake.minor;
	sim->total = (uint64_t)total.minor;
	sim->line_bet = (uint64_t)bet->coin_minor * bet->coins;
	sim->jackpot = row != NULL && sim->game->jackpot.pool != 0 ? (uint64_t)row->seed_minor : 0;
	for (uint32_t bin = 0; bin < FAST_BINS; bin++)
		sim->bin_from[bin] = (bins[bin] * sim->stake + 99) / 100;
	sim->bin_from[1] = 1;
}

static uint32_t position_reels(const struct game_mode *mode, uint32_t position)
{
	return mode->position_count == 0 ? 0 : mode->position[position].reels;
}

static void plan_tags(struct fast_sim *sim, const struct game_mode *mode, bool progressive)
{
	const struct game *game = sim->game;

	for (uint32_t i = 0; i < sim->bases; i++)
		tag_plan_widen(
			game, mode->strips, position_reels(mode, i), progressive, &sim->plan);
	if (game->free_spins.offered)
		tag_plan_widen(game, game->free_spins.strips, 0, progressive, &sim->plan);
	tag_plan_close(game, &sim->plan);
}

static enum fast_status tables_build(
	struct fast_sim *sim, const struct game_mode *mode, bool progressive)
{
	const struct game *game = sim->game;
	const struct potion_rules *potions = &game->potions;
	struct table_terms base = {
		.lines = sim->bet.lines, .progressive = progressive, .tagged = true
	};
	struct table_terms free_terms = base, plain = { .lines = sim->bet.lines };
	enum fast_status status = FAST_OK;

	free_terms.wild_multiplier_count = game->free_spins.wild_multiplier_count;
	free_terms.wild_multiplier = game->free_spins.wild_multiplier;
	for (uint32_t i = 0; status == FAST_OK && i < sim->bases; i++)
		status = table_build(game, mode->strips, position_reels(mode, i), &base, &sim->plan,
			sim->quiet[CONTEXT_BASE], &sim->base[i]);
	if (status == FAST_OK && game->free_spins.offered)
		status = table_build(game, game->free_spins.strips, 0, &free_terms, &sim->plan,
			sim->quiet[CONTEXT_FREE], &sim->free_spins);
	for (uint32_t i = 0; potions->offered && i < potions->step_count; i++) {
		enum potion_kind kind = potions->step[i].kind;

		if (status == FAST_OK && (kind == POTION_HIGH_SYMBOLS || kind == POTION_MULTIPLIER))
			status = table_build(game, potions->step[i].strips, 0, &plain, &sim->plan,
				NULL, &sim->potion[kind]);
	}
	return status;
}

static void window_lines_build(struct fast_sim *sim)
{
	for (uint32_t l = 0; l < sim->bet.lines; l++)
		for (uint32_t r = 0; r < sim->game->reels; r++)
			sim->lines.through[r][sim->game->line[l][r]] |= UINT64_C(1) << l;
}

/* C(n, k) in^k (of - in)^(n - k), summed up to k, for every number n of free cells. */
static bool hold_build(struct fast_sim *sim)
{
	const struct odds *cell = &sim->game->hold.cell;
	uint32_t cells = sim->game->reels * sim->game->rows, stride = GAME_CELLS_MAX + 1;
	uint64_t power = 1;
	uint64_t *row;

	sim->hold_below = calloc((size_t)stride * stride, sizeof(uint64_t));
	if (sim->hold_below == NULL)
		return false;
	row = sim->hold_below; /* exact counts first: row n from row n - 1 */
	row[0] = 1;
	sim->hold_cells[0] = 1;
	for (uint32_t n = 1; n <= cells; n++) {
		if (power > UINT64_MAX / cell->of)
			break;
		power *= cell->of;
		sim->hold_cells[n] = power;
		for (uint32_t k = 0; k <= n; k++)
			row[n * stride + k] =
				row[(n - 1) * stride + k] * (cell->of - cell->in) +
				(k > 0 ? row[(n - 1) * stride + k - 1] * cell->in : 0);
	}
	for (uint32_t n = 0; n <= cells; n++)
		for (uint32_t k = 1; k <= n; k++)
			row[n * stride + k] += row[n * stride + k - 1];
	return true;
}

static void guide_build(const struct choices *choices, struct value_guide *guide_r)
{
	uint32_t sum = 0, at = 0;

	while (choices->weight >> guide_r->shift >= GUIDE_ENTRIES)
		guide_r->shift++;
	for (uint32_t i = 0; i < choices->count; i++)
		guide_r->below[i] = sum += choices->of[i].weight;
	for (uint32_t i = 0; i << guide_r->shift < choices->weight; i++) {
		while (i << guide_r->shift >= guide_r->below[at])
			at++;
		guide_r->from[i] = (uint8_t)at;
	}
}

static enum fast_status sim_build(struct fast_sim *sim)
{
	const struct game *game = sim->game;
	const struct game_mode *mode = &game->mode[sim->bet.mode];
	bool progressive = progressive_live(game, &sim->bet);

	sim->bases = mode->position_count == 0 ? 1 : mode->position_count;
	plan_tags(sim, mode, progressive);
	if (sim->plan.bits > TAG_BITS_MAX)
		return FAST_TOO_LARGE;
	for (int context = CONTEXT_BASE; context < SPIN_CONTEXTS; context++)
		if (!tag_infos_build(sim, (enum spin_context)context))
			return FAST_NO_MEMORY;
	window_lines_build(sim);
	guide_build(&game->hold.value, &sim->hold_value);
	if (game->hold.offered && !hold_build(sim))
		return FAST_NO_MEMORY;
	return tables_build(sim, mode, progressive);
}

enum fast_status fast_new(const struct game *game, const struct bet *bet,
	const struct round_state *start, struct fast_sim **sim_r)
{
	struct bet_error error;
	struct money stake, total;
	struct fast_sim *sim;
	enum fast_status status;

	*sim_r = NULL;
	if (bet_check(game, bet, &stake, &error) != BET_OK || bet_total(bet, &total) != BET_OK)
		return FAST_BAD_BET;
	sim = calloc(1, sizeof(*sim));
	if (sim == NULL)
		return FAST_NO_MEMORY;
	sim->game = game;
	sim->bet = *bet;
	if (start != NULL)
		sim->start = *start;
	amounts(sim, stake, total);
	status = sim_build(sim);
	if (status != FAST_OK)
		fast_free(&sim);
	*sim_r = sim;
	return status;
}

void fast_free(struct fast_sim **sim_p)
{
	struct fast_sim *sim = *sim_p;

	if (sim == NULL)
		return;
	for (int context = 0; context < SPIN_CONTEXTS; context++) {
		free(sim->info[context]);
		free(sim->quiet[context]);
	}
	for (uint32_t i = 0; i < sim->bases; i++)
		table_free(&sim->base[i]);
	table_free(&sim->free_spins);
	for (uint32_t kind = 0; kind < POTION_KINDS; kind++)
		table_free(&sim->potion[kind]);
	free(sim->unpaid);
	free(sim->hold_below);
	free(sim);
	*sim_p = NULL;
}
