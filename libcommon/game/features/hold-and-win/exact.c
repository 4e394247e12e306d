#include "libcommon/game/features/hold-and-win/exact.h"

#include <stdlib.h>

/* ---- what the cells are worth ----
 *
 * m cells have independent contents: b is the part of a cell that is multiplied (its value or
 * award), x its multiplier (1 except for multipliers), o its own value at the end. The win is X B +
 * O: X the product of all x, B the sum of all b, O of all o. A multiplier has no b, so b x = b in
 * each cell, and every expectation is a sum over cells, or pairs of cells, of products of single
 * cells' moments. */

/* One cell's moments; with sub-probabilities where some multipliers are left out. */
struct cell_moments {
	mpq_t mass;   /* of all its possible contents */
	mpq_t x, x2;  /* E[x], E[x^2] */
	mpq_t b, b2;  /* E[b], E[b^2] */
	mpq_t o, o2;  /* E[o], E[o^2] */
	mpq_t xo, bo; /* E[x o], E[b o] */
};

static void cell_init(struct cell_moments *cell)
{
	mpq_inits(cell->mass, cell->x, cell->x2, cell->b, cell->b2, cell->o, cell->o2, cell->xo,
		cell->bo, NULL);
}

static void cell_clear(struct cell_moments *cell)
{
	mpq_clears(cell->mass, cell->x, cell->x2, cell->b, cell->b2, cell->o, cell->o2, cell->xo,
		cell->bo, NULL);
}

/* The sum of weight x^power over a table, as the numerator of its total weight. */
static void table_moment(
	const struct choices *table, uint32_t power, uint32_t below, uint64_t den, mpq_t moment_r)
{
	mpz_t term;

	mpz_init(term);
	mpq_set_ui(moment_r, 0, 1);
	for (uint32_t i = 0; i < table->count; i++) {
		if (table->of[i].x >= below)
			continue;
		mpz_ui_pow_ui(term, table->of[i].x, power);
		mpz_addmul_ui(mpq_numref(moment_r), term, table->of[i].weight);
	}
	mpz_set_ui(mpq_denref(moment_r), den);
	mpq_canonicalize(moment_r);
	mpz_clear(term);
}

static uint64_t award_weight(const struct hold_rules *hold, bool exclude)
{
	uint64_t weight = 0;

	for (uint32_t i = 0; i < hold->award_count; i++)
		if (!(exclude && hold->award[i].excluded))
			weight += hold->award[i].weight;
	return weight;
}

static void award_moment(
	const struct hold_rules *hold, bool exclude, uint32_t power, mpq_t moment_r)
{
	uint64_t weight = award_weight(hold, exclude);
	mpz_t term;

	mpz_init(term);
	mpq_set_ui(moment_r, 0, 1);
	for (uint32_t i = 0; i < hold->award_count; i++) {
		if (exclude && hold->award[i].excluded)
			continue;
		mpz_ui_pow_ui(term, hold->award[i].x, power);
		mpz_addmul_ui(mpq_numref(moment_r), term, hold->award[i].weight);
	}
	if (weight > 0)
		mpz_set_ui(mpq_denref(moment_r), weight);
	mpq_canonicalize(moment_r);
	mpz_clear(term);
}

static uint64_t carry_weight(const struct hold_rules *hold)
{
	return (uint64_t)hold->value.weight + hold->mystery_weight + hold->multiplier_weight;
}

/* x with probability num / den, as a term of one of the cell's sums. */
static void add_term(mpq_t sum, const mpq_t x, uint64_t num, uint64_t den)
{
	mpq_add_scaled(sum, x, num, den);
}

/* `below`: only multipliers below it; `exclude`: awards without the excluded. */
static void cell_fill(
	struct cell_moments *cell, const struct hold_rules *hold, uint32_t below, bool exclude)
{
	uint64_t all = carry_weight(hold), value = hold->value.weight;
	uint64_t mystery = hold->mystery_weight, multiplier = hold->multiplier_weight;
	uint64_t tables = hold->multiplier.weight > 0 ? hold->multiplier.weight : 1;
	mpq_t one, v1, v2, a1, a2, z0, z1, z2, t;

