/* What a spin counts beside its lines, and what these counts pay and start. */
#include "libcommon/game/montecarlo/tags.h"

#include "libcommon/game/core/rule.h"
#include "libcommon/game/montecarlo/feature.h"

#include <assert.h>
#include <stdlib.h>

/* The largest number of cells that count as a symbol in a spin of this set. */
uint32_t tag_symbol_max(const struct game *game, uint32_t set, uint32_t wild_reels, uint8_t symbol)
{
	uint32_t symbols = game_counts_as(game, symbol), sum = 0;

	for (uint32_t r = 0; r < game->reels; r++) {
		uint32_t most = 0;

		for (uint32_t stop = 0; stop < game->strips[set].reel[r].length; stop++) {
			struct reel_column column;
			uint32_t count = 0;

			reel_column(game, set, r, stop, wild_reels, &column);
			for (uint32_t row = 0; row < game->rows; row++)
				count += symbols >> column.symbol[row] & 1;
			most = count > most ? count : most;
		}
		sum += most;
	}
	return sum;
}

void tag_widen(struct tag_field *field, uint32_t most)
{
	while (most >> field->bits != 0)
		field->bits++;
}

uint32_t tag_column(const struct game *game, struct tag_field field,
	const struct reel_column *column, uint8_t symbol)
{
	uint32_t symbols = game_counts_as(game, symbol), count = 0;

	for (uint32_t row = 0; field.bits > 0 && row < game->rows; row++)
		count += symbols >> column->symbol[row] & 1;
	return count << field.shift;
}

void tag_plan_widen(const struct game *game, uint32_t set, uint32_t wild_reels, bool progressive,
	struct tag_plan *plan)
{
	const struct jackpot_symbols *jackpot = &game->jackpot_symbols;

	for (uint32_t i = 0; i < game->scatter_symbols; i++)
		tag_widen(
			&plan->scatter[i], tag_symbol_max(game, set, wild_reels, game->scatter[i]));
	/* lines with runs that end on different reels may each win it */
	if (progressive)
		tag_widen(&plan->jackpot, game->reels - jackpot->count + 1);
	if (progressive && jackpot->anywhere)
		tag_widen(&plan->anywhere, tag_symbol_max(game, set, wild_reels, jackpot->symbol));
	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_fasts[f]->widen && feature_rules[f]->offered(game))
			feature_fasts[f]->widen(game, set, wild_reels, plan->feature[f]);
}

static void place_field(struct tag_field *field, uint32_t *bits)
{
	field->shift = (uint8_t)*bits;
	*bits += field->bits;
}

void tag_plan_close(const struct game *game, struct tag_plan *plan)
{
	plan->bits = 0;
	place_field(&plan->jackpot, &plan->bits);
	for (uint32_t i = 0; i < GAME_SCATTERS_MAX; i++)
		place_field(&plan->scatter[i], &plan->bits);
	place_field(&plan->anywhere, &plan->bits);
	for (uint32_t f = 0; f < FEATURES; f++)
		for (uint32_t r = 0; r < game->reels; r++)
			place_field(&plan->feature[f][r], &plan->bits);
}

/* Pays and awards of scatters, as pay_scatters of the core computes them. */
void tag_scatters(const struct game *game, uint64_t total, enum spin_context context,
	const uint32_t count[GAME_SCATTERS_MAX], uint64_t *pay_r, uint32_t *awards_r)
{
	*pay_r = 0;
	*awards_r = 0;
	assert(game->scatter_symbols <= GAME_SCATTERS_MAX);
	for (uint32_t i = 0; i < game->scatter_symbols; i++) {
		if ((i == 0 && game->scatter_count_min > 0) || count[i] == 0 ||
			count[i] > game->reels)
			continue; /* more than one a reel, which the loader refuses */
		*pay_r += total * game->symbol[game->scatter[i]].pay[count[i]];
		if (game->scatter[i] == game->free_spins.award_symbol)
			*awards_r += game->free_spins.award[context][count[i]];
	}
}

static bool wins_jackpot(const struct fast_sim *sim, uint32_t tag)
{
	const struct tag_plan *plan = &sim->plan;

	return tag_get(plan->jackpot, tag) != 0 ||
	       (plan->anywhere.bits > 0 &&
		       tag_get(plan->anywhere, tag) >= sim->game->jackpot_symbols.count);
}

static uint32_t features_of(const struct fast_sim *sim, enum spin_context context, uint32_t tag)
{
	uint32_t features = 0;

	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_fasts[f]->starts && feature_rules[f]->offered(sim->game) &&
			feature_fasts[f]->starts(sim, context, tag))
			features |= UINT32_C(1) << f;
	return features;
}

bool tag_infos_build(struct fast_sim *sim, enum spin_context context)
{
	size_t tags = (size_t)1 << sim->plan.bits;
	struct tag_info *info = calloc(tags, sizeof(*info));
	uint8_t *quiet = calloc(tags, 1);

	sim->info[context] = info;
	sim->quiet[context] = quiet;
	if (context == CONTEXT_BASE)
		sim->unpaid = calloc(tags, 1);
	if (info == NULL || quiet == NULL || sim->unpaid == NULL)
		return false;
	for (uint32_t tag = 0; tag < tags; tag++) {
		uint32_t count[GAME_SCATTERS_MAX];

		for (uint32_t i = 0; i < GAME_SCATTERS_MAX; i++)
			count[i] = tag_get(sim->plan.scatter[i], tag);
		tag_scatters(
			sim->game, sim->total, context, count, &info[tag].pay, &info[tag].awards);
		info[tag].jackpot = wins_jackpot(sim, tag);
		info[tag].features = features_of(sim, context, tag);
		quiet[tag] = info[tag].pay == 0 && info[tag].awards == 0 && !info[tag].jackpot &&
			     info[tag].features == 0;
		if (context == CONTEXT_BASE)
			sim->unpaid[tag] = info[tag].pay == 0;
	}
	return true;
}
