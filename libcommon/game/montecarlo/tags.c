/* What is counted in a spin beside its lines, and what comes of the counts. */
#include "libcommon/game/montecarlo/tags.h"

#include <stdlib.h>

/* Most of a symbol that a spin of this set shows. */
static uint32_t symbol_max(
	const struct game *game, uint32_t set, uint32_t wild_reels, uint8_t symbol)
{
	uint32_t sum = 0;

	for (uint32_t r = 0; r < game->reels; r++) {
		uint32_t most = 0;

		for (uint32_t stop = 0; stop < game->strips[set].reel[r].length; stop++) {
			struct reel_column column;
			uint32_t count = 0;

			reel_column(game, set, r, stop, wild_reels, &column);
			for (uint32_t row = 0; row < game->rows; row++)
				count += column.symbol[row] == symbol;
			most = count > most ? count : most;
		}
		sum += most;
	}
	return sum;
}

static bool reel_has_potions(const struct game *game, uint32_t set, uint32_t reel)
{
	const struct game_strip *strip = &game->strips[set].reel[reel];

	for (uint32_t i = 0; i < strip->length; i++)
		if (game->symbol[strip->symbol[i]].kind == SYMBOL_POTION)
			return true;
	return false;
}

static void widen(struct tag_field *field, uint32_t most)
{
	while (most >> field->bits != 0)
		field->bits++;
}

void tag_plan_widen(const struct game *game, uint32_t set, uint32_t wild_reels, bool progressive,
	struct tag_plan *plan)
{
	const struct jackpot_symbols *jackpot = &game->jackpot_symbols;

	for (uint32_t i = 0; i < game->scatter_symbols; i++)
		widen(&plan->scatter[i], symbol_max(game, set, wild_reels, game->scatter[i]));
	if (game->vial_count > 0)
		widen(&plan->vial, symbol_max(game, set, wild_reels, game->bonus));
	if (game->hold.offered)
		widen(&plan->hold, symbol_max(game, set, wild_reels, game->hold.symbol));
	/* lines whose runs end on different reels may each win it */
	if (progressive)
		widen(&plan->jackpot, game->reels - jackpot->count + 1);
	if (progressive && jackpot->anywhere)
		widen(&plan->anywhere, symbol_max(game, set, wild_reels, jackpot->symbol));
	if (game->sticky.offered)
		widen(&plan->sticky, 1);
	for (uint32_t r = 0; game->potions.offered && r < game->reels; r++)
		if (reel_has_potions(game, set, r))
			widen(&plan->potion[r], GAME_COLOURS);
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
	place_field(&plan->vial, &plan->bits);
	place_field(&plan->hold, &plan->bits);
	place_field(&plan->anywhere, &plan->bits);
	place_field(&plan->sticky, &plan->bits);
	for (uint32_t r = 0; r < game->reels; r++)
		place_field(&plan->potion[r], &plan->bits);
}

/* Scatters' pays and awards, as pay_scatters of the core has them. */
void tag_scatters(const struct game *game, uint64_t total, enum spin_context context,
	const uint32_t count[GAME_SCATTERS_MAX], uint64_t *pay_r, uint32_t *awards_r)
{
	*pay_r = 0;
	*awards_r = 0;
	for (uint32_t i = 0; i < game->scatter_symbols; i++) {
		if ((i == 0 && game->scatter_count_min > 0) || count[i] == 0 ||
			count[i] > game->reels)
			continue; /* more than one a reel: the loader knows better */
		*pay_r += total * game->symbol[game->scatter[i]].pay[count[i]];
		if (game->scatter[i] == game->free_spins.award_symbol)
			*awards_r += game->free_spins.award[context][count[i]];
	}
}

static uint32_t flags_of(const struct fast_sim *sim, enum spin_context context, uint32_t tag)
{
	const struct game *game = sim->game;
	const struct tag_plan *plan = &sim->plan;
	uint32_t flags = 0;

	if (game->scatter_count_min > 0 &&
		tag_get(plan->scatter[0], tag) >= game->scatter_count_min)
		flags |= TAG_BATTLE;
	if (game->vial_count > 0 && tag_get(plan->vial, tag) >= game->bonus_count_min)
		flags |= TAG_VIAL;
	if (tag_get(plan->sticky, tag) != 0)
		flags |= TAG_STICKY;
	if (tag_get(plan->jackpot, tag) != 0 ||
		(plan->anywhere.bits > 0 &&
			tag_get(plan->anywhere, tag) >= game->jackpot_symbols.count))
		flags |= TAG_JACKPOT;
	if (context == CONTEXT_FREE)
		return flags;
	if (game->hold.offered && tag_get(plan->hold, tag) >= game->hold.at_least)
		flags |= TAG_HOLD;
	for (uint32_t r = 0; r < game->reels; r++)
		if (tag_get(plan->potion[r], tag) != 0)
			flags |= TAG_POTION;
	return flags;
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
		info[tag].flags = flags_of(sim, context, tag);
		quiet[tag] = info[tag].pay == 0 && info[tag].awards == 0 && info[tag].flags == 0;
		if (context == CONTEXT_BASE)
			sim->unpaid[tag] = info[tag].pay == 0;
	}
	return true;
}
