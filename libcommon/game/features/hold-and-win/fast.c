/* Hold and win by counts: all cells are alike, so only the number of filled cells matters. */
#include "libcommon/game/montecarlo/feature.h"

#include <stdlib.h>

#define GUIDE_ENTRIES 256u

/* Where the search for a value begins, which is usually the right place. */
struct value_guide {
	uint32_t below[GAME_CHOICES_MAX]; /* running sums of the weights */
	uint32_t shift;
	uint8_t from[GUIDE_ENTRIES]; /* [value >> shift] the first choice that can match */
};

#define STRIDE ((size_t)GAME_CELLS_MAX + 1)

struct hold_tables {
	/* probability that at most k of n free cells land, in units of of^n */
	uint64_t cells[STRIDE];		 /* of^n; 0: too large, cells are drawn one by one */
	uint64_t below[STRIDE * STRIDE]; /* [n * STRIDE + k] */
	struct value_guide value;
};

static const struct hold_tables *tables_of(const struct fast_sim *sim)
{
	return sim->own[FEATURE_hold_and_win];
}

/* How many of the free cells land. */
static uint32_t landing(struct fast_player *player, uint32_t free_cells)
{
	const struct fast_sim *sim = player->sim;
	const struct odds *cell = &sim->game->hold.cell;
	const struct hold_tables *tables = tables_of(sim);
	const uint64_t *below = &tables->below[free_cells * STRIDE];
	uint32_t landed = 0;

	if (tables->cells[free_cells] != 0) {
		uint64_t value = stream_below64(&player->draws, tables->cells[free_cells]);

		while (value >= below[landed])
			landed++;
		return landed;
	}
	for (uint32_t i = 0; i < free_cells; i++)
		landed += stream_below(&player->draws, cell->of) < cell->in;
	return landed;
}

struct carried {
	uint64_t values; /* the part that is multiplied, times the total bet */
	uint32_t mysteries, multipliers;
};

/* What each symbol carries. */
static void carry(struct fast_player *player, uint32_t cells, struct carried *carried)
{
	const struct hold_rules *hold = &player->sim->game->hold;
	const struct value_guide *guide = &tables_of(player->sim)->value;
	uint32_t weight = hold->value.weight + hold->mystery_weight + hold->multiplier_weight;

	for (uint32_t i = 0; i < cells; i++) {
		uint32_t value = stream_below(&player->draws, weight), at;

		if (value >= hold->value.weight + hold->mystery_weight) {
			carried->multipliers++;
		} else if (value >= hold->value.weight) {
			carried->mysteries++;
		} else {
			at = guide->from[value >> guide->shift];
			while (value >= guide->below[at])
				at++;
			carried->values += hold->value.of[at].x;
		}
	}
}

static uint32_t draw_award(struct fast_player *player, bool exclude)
{
	const struct hold_rules *hold = &player->sim->game->hold;
	uint32_t weight = 0, value, at = 0;

	for (uint32_t i = 0; i < hold->award_count; i++)
		if (!(exclude && hold->award[i].excluded))
			weight += hold->award[i].weight;
	value = stream_below(&player->draws, weight);
	for (;; at++) {
		if (exclude && hold->award[at].excluded)
			continue;
		if (value < hold->award[at].weight)
			break;
		value -= hold->award[at].weight;
	}
	player->stats->event[EVENT_AWARD + at]++;
	return hold->award[at].x;
}

/* Multipliers first (some exclude an award), then mysteries, then own values, which nothing
 * multiplies. Same order as in rule.c. */
static uint64_t worth(struct fast_player *player, const struct carried *carried, bool full)
{
	const struct hold_rules *hold = &player->sim->game->hold;
	uint64_t product = 1, multiplied = carried->values, own = 0;
	bool exclude = false;

	for (uint32_t i = 0; i < carried->multipliers; i++) {
		uint32_t x = choice_draw(&player->draws, &hold->multiplier);

		exclude = exclude || x >= hold->exclude_from;
		product *= x;
	}
	for (uint32_t i = 0; i < carried->mysteries; i++)
		multiplied += draw_award(player, exclude);
	for (uint32_t i = 0; i < carried->mysteries + carried->multipliers; i++)
		own += choice_draw(&player->draws, &hold->value);
	return (multiplied * product + own) * (full ? hold->full_multiplier : 1);
}

