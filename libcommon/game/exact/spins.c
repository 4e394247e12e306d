#include "libcommon/game/exact/feature.h"

#include <assert.h>
#include <stdlib.h>

/* ---- positions of bought wild reels ---- */

uint32_t position_count(const struct game_mode *mode)
{
	return mode && mode->position_count > 0 ? mode->position_count : 1;
}

uint32_t position_reels(const struct game_mode *mode, uint32_t index)
{
	return mode && mode->position_count > 0 ? mode->position[index].reels : 0;
}

uint64_t position_weight(const struct game_mode *mode, uint32_t index)
{
	return mode && mode->position_count > 0 ? mode->position[index].weight : 1;
}

bool wager_live(const struct game *game, const struct exact_wager *wager)
{
	const struct jackpot_symbols *rules = &game->jackpot_symbols;

	return rules->symbol != GAME_NO_SYMBOL && (!rules->max_bet_only || wager->max);
}

/* ---- what is counted ---- */

void count_symbol(struct spin_figures *figures, uint8_t symbol)
{
	struct counters *counters = &figures->counters;

	if (symbol == GAME_NO_SYMBOL)
		return;
	for (uint32_t i = 0; i < counters->count; i++)
		if (counters->symbol[i] == symbol)
			return;
	assert(counters->count < COUNTERS_MAX);
	for (uint32_t s = 0; s < figures->game->symbol_count; s++)
		if (game_counts_as(figures->game, symbol) >> s & 1)
			counters->tag_of[s] += UINT32_C(1) << (COUNTER_BITS * counters->count);
	counters->symbol[counters->count++] = symbol;
}

static void count_symbols(struct spin_figures *figures)
{
	const struct game *game = figures->game;

	for (uint32_t i = 0; i < game->scatter_symbols; i++)
		count_symbol(figures, game->scatter[i]);
	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_exacts[f]->count && exact_offered(game, f))
			feature_exacts[f]->count(figures);
	if (figures->mode && figures->mode->guarantee == GUARANTEE_SYMBOLS)
		count_symbol(figures, figures->mode->guarantee_symbol);
	if (game->jackpot_symbols.anywhere)
		count_symbol(figures, game->jackpot_symbols.symbol);
}

/* ---- means ---- */

/* The lines of every number of lines, averaged over the positions. */
static void line_means(struct spin_figures *figures, bool live, mpq_t *coins)
{
	const struct game *game = figures->game;
	struct lines_input input = {
		.game = game, .lines = game->line_count, .terms = figures->terms
	};
	uint32_t positions = position_count(figures->mode);
	uint64_t weight = 0;
	mpq_t *of = malloc(game->line_count * sizeof(*of));

	if (of == NULL)
		abort(); /* as GMP does */
	for (uint32_t l = 0; l < game->line_count; l++)
		mpq_init(of[l]);
	input.terms.progressive = live;
	for (uint32_t i = 0; i < positions; i++)
		weight += position_weight(figures->mode, i);
	for (uint32_t i = 0; i < positions; i++) {
		for (uint32_t r = 0; r < game->reels; r++)
			cell_weights_strip(game, figures->set, r, position_reels(figures->mode, i),
				&input.reel[r]);
		lines_prefixes(&input, of, NULL);
		for (uint32_t l = 0; l < game->line_count; l++)
			mpq_add_scaled(coins[l], of[l], position_weight(figures->mode, i), weight);
	}
	for (uint32_t l = 0; l < game->line_count; l++)
		mpq_clear(of[l]);
	free(of);
}

static bool line_coins_new(struct spin_figures *figures, uint32_t live)
{
	uint32_t lines = figures->game->line_count;

	figures->coins[live] = malloc(lines * sizeof(mpq_t));
	if (figures->coins[live] == NULL)
		return false;
	for (uint32_t l = 0; l < lines; l++)
		mpq_init(figures->coins[live][l]);
	line_means(figures, live != 0, figures->coins[live]);
	return true;
}

