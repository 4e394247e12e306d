/* Joint weights of two cells of a reel: of the window itself, of the window with some cells
 * covered, and of its counted symbols. */
#include "libcommon/game/core/reels.h"
#include "libcommon/game/features/collect-and-unlock/exact_windows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Least common multiple of the binomials of up to GAME_ROWS_MAX rows' subsets. */
static uint64_t subsets_scale(uint32_t rows)
{
	static const uint8_t scale[GAME_ROWS_MAX + 1] = { 1, 1, 2, 3, 12, 10 };

	return scale[rows];
}

uint64_t unlock_subsets(
	const struct game *game, const struct choices *counts, uint64_t weight_r[UNLOCK_SUBSETS])
{
	uint32_t rows = game->rows;
	uint64_t scale = counts ? subsets_scale(rows) : 1;

	memset(weight_r, 0, UNLOCK_SUBSETS * sizeof(*weight_r));
	if (!counts) {
		weight_r[0] = 1;
		return 1;
	}
	for (uint32_t i = 0; i < counts->count; i++) {
		uint32_t sets = row_sets(rows, counts->of[i].x);

		for (uint32_t k = 0; k < sets; k++)
			weight_r[row_set(rows, counts->of[i].x, k)] +=
				counts->of[i].weight * (scale / sets);
	}
	return counts->weight * scale;
}

/* RULE witch-feature 5.8 */
uint64_t unlock_covered(
	const struct game *game, uint64_t column, uint32_t rows, uint8_t symbol, uint8_t kept)
{
	for (uint32_t row = 0; row < game->rows; row++) {
		uint32_t at = 8 * row;
		uint8_t shown = (uint8_t)(column >> at);

		if ((rows >> row & 1) && shown != kept)
			column ^= (uint64_t)(shown ^ symbol) << at;
	}
	return column;
}

uint64_t unlock_column(
	const struct game *game, uint32_t set, uint32_t reel, uint32_t stop, uint8_t *colour_r)
{
	struct reel_column column;
	uint64_t packed = 0;

	reel_column(game, set, reel, stop, 0, &column);
	for (uint32_t row = 0; row < game->rows; row++)
		packed |= (uint64_t)column.symbol[row] << (8 * row);
	*colour_r = column.collectible;
	return packed;
}

/* At most one scatter of each kind shows on a reel: a column is the mask of those it shows. */
static uint64_t counted_column(const struct game *game, uint64_t column)
{
	uint64_t mask = 0;

	for (uint32_t i = 0; i < game->scatter_symbols; i++)
		for (uint32_t row = 0; row < game->rows; row++)
			if ((uint8_t)(column >> (8 * row)) == game->scatter[i])
				mask |= UINT64_C(1) << i;
	return mask;
}

static uint64_t seen_by(
	const struct unlock_view *view, const struct game *game, uint64_t column, uint32_t rows)
{
	switch (view->kind) {
	case VIEW_WINDOW:
		return column;
	case VIEW_COVERED:
		return unlock_covered(game, column, rows, view->symbol, view->kept);
	case VIEW_COUNTED:
		return counted_column(game, column);
	}
	return 0;
}

/* ---- views as sides of a product ---- */

/* The stops of a reel, unchanged and as the view changes them. */
#define COLUMNS_MAX ((size_t)2 * GAME_STRIP_MAX)

static bool view_lines(struct unlock_view *view, const struct game *game, uint32_t set)
{
	struct machine_column *columns =
		unlock_take(GAME_REELS_MAX * COLUMNS_MAX * sizeof(*columns));
	struct machine_input input = { .game = game,
		.lines = view->lines,
		.extra = view->extra,
		.cover = view->symbol,
		.covers_for = view->revealed };
	bool built;

	for (uint32_t r = 0; r < game->reels; r++) {
		struct machine_column *column = columns + r * COLUMNS_MAX;
		uint32_t length = game->strips[set].reel[r].length;

		memset(column, 0, (size_t)2 * length * sizeof(*column));
		for (uint32_t stop = 0; stop < length; stop++) {
			uint8_t colour;
			uint64_t shown = unlock_column(game, set, r, stop, &colour);

			for (uint32_t row = 0; row < game->rows; row++) {
				uint8_t *cell = &column[stop].symbol[row];

				*cell = (uint8_t)(shown >> (8 * row));
				column[length + stop].symbol[row] = view->kind == VIEW_COVERED
									    ? view->symbol
								    : view->wild ? game->wild
										 : *cell;
			}
			column[stop].weight = column[length + stop].weight = 1;
		}
		input.reel[r] = (struct machine_reel){ .column = column, .count = 2 * length };
	}
	built = line_automaton_build(&input, &view->automaton);
	unlock_give(columns, GAME_REELS_MAX * COLUMNS_MAX * sizeof(*columns));
	return built;
}

/* Counts as an automaton: a node for each code, the counts of each kind as digits. */
static uint32_t code_of(const struct game *game, uint32_t mask)
{
	uint32_t code = 0, place = 1;

	for (uint32_t i = 0; i < game->scatter_symbols; i++, place *= game->reels + 1)
		code += mask >> i & 1 ? place : 0;
	return code;
}

