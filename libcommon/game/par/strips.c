/* Strips of a PAR sheet: each set's stops and the number of each symbol on a reel. */
#include "libcommon/game/rational.h"
#include "libcommon/game/par.h"

#include <stdio.h>
#include <string.h>

static bool is_weighted(const struct game *game, const struct game_strips *set)
{
	for (uint32_t r = 0; r < game->reels; r++)
		if (set->reel[r].weight != set->reel[r].length)
			return true;
	return false;
}

/* Number of stops (or their weight) that show each symbol in the top row. */
static void count_symbols(const struct game_strip *strip, uint32_t stops[GAME_SYMBOLS_MAX],
	uint32_t weight[GAME_SYMBOLS_MAX])
{
	memset(stops, 0, GAME_SYMBOLS_MAX * sizeof(*stops));
	memset(weight, 0, GAME_SYMBOLS_MAX * sizeof(*weight));
	for (uint32_t i = 0; i < strip->length; i++) {
		stops[strip->symbol[i]]++;
		weight[strip->symbol[i]] += strip->stop_weight[i];
	}
}

static void reel_columns(
	const struct game *game, bool weighted, const char *first, char *columns, size_t size)
{
	size_t used = (size_t)snprintf(columns, size, "%s", first);

	for (uint32_t r = 1; r <= game->reels; r++) {
		used += (size_t)snprintf(columns + used, size - used, "|reel_%u=Reel %u", r, r);
		if (weighted)
			used += (size_t)snprintf(
				columns + used, size - used, "|weight_%u=Weight", r);
	}
}

static void add_counts(const struct game *game, const struct game_strips *set, bool weighted,
	struct par_texts *texts, json_t *section)
{
	uint32_t stops[GAME_REELS_MAX][GAME_SYMBOLS_MAX], weight[GAME_REELS_MAX][GAME_SYMBOLS_MAX];
	uint32_t step = weighted ? 2 : 1;
	char columns[512];
	const char *row[1 + 2 * GAME_REELS_MAX];
	const uint32_t reels = game->reels;
	json_t *table;

	for (uint32_t r = 0; r < reels; r++)
		count_symbols(&set->reel[r], stops[r], weight[r]);
	reel_columns(game, weighted, "symbol=Symbol", columns, sizeof(columns));
	table = par_table(section, par_text(texts, "counts_%s", set->id),
		"Stops that show the symbol, by reel", columns);
	for (uint32_t s = 0; s < game->symbol_count; s++) {
		uint32_t seen = 0;

		row[0] = game->symbol[s].id;
		for (uint32_t r = 0; r < reels; r++) {
			seen += stops[r][s];
			row[1 + r * step] = par_text(texts, "%u", stops[r][s]);
			if (weighted)
				row[2 + r * step] = par_text(texts, "%u", weight[r][s]);
		}
		if (seen > 0)
			par_row_of(table, row, 1 + game->reels * step);
	}
}

static void add_stops(const struct game *game, const struct game_strips *set, bool weighted,
	struct par_texts *texts, json_t *section)
{
	uint32_t longest = 0, step = weighted ? 2 : 1;
	char columns[512];
	const char *row[1 + 2 * GAME_REELS_MAX];
	json_t *table;

	for (uint32_t r = 0; r < game->reels; r++)
		longest = set->reel[r].length > longest ? set->reel[r].length : longest;
	reel_columns(game, weighted, "stop=Stop", columns, sizeof(columns));
	table = par_table(section, par_text(texts, "strips_%s", set->id),
		"Strips, read downwards and round", columns);
	for (uint32_t i = 0; i < longest; i++) {
		row[0] = par_text(texts, "%u", i);
		for (uint32_t r = 0; r < game->reels; r++) {
			const struct game_strip *strip = &set->reel[r];
			bool there = i < strip->length;

			row[1 + r * step] = there ? game->symbol[strip->symbol[i]].id : "";
			if (weighted)
				row[2 + r * step] =
					there ? par_text(texts, "%u", strip->stop_weight[i]) : "";
		}
		par_row_of(table, row, 1 + game->reels * step);
	}
	json_object_set_new(table, "dense", json_true());
}

static const char *used_by(const struct game *game, uint32_t set, struct par_texts *texts)
{
	const char *text = "";

	for (uint32_t m = 0; m < game->mode_count; m++)
		if (game->mode[m].strips == set)
			text = par_text(texts, "%s%s the paid spin of %s", text, *text ? "," : "",
				game->mode[m].id);
	if (game->free_spins.offered && game->free_spins.strips == set)
		text = par_text(texts, "%s%s free spins", text, *text ? "," : "");
	if (game->sticky.offered && game->sticky.strips == set)
		text = par_text(texts, "%s%s sticky respins", text, *text ? "," : "");
	for (uint32_t i = 0; game->unlock.offered && i < game->unlock.step_count; i++)
		if (game->unlock.step[i].strips == set)
			text = par_text(texts, "%s%s potion respins (step %u)", text,
				*text ? "," : "", i + 1);
	return text;
}

static void add_cycle(const struct game *game, const struct game_strips *set,
	struct par_texts *texts, json_t *section)
{
	const char *product = "", *lengths = "";
	mpz_t cycle;

	mpz_init_set_ui(cycle, 1);
	for (uint32_t r = 0; r < game->reels; r++) {
		mpz_mul_ui(cycle, cycle, set->reel[r].weight);
		product = par_text(texts, "%s%s%u", product, r ? " x " : "", set->reel[r].weight);
		lengths = par_text(texts, "%s%s%u", lengths, r ? ", " : "", set->reel[r].length);
	}
	par_words(section, "Used by:%s. Stops: %s. Cycle: %s = %s weighted combinations of stops.",
		used_by(game, (uint32_t)(set - game->strips), texts), lengths, product,
		par_whole(texts, cycle));
	mpz_clear(cycle);
}

void par_strip_sections(const struct game *game, struct par_texts *texts, json_t *appendix)
{
	for (uint32_t i = 0; i < game->strip_sets; i++) {
		const struct game_strips *set = &game->strips[i];
		bool weighted = is_weighted(game, set);
		json_t *section = par_section(appendix, par_text(texts, "set_%s", set->id),
			par_text(texts, "Strips: set %s", set->id));

		add_cycle(game, set, texts, section);
		par_words(section,
			weighted ? "The stops of at least one reel have weights: the "
				   "probability of a stop is its weight divided by the reel's sum."
				 : "All stops of a reel are equally likely.");
		add_counts(game, set, weighted, texts, section);
		add_stops(game, set, weighted, texts, section);
	}
}