/* The mixture over tags of what does not depend on the bet. */
static void attached_means(struct spin_figures *figures)
{
	const struct game *game = figures->game;
	const struct jackpot_symbols *jackpot = &game->jackpot_symbols;
	struct spin_yield yield;
	mpq_t p;

	mpq_init(p);
	for (uint32_t i = 0; i < figures->row_count; i++) {
		uint32_t tag = figures->row[i].tag;

		mpq_set_z(p, figures->row[i].n);
		mpz_set(mpq_denref(p), figures->total);
		mpq_canonicalize(p);
		tag_yield(figures, tag, NULL, &yield);
		yield_mix(&figures->always, p, &yield);
		yield_free(&yield);
		for (uint32_t f = 0; f < FEATURES; f++)
			if (feature_exacts[f]->follows_bet && exact_offered(game, f) &&
				feature_exacts[f]->follows_bet(figures, tag))
				mpq_add(figures->follows[f], figures->follows[f], p);
		if (jackpot->anywhere &&
			tag_count(&figures->counters, tag, jackpot->symbol) >= jackpot->count)
			mpq_add(figures->anywhere, figures->anywhere, p);
	}
	mpq_clear(p);
}

static bool means_new(struct spin_figures *figures)
{
	if (!line_coins_new(figures, 0))
		return false;
	if (figures->game->jackpot_symbols.symbol != GAME_NO_SYMBOL && !line_coins_new(figures, 1))
		return false;
	if (spin_tags(figures) != EXACT_OK)
		return false;
	attached_means(figures);
	return true;
}

static bool keeps_guarantee(const struct spin_figures *figures)
{
	return figures->mode && figures->mode->guarantee != GUARANTEE_NONE;
}

static bool features_open(struct spin_figures *figures)
{
	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_exacts[f]->open && exact_offered(figures->game, f) &&
			!feature_exacts[f]->open(figures))
			return false;
	return true;
}

struct spin_figures *spin_figures_new(const struct game *game, const struct game_mode *mode,
	enum spin_context context, enum exact_depth depth)
{
	struct spin_figures *figures = calloc(1, sizeof(*figures));

	if (figures == NULL)
		return NULL;
	figures->game = game;
	figures->mode = mode;
	figures->context = context;
	figures->depth = depth;
	figures->set = mode ? mode->strips : game->free_spins.strips;
	figures->terms = line_terms_plain();
	if (mode == NULL) {
		figures->terms.multiplier = game->free_spins.line_multiplier;
		figures->terms.wild_multiplier_count = game->free_spins.wild_multiplier_count;
		figures->terms.wild_multiplier = game->free_spins.wild_multiplier;
	}
	count_symbols(figures);
	mpz_init(figures->total);
	mpq_init(figures->anywhere);
	for (uint32_t f = 0; f < FEATURES; f++)
		mpq_init(figures->follows[f]);
	yield_init(&figures->always, EXACT_RETURN);
	if (!features_open(figures) ||
		(depth == EXACT_RETURN && !keeps_guarantee(figures) && !means_new(figures)))
		spin_figures_free(&figures);
	return figures;
}

void spin_figures_free(struct spin_figures **figures)
{
	struct spin_figures *f = *figures;

	if (f == NULL)
		return;
	spin_rows_clear(f);
	for (uint32_t live = 0; live < 2; live++) {
		for (uint32_t l = 0; f->coins[live] && l < f->game->line_count; l++)
			mpq_clear(f->coins[live][l]);
		free(f->coins[live]);
	}
	for (uint32_t i = 0; i < FEATURES; i++) {
		if (feature_exacts[i]->close && f->own[i])
			feature_exacts[i]->close(f);
		mpq_clear(f->follows[i]);
	}
	yield_free(&f->always);
	mpq_clear(f->anywhere);
	mpz_clear(f->total);
	free(f->row);
	free(f->win);
	free(f);
	*figures = NULL;
}

/* ---- the yield of a bet ---- */

static void set_jackpot(
	struct spin_yield *yield, const struct exact_wager *wager, const mpq_t number)
{
	mpq_add(yield->event[EVENT_JACKPOT], yield->event[EVENT_JACKPOT], number);
	mpq_mul(yield->win[SOURCE_JACKPOT], yield->event[EVENT_JACKPOT], wager->jackpot);
}

