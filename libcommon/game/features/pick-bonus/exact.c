/* The pick bonus: its weights follow the bet. */
#include "libcommon/game/exact/feature.h"

/* Sums over the outcomes of weight, weight x value and weight x value^2, at one bet. */
struct pick_sums {
	mpz_t money, money2, spins, spins2;
	uint64_t jackpots, sets; /* weights */
};

static uint64_t pick_weight(
	const struct pick_outcome *pick_outcome, const struct exact_wager *wager)
{
	int64_t y = (int64_t)wager->lines * wager->coins;

	return (uint64_t)(pick_outcome->weight + pick_outcome->weight_per_coin * y);
}

static void pick_sum(
	const struct game *game, const struct exact_wager *wager, struct pick_sums *sums)
{
	mpz_t square;

	mpz_init(square);
	for (uint32_t i = 0; i < game->pick_outcome_count; i++) {
		const struct pick_outcome *pick_outcome = &game->pick_outcome[i];
		uint64_t weight = pick_weight(pick_outcome, wager);

		mpz_set_ui(square, pick_outcome->value);
		mpz_mul_ui(square, square, pick_outcome->value);
		switch (pick_outcome->kind) {
		case PICK_MONEY:
			mpz_addmul_ui(sums->money2, square, weight);
			mpz_set_ui(square, pick_outcome->value);
			mpz_addmul_ui(sums->money, square, weight);
			break;
		case PICK_FREE_SPINS:
			sums->sets += pick_outcome->value > 0 ? weight : 0;
			mpz_addmul_ui(sums->spins2, square, weight);
			mpz_set_ui(square, pick_outcome->value);
			mpz_addmul_ui(sums->spins, square, weight);
			break;
		case PICK_JACKPOT:
			sums->jackpots += weight;
			break;
		}
	}
	mpz_clear(square);
}

static void set_share(mpq_t q, const mpz_t num, uint64_t den)
{
	mpq_set_z(q, num);
	mpz_set_ui(mpq_denref(q), den);
	mpq_canonicalize(q);
}

/* Bonus rounds that win nothing: free spins, and a jackpot or money of 0. */
static void pick_zeros(
	const struct game *game, const struct exact_wager *wager, struct spin_yield *yield)
{
	mpq_t p;

	mpq_init(p);
	for (uint32_t i = 0; i < game->pick_outcome_count; i++) {
		const struct pick_outcome *pick_outcome = &game->pick_outcome[i];
		bool spins = pick_outcome->kind == PICK_FREE_SPINS;
		bool wins = pick_outcome->kind == PICK_JACKPOT ? mpq_sgn(wager->jackpot) > 0
							       : pick_outcome->value > 0;

		if (wins && !spins)
			continue;
		mpq_set_u64(p, pick_weight(pick_outcome, wager), game->pick_weight);
		yield_zero_add(yield, spins ? pick_outcome->value : 0, p);
	}
	mpq_clear(p);
}

/* One bonus round at this bet. */
static void at_bet(const struct game *game, const struct exact_wager *wager, enum exact_depth depth,
	struct spin_yield *yield_r)
{
	struct pick_sums sums = { .jackpots = 0 };
	mpq_t square;

	mpz_inits(sums.money, sums.money2, sums.spins, sums.spins2, NULL);
	pick_sum(game, wager, &sums);
	yield_init(yield_r, depth);
	set_share(yield_r->win[SOURCE_BONUS_MONEY], sums.money, game->pick_weight);
	set_share(yield_r->awards, sums.spins, game->pick_weight);
	mpq_set_u64(yield_r->event[EVENT_JACKPOT], sums.jackpots, game->pick_weight);
	mpq_set_u64(yield_r->event[EVENT_FREE_SPINS], sums.sets, game->pick_weight);
	mpq_set_ui(yield_r->event[EVENT_BONUS], 1, 1);
	mpq_mul(yield_r->win[SOURCE_JACKPOT], yield_r->event[EVENT_JACKPOT], wager->jackpot);
	if (depth == EXACT_ALL) {
		mpq_init(square);
		mpq_mul(square, wager->jackpot, wager->jackpot);
		set_share(yield_r->win2, sums.money2, game->pick_weight);
		mpq_add_product(yield_r->win2, yield_r->event[EVENT_JACKPOT], square);
		set_share(yield_r->awards2, sums.spins2, game->pick_weight);
		pick_zeros(game, wager, yield_r);
		mpq_clear(square);
	}
	mpz_clears(sums.money, sums.money2, sums.spins, sums.spins2, NULL);
}

static void count(struct spin_figures *figures)
{
	count_symbol(figures, figures->game->bonus);
}

static bool opens(const struct spin_figures *figures, uint32_t tag)
{
	const struct game *game = figures->game;

	return tag_count(&figures->counters, tag, game->bonus) >= game->bonus_count_min;
}

static void attach(const struct spin_figures *figures, uint32_t tag,
	const struct exact_wager *wager, struct spin_yield *yield)
{
	struct spin_yield pick_outcomes;

	if (wager == NULL || !opens(figures, tag))
		return;
	at_bet(figures->game, wager, yield->depth, &pick_outcomes);
	yield_join(yield, &pick_outcomes);
	yield_free(&pick_outcomes);
}

const struct feature_exact pick_bonus_exact = {
	.count = count, .attach = attach, .follows_bet = opens, .at_bet = at_bet
};