	mpq_inits(one, v1, v2, a1, a2, z0, z1, z2, t, NULL);
	mpq_set_ui(one, 1, 1);
	table_moment(&hold->value, 1, UINT32_MAX, value > 0 ? value : 1, v1);
	table_moment(&hold->value, 2, UINT32_MAX, value > 0 ? value : 1, v2);
	award_moment(hold, exclude, 1, a1);
	award_moment(hold, exclude, 2, a2);
	table_moment(&hold->multiplier, 0, below, tables, z0);
	table_moment(&hold->multiplier, 1, below, tables, z1);
	table_moment(&hold->multiplier, 2, below, tables, z2);
	add_term(cell->mass, one, value + mystery, all);
	mpq_set(cell->x, cell->mass);
	mpq_set(cell->x2, cell->mass);
	add_term(cell->mass, z0, multiplier, all);
	add_term(cell->x, z1, multiplier, all);
	add_term(cell->x2, z2, multiplier, all);
	add_term(cell->b, v1, value, all);
	add_term(cell->b, a1, mystery, all);
	add_term(cell->b2, v2, value, all);
	add_term(cell->b2, a2, mystery, all);
	mpq_mul(t, v1, z0);
	add_term(cell->o, v1, mystery, all);
	add_term(cell->o, t, multiplier, all);
	mpq_mul(t, v2, z0);
	add_term(cell->o2, v2, mystery, all);
	add_term(cell->o2, t, multiplier, all);
	mpq_mul(t, v1, z1);
	add_term(cell->xo, v1, mystery, all);
	add_term(cell->xo, t, multiplier, all);
	mpq_mul(t, a1, v1);
	add_term(cell->bo, t, mystery, all);
	mpq_clears(one, v1, v2, a1, a2, z0, z1, z2, t, NULL);
}

static void power(mpq_t result, const mpq_t x, uint32_t n)
{
	mpz_pow_ui(mpq_numref(result), mpq_numref(x), n);
	mpz_pow_ui(mpq_denref(result), mpq_denref(x), n);
}

/* sum += factor * u * v * base^n */
static void add_cells(
	mpq_t sum, uint64_t factor, const mpq_t u, const mpq_t v, const mpq_t base, uint32_t n)
{
	mpq_t t;

	mpq_init(t);
	power(t, base, n);
	mpq_mul(t, t, u);
	mpq_mul(t, t, v);
	mpq_add_scaled(sum, t, factor, 1);
	mpq_clear(t);
}

/* E[X B + O] and E[(X B + O)^2] of m cells. */
static void cells_worth(const struct cell_moments *cell, uint32_t m, mpq_t worth_r, mpq_t worth2_r)
{
	uint64_t pairs = (uint64_t)m * (m - 1);
	mpq_t one;

	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	mpq_set_ui(worth_r, 0, 1);
	mpq_set_ui(worth2_r, 0, 1);
	add_cells(worth_r, m, cell->b, one, cell->x, m - 1);
	add_cells(worth_r, m, cell->o, one, cell->mass, m - 1);
	add_cells(worth2_r, m, cell->b2, one, cell->x2, m - 1);
	add_cells(worth2_r, 2 * (uint64_t)m, cell->bo, one, cell->x, m - 1);
	add_cells(worth2_r, m, cell->o2, one, cell->mass, m - 1);
	if (m > 1) {
		add_cells(worth2_r, pairs, cell->b, cell->b, cell->x2, m - 2);
		add_cells(worth2_r, 2 * pairs, cell->b, cell->xo, cell->x, m - 2);
		add_cells(worth2_r, pairs, cell->o, cell->o, cell->mass, m - 2);
	}
	mpq_clear(one);
}

/* The cells with all multipliers and the awards not excluded; with only small multipliers, which
 * exclude nothing; and the latter with the exclusion, to be subtracted. RULE mystery-elves 3.11 */
struct hold_cells {
	struct cell_moments all, small, small_excluded;
};

