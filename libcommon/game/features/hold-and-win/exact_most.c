/* The largest win of hold and win on a number of cells, and its probability. */
#include "libcommon/game/features/hold-and-win/exact.h"

/* The largest x of a table below a bound, and its weight. */
struct largest {
	uint32_t x;
	uint64_t weight; /* 0: there is none */
};

static void largest_add(struct largest *largest, uint32_t x, uint64_t weight)
{
	if (weight == 0)
		return;
	if (largest->weight > 0 && x == largest->x) {
		largest->weight += weight;
	} else if (largest->weight == 0 || x > largest->x) {
		largest->x = x;
		largest->weight = weight;
	}
}

static struct largest largest_of(const struct choices *table, uint32_t below)
{
	struct largest largest = { 0 };

	for (uint32_t i = 0; i < table->count; i++)
		if (table->of[i].x < below)
			largest_add(&largest, table->of[i].x, table->of[i].weight);
	return largest;
}

static struct largest largest_award(const struct hold_rules *hold, bool exclude, uint64_t *weight_r)
{
	struct largest largest = { 0 };

	*weight_r = 0;
	for (uint32_t i = 0; i < hold->award_count; i++) {
		if (exclude && hold->award[i].excluded)
			continue;
		*weight_r += hold->award[i].weight;
		largest_add(&largest, hold->award[i].x, hold->award[i].weight);
	}
	return largest;
}

/* The best of a cell, and its probability. */
struct best_cell {
	mpz_t worth;
	mpq_t p;
};

/* The best of a cell without a multiplier if the product of all multipliers is `product`. */
static void best_plain(
	const struct hold_rules *hold, bool exclude, const mpz_t product, struct best_cell *best)
{
	uint64_t all =
		(uint64_t)hold->value.weight + hold->mystery_weight + hold->multiplier_weight;
	struct largest value = largest_of(&hold->value, UINT32_MAX);
	uint64_t awards;
	struct largest award = largest_award(hold, exclude, &awards);
	mpz_t worth;
	mpq_t p;

	mpz_init(worth);
	mpq_init(p);
	mpz_mul_ui(best->worth, product, value.x);
	mpq_set_u64(best->p, value.weight, all);
	if (hold->mystery_weight > 0 && awards > 0) {
		mpz_mul_ui(worth, product, award.x);
		mpz_add_ui(worth, worth, value.x);
		mpq_set_u64(p, award.weight, awards);
		mpz_mul_ui(mpq_numref(p), mpq_numref(p), value.weight);
		mpz_mul_ui(mpq_denref(p), mpq_denref(p), hold->value.weight);
		mpz_mul_ui(mpq_numref(p), mpq_numref(p), hold->mystery_weight);
		mpz_mul_ui(mpq_denref(p), mpq_denref(p), all);
		mpq_canonicalize(p);
		if (mpz_cmp(worth, best->worth) > 0 || value.weight == 0) {
			mpz_set(best->worth, worth);
			mpq_set(best->p, p);
		} else if (mpz_cmp(worth, best->worth) == 0) {
			mpq_add(best->p, best->p, p);
		}
	}
	mpz_clear(worth);
	mpq_clear(p);
}

static void mpq_mul_power(mpq_t q, const mpq_t x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		mpq_mul(q, q, x);
}

/* k of the cells carry the multiplier, the others their best. */
static void most_with(const struct hold_rules *hold, uint32_t cells, uint32_t k,
	struct largest multiplier, mpz_t worth_r, mpq_t p_r)
{
	uint64_t all =
		(uint64_t)hold->value.weight + hold->mystery_weight + hold->multiplier_weight;
	struct largest value = largest_of(&hold->value, UINT32_MAX);
	struct best_cell best;
	mpz_t product;
	mpq_t p;

