/* The pick bonus: its weights follow the bet. */
#include "libcommon/game/exact/feature.h"

/* Sums over the vials of weight, weight x value and weight x value^2, at one bet. */
struct vial_sums {
	mpz_t money, money2, spins, spins2;
	uint64_t jackpots, sets; /* weights */
};

static uint64_t vial_weight(const struct vial_outcome *vial, const struct exact_wager *wager)
{
	int64_t y = (int64_t)wager->lines * wager->coins;

	return (uint64_t)(vial->weight + vial->weight_per_coin * y);
}

static void vial_sum(
	const struct game *game, const struct exact_wager *wager, struct vial_sums *sums)
{
	mpz_t square;

	mpz_init(square);
	for (uint32_t i = 0; i < game->vial_count; i++) {
		const struct vial_outcome *vial = &game->vial[i];
		uint64_t weight = vial_weight(vial, wager);

		mpz_set_ui(square, vial->value);
		mpz_mul_ui(square, square, vial->value);
		switch (vial->kind) {
		case VIAL_MONEY:
			mpz_addmul_ui(sums->money2, square, weight);
			mpz_set_ui(square, vial->value);
			mpz_addmul_ui(sums->money, square, weight);
			break;
		case VIAL_FREE_SPINS:
			sums->sets += vial->value > 0 ? weight : 0;
			mpz_addmul_ui(sums->spins2, square, weight);
			mpz_set_ui(square, vial->value);
			mpz_addmul_ui(sums->spins, square, weight);
			break;
		case VIAL_JACKPOT:
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

/* Bonus rounds that win nothing: those of free spins, and a jackpot or money of nothing. */
static void vial_zeros(
	const struct game *game, const struct exact_wager *wager, struct spin_yield *yield)
{
	mpq_t p;

	mpq_init(p);
	for (uint32_t i = 0; i < game->vial_count; i++) {
		const struct vial_outcome *vial = &game->vial[i];
		bool spins = vial->kind == VIAL_FREE_SPINS;
		bool wins =
			vial->kind == VIAL_JACKPOT ? mpq_sgn(wager->jackpot) > 0 : vial->value > 0;

		if (wins && !spins)
			continue;
		mpq_set_u64(p, vial_weight(vial, wager), game->vial_weight);
		yield_zero_add(yield, spins ? vial->value : 0, p);
	}
	mpq_clear(p);
}

/* One bonus round at this bet. */
static void at_bet(const struct game *game, const struct exact_wager *wager, enum exact_depth depth,
	struct spin_yield *yield_r)
{
	struct vial_sums sums = { .jackpots = 0 };
	mpq_t square;

	mpz_inits(sums.money, sums.money2, sums.spins, sums.spins2, NULL);
	vial_sum(game, wager, &sums);
	yield_init(yield_r, depth);
	set_share(yield_r->win[SOURCE_BONUS_MONEY], sums.money, game->vial_weight);
	set_share(yield_r->awards, sums.spins, game->vial_weight);
	mpq_set_u64(yield_r->event[EVENT_JACKPOT], sums.jackpots, game->vial_weight);
	mpq_set_u64(yield_r->event[EVENT_FREE_SPINS], sums.sets, game->vial_weight);
	mpq_set_ui(yield_r->event[EVENT_BONUS], 1, 1);
	mpq_mul(yield_r->win[SOURCE_JACKPOT], yield_r->event[EVENT_JACKPOT], wager->jackpot);
	if (depth == EXACT_ALL) {
		mpq_init(square);
		mpq_mul(square, wager->jackpot, wager->jackpot);
		set_share(yield_r->win2, sums.money2, game->vial_weight);
		mpq_add_product(yield_r->win2, yield_r->event[EVENT_JACKPOT], square);
		set_share(yield_r->awards2, sums.spins2, game->vial_weight);
		vial_zeros(game, wager, yield_r);
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
	struct spin_yield vials;

	if (wager == NULL || !opens(figures, tag))
		return;
	at_bet(figures->game, wager, yield->depth, &vials);
	yield_join(yield, &vials);
	yield_free(&vials);
}

const struct feature_exact pick_bonus_exact = {
	.count = count, .attach = attach, .follows_bet = opens, .at_bet = at_bet
};