static void hold_cells_init(struct hold_cells *cells, const struct hold_rules *hold)
{
	cell_init(&cells->all);
	cell_init(&cells->small);
	cell_init(&cells->small_excluded);
	cell_fill(&cells->all, hold, UINT32_MAX, true);
	cell_fill(&cells->small, hold, hold->exclude_from, false);
	cell_fill(&cells->small_excluded, hold, hold->exclude_from, true);
}

static void hold_cells_clear(struct hold_cells *cells)
{
	cell_clear(&cells->all);
	cell_clear(&cells->small);
	cell_clear(&cells->small_excluded);
}

static void filled_worth(const struct hold_cells *cells, const struct hold_rules *hold, uint32_t m,
	bool full, mpq_t worth_r, mpq_t worth2_r)
{
	uint32_t factor = full ? hold->full_multiplier : 1;
	mpq_t w, w2;

	mpq_inits(w, w2, NULL);
	cells_worth(&cells->all, m, worth_r, worth2_r);
	cells_worth(&cells->small, m, w, w2);
	mpq_add(worth_r, worth_r, w);
	mpq_add(worth2_r, worth2_r, w2);
	cells_worth(&cells->small_excluded, m, w, w2);
	mpq_sub(worth_r, worth_r, w);
	mpq_sub(worth2_r, worth2_r, w2);
	mpq_set_u64(w, factor, 1);
	mpq_mul(worth_r, worth_r, w);
	mpq_mul(w, w, w);
	mpq_mul(worth2_r, worth2_r, w);
	mpq_clears(w, w2, NULL);
}

/* Expected number of one award among m cells. */
static void filled_awards(const struct hold_cells *cells, const struct hold_rules *hold, uint32_t m,
	uint32_t award, mpq_t number_r)
{
	const struct hold_award *one = &hold->award[award];
	uint64_t mystery = (uint64_t)m * hold->mystery_weight;
	mpq_t others, p;

	mpq_inits(others, p, NULL);
	mpq_set_ui(number_r, 0, 1);
	power(others, cells->small.mass, m - 1);
	mpq_set_u64(p, one->weight, award_weight(hold, false));
	mpq_mul(p, p, others);
	mpq_add_scaled(number_r, p, mystery, carry_weight(hold));
	if (!one->excluded) {
		mpq_set_ui(p, 1, 1);
		mpq_sub(others, p, others);
		mpq_set_u64(p, one->weight, award_weight(hold, true));
		mpq_mul(p, p, others);
		mpq_add_scaled(number_r, p, mystery, carry_weight(hold));
	}
	mpq_clears(others, p, NULL);
}

/* ---- how many cells are filled at the end ----
 *
 * From f filled cells with all R respins left, a symbol lands in each of the c free cells with
 * probability in/of. Either j of them land, at the first respin or after respins without one, or
 * none lands in all R. Everything is scaled to whole numbers, by of^(c R) for each f up to the
 * last. */
struct chain {
	uint32_t cells, respins;
	uint64_t in, out, of;
	mpz_t scale[GAME_CELLS_MAX + 1]; /* [f]: product over f' = f .. cells - 1 */
};

static void chain_init(struct chain *chain, const struct game *game)
{
	chain->cells = game->reels * game->rows;
	chain->respins = game->hold.respins;
	chain->in = game->hold.cell.in;
	chain->of = game->hold.cell.of;
	chain->out = chain->of - chain->in;
	for (uint32_t f = chain->cells + 1; f-- > 0;) {
		mpz_init(chain->scale[f]);
		if (f == chain->cells) {
			mpz_set_ui(chain->scale[f], 1);
			continue;
		}
		mpz_ui_pow_ui(chain->scale[f], chain->of,
			(unsigned long)(chain->cells - f) * chain->respins);
		mpz_mul(chain->scale[f], chain->scale[f], chain->scale[f + 1]);
	}
}

static void chain_clear(struct chain *chain)
{
	for (uint32_t f = 0; f <= chain->cells; f++)
		mpz_clear(chain->scale[f]);
}