/* Means: of the lines, of the tags, and of what depends on the bet. */
static void means_yield(const struct spin_figures *figures, const struct exact_wager *wager,
	struct spin_yield *yield)
{
	const struct game *game = figures->game;
	bool live = wager_live(game, wager);
	struct spin_yield at_bet;
	mpq_t p;

	mpq_init(p);
	mpq_set_ui(p, 1, 1);
	yield_mix(yield, p, &figures->always);
	mpq_add_scaled(yield->win[SOURCE_LINES], figures->coins[live ? 1 : 0][wager->lines - 1], 1,
		wager->lines);
	for (uint32_t f = 0; f < FEATURES; f++)
		if (mpq_sgn(figures->follows[f]) > 0) {
			feature_exacts[f]->at_bet(game, wager, EXACT_RETURN, &at_bet);
			yield_mix(yield, figures->follows[f], &at_bet);
			yield_free(&at_bet);
		}
	if (live) {
		if (game->jackpot_symbols.anywhere)
			mpq_set(p, figures->anywhere);
		else
			jackpot_on_lines(figures, wager->lines, p);
		set_jackpot(yield, wager, p);
	}
	mpq_clear(p);
}

/* num / (n scale) */
static void per_window(mpq_t q, const mpz_t num, const struct spin_row *row, uint64_t scale)
{
	mpq_set_z(q, num);
	mpz_mul_ui(mpq_denref(q), row->n, scale);
	mpq_canonicalize(q);
}

/* The wins of the lines in the windows of one row, with the progressive on lines at its seed. */
static void row_lines(const struct spin_figures *figures, const struct spin_row *row,
	const struct exact_wager *wager, struct spin_yield *yield_r)
{
	uint64_t lines = wager->lines;
	mpq_t both, square;

	yield_init(yield_r, figures->depth);
	per_window(yield_r->win[SOURCE_LINES], row->coins, row, lines);
	per_window(yield_r->event[EVENT_JACKPOT], row->jackpots, row, 1);
	mpq_mul(yield_r->win[SOURCE_JACKPOT], yield_r->event[EVENT_JACKPOT], wager->jackpot);
	if (figures->depth != EXACT_ALL)
		return;
	mpq_inits(both, square, NULL);
	per_window(yield_r->win2, row->coins2, row, lines * lines);
	per_window(both, row->jackpot_coins, row, lines);
	mpq_mul(both, both, wager->jackpot);
	mpq_add_scaled(yield_r->win2, both, 2, 1);
	mpq_mul(square, wager->jackpot, wager->jackpot);
	mpq_add_product(yield_r->win2, square, yield_r->event[EVENT_JACKPOT]);
	per_window(both, row->nothing, row, 1);
	yield_zero_add(yield_r, 0, both);
	mpq_clears(both, square, NULL);
}

static void rows_yield(const struct spin_figures *figures, const struct exact_wager *wager,
	struct spin_yield *yield)
{
	struct spin_yield of_row, lines;
	mpq_t p;

	mpq_init(p);
	for (uint32_t i = 0; i < figures->row_count; i++) {
		const struct spin_row *row = &figures->row[i];

		tag_yield(figures, row->tag, wager, &of_row);
		row_lines(figures, row, wager, &lines);
		yield_join(&of_row, &lines);
		mpq_set_z(p, row->n);
		mpz_set(mpq_denref(p), figures->total);
		mpq_canonicalize(p);
		yield_mix(yield, p, &of_row);
		yield_free(&lines);
		yield_free(&of_row);
	}
	mpq_clear(p);
}

enum exact_status spin_figures_yield(
	struct spin_figures *figures, const struct exact_wager *wager, struct spin_yield *yield_r)
{
	bool live = wager_live(figures->game, wager);
	enum exact_status status = EXACT_OK;

	yield_init(yield_r, figures->depth);
	if (figures->depth == EXACT_RETURN && !keeps_guarantee(figures)) {
		means_yield(figures, wager, yield_r);
		return EXACT_OK;
	}
	if (!figures->has_rows || figures->row_lines != wager->lines || figures->row_live != live)
		status = spin_rows(figures, wager->lines, live);
	if (status == EXACT_OK)
		rows_yield(figures, wager, yield_r);
	return status;
}
