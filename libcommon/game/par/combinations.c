/* Every combination that a line pays, with its exact hits.
 *
 * A line sees one cell a reel. This code walks through prefixes of cells while the line is alive
 * and passes each end to the engine's own evaluation (libcommon/game/lines.h), so the sheet shows
 * what is really paid. Reels after an end count with their full weight. If a mode guarantees a
 * number of a symbol, weights are kept by the number in each column, and only windows that keep the
 * guarantee count; a guaranteed line win removes no combination, only windows without any. */
#include "libcommon/game/reel_machine.h"
#include "libcommon/game/rational.h"
#include "libcommon/game/par.h"

#include <stdlib.h>
#include <string.h>

/* Combinations so far, by the number of guaranteed symbols in them. */
struct by_number {
	exact_count of[GAME_CELLS_MAX + 1];
};

struct line_walk {
	const struct game *game;
	struct line_terms terms;
	uint32_t line;
	uint8_t guaranteed; /* GAME_NO_SYMBOL: no such guarantee, and all numbers are 0 */
	uint32_t at_least;
	uint64_t position_weight;
	/* of this line's cells, by the number of guaranteed symbols in the column */
	uint64_t weight[GAME_REELS_MAX][GAME_SYMBOLS_MAX][GAME_ROWS_MAX + 1];
	uint64_t total[GAME_REELS_MAX][GAME_ROWS_MAX + 1];
	uint8_t window[GAME_CELLS_MAX];
	struct par_combinations *list;
};

static bool nothing(const uint64_t weight[GAME_ROWS_MAX + 1])
{
	for (uint32_t n = 0; n <= GAME_ROWS_MAX; n++)
		if (weight[n] > 0)
			return false;
	return true;
}

static struct by_number times(const struct by_number *x, const uint64_t weight[GAME_ROWS_MAX + 1])
{
	struct by_number product = { { 0 } };

	for (uint32_t i = 0; i <= GAME_CELLS_MAX; i++)
		for (uint32_t n = 0; x->of[i] > 0 && n <= GAME_ROWS_MAX; n++)
			if (weight[n] > 0)
				product.of[i + n] += x->of[i] * weight[n];
	return product;
}

static struct par_combination *entry_of(struct par_combinations *list, const struct line_pay *pay)
{
	struct par_combination *entry;

	for (uint32_t i = 0; i < list->count; i++) {
		entry = &list->of[i];
		if (entry->symbol == pay->symbol && entry->count == pay->count &&
			entry->jackpot == pay->jackpot && entry->coins == pay->coins)
			return entry;
	}
	if (list->count == PAR_COMBINATIONS_MAX)
		par_refuse("found more than %d combinations of a spin, expected fewer",
			PAR_COMBINATIONS_MAX);
	entry = &list->of[list->count++];
	*entry = (struct par_combination){ .symbol = pay->symbol,
		.count = pay->count,
		.jackpot = pay->jackpot,
		.multiplier = pay->jackpot ? 1 : pay->multiplier,
		.coins = pay->coins };
	mpz_inits(entry->hits, entry->with_wilds, NULL);
	return entry;
}

/* The line ends, at the last reel or before `from`; later reels can show anything. */
static void settle(struct line_walk *walk, uint32_t from, struct by_number ways)
{
	const struct game *game = walk->game;
	struct line_pay pay = line_best(game, walk->window, walk->line, &walk->terms);
	struct par_combination *entry;
	exact_count sum = 0;
	bool wilds = false;
	mpz_t hits;

	if (pay.coins == 0 && !pay.jackpot)
		return;
	for (uint32_t r = from; r < game->reels; r++)
		ways = times(&ways, walk->total[r]);
	for (uint32_t n = walk->at_least; n <= GAME_CELLS_MAX; n++)
		sum += ways.of[n];
	if (sum == 0)
		return;
	for (uint32_t r = 0; r < pay.count; r++)
		wilds |= walk->window[game->line_cell[walk->line][r]] == game->wild;
	entry = entry_of(walk->list, &pay);
	mpz_init(hits);
	mpz_set_count(hits, sum);
	mpz_mul_ui(hits, hits, walk->position_weight);
	mpz_add(entry->hits, entry->hits, hits);
	if (wilds)
		mpz_add(entry->with_wilds, entry->with_wilds, hits);
	mpz_clear(hits);
}

/* Is the line still alive if `symbol` follows a run of `run` (GAME_NO_SYMBOL: only wilds)? */
static bool lives(const struct game *game, uint32_t reel, uint8_t run, uint8_t symbol)
{
	enum symbol_kind kind = game->symbol[symbol].kind;

	if (run != GAME_NO_SYMBOL)
		return symbol == run ||
		       (symbol == game->wild && game->symbol[run].kind == SYMBOL_LINE);
	return symbol == game->wild || kind == SYMBOL_LINE || (kind == SYMBOL_JACKPOT && reel == 0);
}