/* The sum over the number of respins without a landing before one lands. */
static void chain_waits(const struct chain *chain, unsigned long free_cells, mpz_t waits_r)
{
	mpz_t t;

	mpz_init(t);
	mpz_set_ui(waits_r, 0);
	for (uint32_t i = 0; i < chain->respins; i++) {
		mpz_t of;

		mpz_init(of);
		mpz_ui_pow_ui(t, chain->out, free_cells * i);
		mpz_ui_pow_ui(of, chain->of, free_cells * (chain->respins - 1 - i));
		mpz_addmul(waits_r, t, of);
		mpz_clear(of);
	}
	mpz_clear(t);
}

/* One step back: the scaled value of f filled cells from those of more. */
static void chain_step(const struct chain *chain, uint32_t f, const mpz_t end, mpz_t *value)
{
	uint32_t c = chain->cells - f;
	mpz_t waits, way, t;

	mpz_inits(waits, way, t, NULL);
	chain_waits(chain, c, waits);
	mpz_ui_pow_ui(t, chain->out, (unsigned long)c * chain->respins);
	mpz_mul(t, t, end);
	mpz_mul(value[f], t, chain->scale[f + 1]);
	for (uint32_t j = 1; j <= c; j++) {
		mpz_bin_uiui(way, c, j);
		mpz_ui_pow_ui(t, chain->in, j);
		mpz_mul(way, way, t);
		mpz_ui_pow_ui(t, chain->out, c - j);
		mpz_mul(way, way, t);
		mpz_mul(way, way, waits);
		mpz_divexact(t, chain->scale[f + 1], chain->scale[f + j]);
		mpz_mul(way, way, t);
		mpz_addmul(value[f], way, value[f + j]);
	}
	mpz_clears(waits, way, t, NULL);
}

/* Converts end[m], an expectation by the cells filled at the end, to one by the cells filled at the
 * start. */
static void chain_expect(const struct chain *chain, uint32_t from, mpq_t *end, mpq_t *start_r)
{
	mpz_t common, whole, value[GAME_CELLS_MAX + 1];

	mpz_inits(common, whole, NULL);
	mpz_set_ui(common, 1);
	for (uint32_t f = from; f <= chain->cells; f++)
		mpz_lcm(common, common, mpq_denref(end[f]));
	for (uint32_t f = chain->cells + 1; f-- > from;) {
		mpz_init(value[f]);
		mpz_divexact(whole, common, mpq_denref(end[f]));
		mpz_mul(whole, whole, mpq_numref(end[f]));
		if (f == chain->cells)
			mpz_set(value[f], whole);
		else
			chain_step(chain, f, whole, value);
		mpz_set(mpq_numref(start_r[f]), value[f]);
		mpz_mul(mpq_denref(start_r[f]), common, chain->scale[f]);
		mpq_canonicalize(start_r[f]);
	}
	for (uint32_t f = from; f <= chain->cells; f++)
		mpz_clear(value[f]);
	mpz_clears(common, whole, NULL);
}

/* ---- the feature ---- */

struct ends {
	mpq_t end[GAME_CELLS_MAX + 1], second[GAME_CELLS_MAX + 1], start[GAME_CELLS_MAX + 1];
};

static void ends_init(struct ends *ends)
{
	for (uint32_t f = 0; f <= GAME_CELLS_MAX; f++)
		mpq_inits(ends->end[f], ends->second[f], ends->start[f], NULL);
}

static void ends_clear(struct ends *ends)
{
	for (uint32_t f = 0; f <= GAME_CELLS_MAX; f++)
		mpq_clears(ends->end[f], ends->second[f], ends->start[f], NULL);
}