/* Plays the feature that starts with this number of symbols. */
static void hold_round(struct fast_player *player, uint32_t cells)
{
	const struct game *game = player->sim->game;
	uint32_t all = game->reels * game->rows, left = game->hold.respins;
	struct carried carried = { 0 };

	player->stats->event[EVENT_HOLD]++;
	carry(player, cells, &carried);
	while (left > 0 && cells < all) {
		uint32_t landed = landing(player, all - cells);

		carry(player, landed, &carried);
		cells += landed;
		left = landed > 0 ? game->hold.respins : left - 1;
	}
	player->stats->event[EVENT_HOLD_FULL] += cells == all;
	run_add(player, SOURCE_HOLD, worth(player, &carried, cells == all) * player->sim->total);
}

/* ---- tables ---- */

/* C(n, k) in^k (of - in)^(n - k), summed up to k, for every number n of free cells. */
static void cells_build(const struct odds *cell, uint32_t cells, struct hold_tables *tables)
{
	uint64_t power = 1, *row = tables->below; /* exact counts first: row n from row n - 1 */

	row[0] = 1;
	tables->cells[0] = 1;
	for (uint32_t n = 1; n <= cells; n++) {
		if (power > UINT64_MAX / cell->of)
			break;
		power *= cell->of;
		tables->cells[n] = power;
		for (uint32_t k = 0; k <= n; k++)
			row[n * STRIDE + k] =
				row[(n - 1) * STRIDE + k] * (cell->of - cell->in) +
				(k > 0 ? row[(n - 1) * STRIDE + k - 1] * cell->in : 0);
	}
	for (uint32_t n = 0; n <= cells; n++)
		for (uint32_t k = 1; k <= n; k++)
			row[n * STRIDE + k] += row[n * STRIDE + k - 1];
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

static enum fast_status build(struct fast_sim *sim)
{
	const struct game *game = sim->game;
	struct hold_tables *tables = calloc(1, sizeof(*tables));

	if (tables == NULL)
		return FAST_NO_MEMORY;
	cells_build(&game->hold.cell, game->reels * game->rows, tables);
	guide_build(&game->hold.value, &tables->value);
	sim->own[FEATURE_hold_and_win] = tables;
	return FAST_OK;
}

static void release(struct fast_sim *sim)
{
	free(sim->own[FEATURE_hold_and_win]);
}

static void widen(const struct game *game, uint32_t set, uint32_t wild_reels,
	struct tag_field field[GAME_REELS_MAX])
{
	tag_widen(&field[0], tag_symbol_max(game, set, wild_reels, game->hold.symbol));
}

static uint32_t tag_of(const struct game *game, uint32_t reel, const struct reel_column *column,
	const struct tag_field field[GAME_REELS_MAX])
{
	(void)reel;
	return tag_column(game, field[0], column, game->hold.symbol);
}

static uint32_t symbols_in(const struct fast_sim *sim, uint32_t tag)
{
	return tag_get(sim->plan.feature[FEATURE_hold_and_win][0], tag);
}

static bool starts(const struct fast_sim *sim, enum spin_context context, uint32_t tag)
{
	return context == CONTEXT_BASE && symbols_in(sim, tag) >= sim->game->hold.at_least;
}

static void play(struct fast_player *player, enum spin_context context, uint32_t tag,
	const struct place *place)
{
	(void)context;
	(void)place;
	hold_round(player, symbols_in(player->sim, tag));
}

static void count(const struct game *game, const struct phase *phase, uint64_t event[EVENTS])
{
	if (phase->kind != PHASE_HOLD_END)
		return;
	event[EVENT_HOLD_FULL] += phase->win_count == game->reels * game->rows;
	for (uint32_t i = 0; i < phase->draw_count; i++)
		if (phase->draw[i].meaning == DRAW_CELL_AWARD)
			event[EVENT_AWARD + phase->load[phase->draw[i].where].award - 1]++;
}

const struct feature_fast hold_and_win_fast = { .widen = widen,
	.tag = tag_of,
	.build = build,
	.free = release,
	.starts = starts,
	.play = play,
	.count = count };