static void walk_from(
	struct line_walk *walk, uint32_t reel, uint8_t run, const struct by_number *ways)
{
	const struct game *game = walk->game;

	if (reel == game->reels) {
		settle(walk, reel, *ways);
		return;
	}
	for (uint32_t s = 0; s < game->symbol_count; s++) {
		struct by_number next;

		if (nothing(walk->weight[reel][s]))
			continue;
		walk->window[game->line_cell[walk->line][reel]] = (uint8_t)s;
		next = times(ways, walk->weight[reel][s]);
		if (!lives(game, reel, run, (uint8_t)s))
			settle(walk, reel + 1, next);
		else
			walk_from(walk, reel + 1,
				run == GAME_NO_SYMBOL && s != game->wild ? (uint8_t)s : run, &next);
	}
}

static void weigh_cells(struct line_walk *walk, uint32_t set, uint32_t wild_reels)
{
	const struct game *game = walk->game;
	struct machine_column column[GAME_STRIP_MAX];

	memset(walk->weight, 0, sizeof(walk->weight));
	memset(walk->total, 0, sizeof(walk->total));
	for (uint32_t r = 0; r < game->reels; r++) {
		uint32_t columns = machine_columns(game, set, r, wild_reels, NULL, column);

		for (uint32_t i = 0; i < columns; i++) {
			uint8_t symbol = column[i].symbol[game->line[walk->line][r]];
			uint32_t number = 0;

			for (uint32_t row = 0; row < game->rows; row++)
				number += column[i].symbol[row] == walk->guaranteed ? 1 : 0;
			walk->weight[r][symbol][number] += column[i].weight;
			walk->total[r][number] += column[i].weight;
		}
	}
}

static int by_combination(const void *a, const void *b)
{
	const struct par_combination *x = a, *y = b;

	if (x->symbol != y->symbol)
		return (int)x->symbol - (int)y->symbol;
	if (x->count != y->count)
		return (int)y->count - (int)x->count;
	if (x->jackpot != y->jackpot)
		return x->jackpot ? -1 : 1;
	return (x->coins > y->coins) - (x->coins < y->coins);
}

static void sum_return(struct par_combinations *list)
{
	mpz_t product;

	mpz_init(product);
	mpz_set_ui(mpq_numref(list->return_), 0);
	for (uint32_t i = 0; i < list->count; i++) {
		mpz_mul_ui(product, list->of[i].hits, list->of[i].coins);
		mpz_add(mpq_numref(list->return_), mpq_numref(list->return_), product);
	}
	mpz_mul_ui(mpq_denref(list->return_), list->cycle, list->lines);
	mpq_canonicalize(list->return_);
	mpz_clear(product);
}

void par_combinations_init(struct par_combinations *list, const struct spin_figures *figures,
	const struct exact_wager *wager)
{
	const struct game_mode *mode = figures->mode;
	struct line_walk walk = { .game = figures->game,
		.terms = figures->terms,
		.guaranteed = GAME_NO_SYMBOL,
		.list = list };
	struct by_number one = { { 1 } };

	*list = (struct par_combinations){ .lines = wager->lines,
		.of = calloc(PAR_COMBINATIONS_MAX, sizeof(*list->of)) };
	if (list->of == NULL)
		par_refuse("out of memory for %s", figures->game->id);
	mpz_init_set(list->cycle, figures->total);
	mpq_init(list->return_);
	walk.terms.progressive = wager_live(figures->game, wager);
	if (mode && mode->guarantee == GUARANTEE_SYMBOLS) {
		walk.guaranteed = mode->guarantee_symbol;
		walk.at_least = mode->guarantee_min;
	}
	for (uint32_t i = 0; i < position_count(mode); i++)
		for (walk.line = 0; walk.line < wager->lines; walk.line++) {
			walk.position_weight = position_weight(mode, i);
			weigh_cells(&walk, figures->set, position_reels(mode, i));
			walk_from(&walk, 0, GAME_NO_SYMBOL, &one);
		}
	qsort(list->of, list->count, sizeof(*list->of), by_combination);
	sum_return(list);
}

void par_combinations_clear(struct par_combinations *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		mpz_clears(list->of[i].hits, list->of[i].with_wilds, NULL);
	free(list->of);
	mpz_clear(list->cycle);
	mpq_clear(list->return_);
	*list = (struct par_combinations){ .count = 0 };
}