static void worth_yields(const struct hold_rules *hold, const struct chain *chain,
	const struct hold_cells *cells, struct ends *ends, struct hold_yields *yields)
{
	uint32_t from = yields->from, full = chain->cells;

	for (uint32_t m = from; m <= full; m++)
		filled_worth(cells, hold, m, m == full, ends->end[m], ends->second[m]);
	chain_expect(chain, from, ends->end, ends->start);
	for (uint32_t f = from; f <= full; f++)
		mpq_set(yields->start[f].win[SOURCE_HOLD], ends->start[f]);
	if (yields->start[from].depth != EXACT_ALL)
		return;
	chain_expect(chain, from, ends->second, ends->start);
	for (uint32_t f = from; f <= full; f++)
		mpq_set(yields->start[f].win2, ends->start[f]);
}

static void award_yields(const struct hold_rules *hold, const struct chain *chain,
	const struct hold_cells *cells, struct ends *ends, struct hold_yields *yields)
{
	uint32_t from = yields->from, full = chain->cells;

	for (uint32_t a = 0; a < hold->award_count; a++) {
		for (uint32_t m = from; m <= full; m++)
			filled_awards(cells, hold, m, a, ends->end[m]);
		chain_expect(chain, from, ends->end, ends->start);
		for (uint32_t f = from; f <= full; f++)
			mpq_set(yields->start[f].event[EVENT_AWARD + a], ends->start[f]);
	}
}

void hold_yields(const struct game *game, enum exact_depth depth, struct hold_yields *yields_r)
{
	const struct hold_rules *hold = &game->hold;
	struct chain chain;
	struct hold_cells cells;
	struct ends ends;

	chain_init(&chain, game);
	hold_cells_init(&cells, hold);
	ends_init(&ends);
	yields_r->from = hold->at_least > 0 ? hold->at_least : 1;
	yields_r->cells = chain.cells;
	for (uint32_t f = yields_r->from; f <= chain.cells; f++) {
		yield_init(&yields_r->start[f], depth); /* it always wins, so there are no zeros */
		mpq_set_ui(yields_r->start[f].event[EVENT_HOLD], 1, 1);
	}
	worth_yields(hold, &chain, &cells, &ends, yields_r);
	award_yields(hold, &chain, &cells, &ends, yields_r);
	for (uint32_t m = yields_r->from; m <= chain.cells; m++)
		mpq_set_ui(ends.end[m], m == chain.cells, 1);
	chain_expect(&chain, yields_r->from, ends.end, ends.start);
	for (uint32_t f = yields_r->from; f <= chain.cells; f++)
		mpq_set(yields_r->start[f].event[EVENT_HOLD_FULL], ends.start[f]);
	ends_clear(&ends);
	hold_cells_clear(&cells);
	chain_clear(&chain);
}

void hold_yields_free(struct hold_yields *yields)
{
	for (uint32_t f = yields->from; f <= yields->cells; f++)
		yield_free(&yields->start[f]);
}

/* ---- what the exact mathematics asks ---- */

const struct hold_yields *hold_yields_of(const struct spin_figures *figures)
{
	return figures->own[FEATURE_hold_and_win];
}

static void count(struct spin_figures *figures)
{
	if (figures->mode)
		count_symbol(figures, figures->game->hold.symbol);
}

/* Only paid spins start it. */
static bool open(struct spin_figures *figures)
{
	struct hold_yields *yields;

	if (figures->mode == NULL)
		return true;
	yields = malloc(sizeof(*yields));
	if (yields)
		hold_yields(figures->game, figures->depth, yields);
	figures->own[FEATURE_hold_and_win] = yields;
	return yields != NULL;
}

static void close(struct spin_figures *figures)
{
	hold_yields_free(figures->own[FEATURE_hold_and_win]);
	free(figures->own[FEATURE_hold_and_win]);
}

static void attach(const struct spin_figures *figures, uint32_t tag,
	const struct exact_wager *wager, struct spin_yield *yield)
{
	const struct hold_yields *yields = hold_yields_of(figures);
	uint32_t symbols = tag_count(&figures->counters, tag, figures->game->hold.symbol);

	(void)wager;
	if (yields && symbols >= yields->from)
		yield_join(yield, &yields->start[symbols]);
}

const struct feature_exact hold_and_win_exact = { .count = count,
	.open = open,
	.close = close,
	.attach = attach,
	.offer_most = hold_offer_most };