	mpz_inits(product, best.worth, NULL);
	mpq_inits(p, best.p, NULL);
	mpz_ui_pow_ui(product, multiplier.x, k);
	best_plain(hold, k > 0 && multiplier.x >= hold->exclude_from, product, &best);
	mpz_mul_ui(worth_r, best.worth, cells - k);
	mpz_set_ui(product, value.x);
	mpz_addmul_ui(worth_r, product, k);
	mpz_bin_uiui(mpq_numref(p_r), cells, k);
	mpz_set_ui(mpq_denref(p_r), 1);
	mpq_mul_power(p_r, best.p, cells - k);
	if (k > 0) {
		mpq_set_u64(p, multiplier.weight, hold->multiplier.weight);
		mpq_mul_power(p_r, p, k);
		mpq_set_u64(p, hold->multiplier_weight, all);
		mpq_mul_power(p_r, p, k);
		mpq_set_u64(p, value.weight, hold->value.weight);
		mpq_mul_power(p_r, p, k);
	}
	mpz_clears(product, best.worth, NULL);
	mpq_clears(p, best.p, NULL);
}

void hold_most(const struct game *game, uint32_t cells, mpq_t most_r, mpq_t probability_r)
{
	const struct hold_rules *hold = &game->hold;
	struct largest multiplier[2] = { largest_of(&hold->multiplier, hold->exclude_from),
		largest_of(&hold->multiplier, UINT32_MAX) };
	uint32_t kinds = multiplier[1].x > multiplier[0].x ? 2 : 1;
	bool full = cells == game->reels * game->rows;
	mpz_t worth;
	mpq_t p;

	mpz_init(worth);
	mpq_init(p);
	mpq_set_ui(most_r, 0, 1);
	mpq_set_ui(probability_r, 0, 1);
	for (uint32_t kind = 0; kind < kinds; kind++)
		for (uint32_t k = kind; k <= cells; k++) {
			if (k > 0 && (multiplier[kind].weight == 0 || hold->multiplier_weight == 0))
				continue;
			most_with(hold, cells, k, multiplier[kind], worth, p);
			if (mpz_cmp(worth, mpq_numref(most_r)) > 0) {
				mpq_set_z(most_r, worth);
				mpq_set(probability_r, p);
			} else if (mpz_cmp(worth, mpq_numref(most_r)) == 0) {
				mpq_add(probability_r, probability_r, p);
			}
		}
	mpq_set_u64(p, full ? hold->full_multiplier : 1, 1);
	mpq_mul(most_r, most_r, p);
	mpz_clear(worth);
	mpq_clear(p);
}

/* All cells filled with their best. RULE mystery-elves 3.8 to 3.13 */
void hold_offer_most(const struct exact_work *work, const struct exact_wager *wager,
	bool free_spins, struct exact_mode *mode_r)
{
	const struct spin_figures *spin = work->spin[CONTEXT_BASE];
	const struct hold_yields *yields = hold_yields_of(spin);
	const struct game *game = spin->game;
	struct spin_yield held;
	mpq_t x, p, share;

	(void)wager;
	(void)free_spins;
	mpq_inits(x, p, share, NULL);
	yield_init(&held, EXACT_RETURN);
	for (uint32_t i = 0; i < spin->row_count; i++) {
		uint32_t count = tag_count(&spin->counters, spin->row[i].tag, game->hold.symbol);

		if (count < yields->from)
			continue;
		mpq_set_z(share, spin->row[i].n);
		mpz_set(mpq_denref(share), spin->total);
		mpq_canonicalize(share);
		yield_mix(&held, share, &yields->start[count]);
	}
	if (mpq_sgn(held.event[EVENT_HOLD_FULL]) > 0) {
		hold_most(game, game->reels * game->rows, x, p);
		mpq_mul(p, p, held.event[EVENT_HOLD_FULL]);
		mpq_div(p, p, held.event[EVENT_HOLD]);
		exact_offer_max(mode_r, "hold and win", x, p);
	}
	yield_free(&held);
	mpq_clears(x, p, share, NULL);
}
