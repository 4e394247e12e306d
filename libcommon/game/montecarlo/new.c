#include "libcommon/game/core/rule.h"
#include "libcommon/game/montecarlo/feature.h"
#include "libcommon/game/montecarlo/tags.h"

#include <stdlib.h>
#include <string.h>

const struct feature_fast *const feature_fasts[FEATURES] = {
#define FEATURE(name) [FEATURE_##name] = &name##_fast,
#include "libcommon/game/features.def"
};

/* In hundredths of the stake. */
static const uint32_t bins[FAST_BINS] = { 0, 0, 25, 50, 75, 100, 150, 200, 300, 500, 1000, 2000,
	5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000 };

uint32_t fast_bin_from(uint32_t bin)
{
	return bins[bin];
}

static bool bet_live(const struct game *game, const struct bet *bet)
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
	struct table_terms base = {
		.lines = sim->bet.lines, .progressive = progressive, .tagged = true
	};
	struct table_terms free_terms = base;
	enum fast_status status = FAST_OK;

	free_terms.wild_multiplier_count = game->free_spins.wild_multiplier_count;
	free_terms.wild_multiplier = game->free_spins.wild_multiplier;
	for (uint32_t i = 0; status == FAST_OK && i < sim->bases; i++)
		status = table_build(game, mode->strips, position_reels(mode, i), &base, &sim->plan,
			sim->quiet[CONTEXT_BASE], &sim->base[i]);
	if (status == FAST_OK && game->free_spins.offered)
		status = table_build(game, game->free_spins.strips, 0, &free_terms, &sim->plan,
			sim->quiet[CONTEXT_FREE], &sim->free_spins);
	for (uint32_t f = 0; status == FAST_OK && f < FEATURES; f++) {
		if (!feature_rules[f]->offered(game))
			continue;
		sim->on_win |= (uint32_t)feature_fasts[f]->on_win << f;
		if (feature_fasts[f]->build)
			status = feature_fasts[f]->build(sim);
	}
	return status;
}

static void window_lines_build(struct fast_sim *sim)
{
	for (uint32_t l = 0; l < sim->bet.lines; l++)
		for (uint32_t r = 0; r < sim->game->reels; r++)
			sim->lines.through[r][sim->game->line[l][r]] |= UINT64_C(1) << l;
}

static enum fast_status sim_build(struct fast_sim *sim)
{
	const struct game *game = sim->game;
	const struct game_mode *mode = &game->mode[sim->bet.mode];
	bool progressive = bet_live(game, &sim->bet);

	sim->bases = mode->position_count == 0 ? 1 : mode->position_count;
	plan_tags(sim, mode, progressive);
	if (sim->plan.bits > TAG_BITS_MAX)
		return FAST_TOO_LARGE;
	for (int context = CONTEXT_BASE; context < SPIN_CONTEXTS; context++)
		if (!tag_infos_build(sim, (enum spin_context)context))
			return FAST_NO_MEMORY;
	window_lines_build(sim);
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
	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_fasts[f]->free)
			feature_fasts[f]->free(sim);
	free(sim->unpaid);
	free(sim);
	*sim_p = NULL;
}