static uint32_t code_gain(const struct unlock_view *view, const struct game *game, uint32_t code)
{
	uint32_t pay = 0, awards = 0;

	for (uint32_t i = 0; i < game->scatter_symbols; i++, code /= game->reels + 1) {
		uint32_t count = code % (game->reels + 1);

		pay += game->symbol[game->scatter[i]].pay[count];
		if (game->scatter[i] == game->free_spins.award_symbol)
			awards += game->free_spins.award[CONTEXT_BASE][count];
	}
	return view->awards ? awards : pay * view->lines;
}

static void view_counts(struct unlock_view *view, const struct game *game)
{
	uint32_t codes = code_of(game, (1u << game->scatter_symbols) - 1) * game->reels + 1;
	uint32_t symbols = 1u << game->scatter_symbols;

	memset(&view->automaton, 0, sizeof(view->automaton));
	view->automaton.reels = game->reels;
	for (uint32_t r = 0; r < game->reels; r++) {
		struct line_level *level = &view->automaton.level[r];
		size_t edges = (size_t)(codes + 1) * symbols;

		*level = (struct line_level){ .symbols = symbols, .nodes = codes + 1 };
		level->row = calloc(codes + 1, sizeof(*level->row));
		level->edge = calloc(edges, sizeof(*level->edge));
		assert(level->row && level->edge);
		for (uint32_t mask = 0; mask < symbols; mask++) {
			level->symbol[mask] = level->index[mask] = (uint8_t)mask;
			for (uint32_t code = 0; code + code_of(game, mask) < codes; code++) {
				uint32_t to = code + code_of(game, mask);
				struct line_edge *edge = &level->edge[(code + 1) * symbols + mask];

				if (r + 1 < game->reels)
					edge->node = to + 1;
				else
					edge->gain = code_gain(view, game, to);
			}
		}
	}
	view->automaton.root[0] = 1;
	for (uint32_t code = 0; code < codes; code++)
		if (code_gain(view, game, code) > view->automaton.win_max)
			view->automaton.win_max = code_gain(view, game, code);
	view->nothing = view->automaton.win_max == 0;
}

void unlock_view_open(struct unlock_view *view, const struct game *game, uint32_t set)
{
	bool built = true;

	if (view->kind == VIEW_COUNTED)
		view_counts(view, game);
	else
		built = view_lines(view, game, set);
	assert(built);
	view->side = (struct pair_side){ .lines = &view->automaton,
		.line_count = view->kind == VIEW_COUNTED ? 1 : view->lines,
		.rows = view->kind == VIEW_COUNTED ? 1 : game->rows,
		.symbols = view->kind == VIEW_COUNTED ? 1u << game->scatter_symbols
						      : game->symbol_count,
		.unit = 1 };
	pair_side_open(&view->side);
}

void unlock_view_close(struct unlock_view *view)
{
	pair_side_close(&view->side);
	line_automaton_free(&view->automaton);
}

/* ---- joint reels ---- */

static void joint_stop(const struct unlock_pair *pair, uint64_t column, uint64_t weight,
	const uint64_t subset[UNLOCK_SUBSETS], struct pair_reel *joint)
{
	const struct game *game = pair->game;
	bool covers = pair->a->kind == VIEW_COVERED || pair->b->kind == VIEW_COVERED;
	uint64_t scale = 0;

	for (uint32_t rows = 0; rows < UNLOCK_SUBSETS; rows++)
		scale += subset[rows];
	if (!covers) {
		pair_reel_add(joint, &pair->a->side, &pair->b->side,
			seen_by(pair->a, game, column, 0), seen_by(pair->b, game, column, 0),
			weight * scale);
		return;
	}
	for (uint32_t rows = 0; rows < UNLOCK_SUBSETS; rows++)
		if (subset[rows] > 0)
			pair_reel_add(joint, &pair->a->side, &pair->b->side,
				seen_by(pair->a, game, column, rows),
				seen_by(pair->b, game, column, rows), weight * subset[rows]);
}

uint64_t unlock_pair_reel(
	const struct unlock_pair *pair, uint32_t reel, uint32_t colour, struct pair_reel *joint_r)
{
	const struct game *game = pair->game;
	const struct game_strip *strip = &game->strips[pair->set].reel[reel];
	uint64_t subset[UNLOCK_SUBSETS];
	uint64_t scale = unlock_subsets(game, pair->counts ? &pair->counts[reel] : NULL, subset);

	pair_reel_init(joint_r, &pair->a->side, &pair->b->side);
	for (uint32_t stop = 0; stop < strip->length; stop++) {
		uint8_t shown;
		uint64_t column = unlock_column(game, pair->set, reel, stop, &shown);

		if (colour != UNLOCK_ANY && shown != colour)
			continue;
		if (pair->forced)
			column = unlock_covered(
				game, column, pair->forced[reel], game->wild, GAME_NO_SYMBOL);
		joint_stop(pair, column, strip->stop_weight[stop], subset, joint_r);
	}
	return strip->weight * scale;
}
