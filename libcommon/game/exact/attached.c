/* What the symbols counted in a window set off: scatter pays and their free spins, battles, vials,
 * hold and win, the progressive by symbols anywhere. */
#include "libcommon/game/exact/spins.h"

uint32_t tag_count(const struct counters *counters, uint32_t tag, uint8_t symbol)
{
	for (uint32_t i = 0; i < counters->count; i++)
		if (counters->symbol[i] == symbol)
			return tag >> (COUNTER_BITS * i) & ((UINT32_C(1) << COUNTER_BITS) - 1);
	return 0;
}

/* A battle's scatter is paid by its battle. RULE bewitched 3.2 */
static bool starts_battles(const struct game *game, uint32_t scatter)
{
	return scatter == 0 && game->scatter_count_min > 0;
}

uint64_t tag_scatter_pay(const struct spin_figures *figures, uint32_t tag)
{
	const struct game *game = figures->game;
	uint64_t pay = 0;

	for (uint32_t i = 0; i < game->scatter_symbols; i++) {
		uint32_t count = tag_count(&figures->counters, tag, game->scatter[i]);

		if (starts_battles(game, i) && count < game->scatter_count_min)
			continue;
		pay += count <= game->reels ? game->symbol[game->scatter[i]].pay[count] : 0;
	}
	return pay;
}

static void add_pay(struct spin_yield *yield, enum exact_source source, uint64_t pay)
{
	mpq_t win;

	mpq_init(win);
	mpq_set_u64(win, pay, 1);
	yield_add_win(yield, source, win);
	mpq_clear(win);
}

static void add_scatters(const struct spin_figures *figures, uint32_t tag, struct spin_yield *yield)
{
	const struct game *game = figures->game;
	const struct free_spins_rules *free_spins = &game->free_spins;

	for (uint32_t i = 0; i < game->scatter_symbols; i++) {
		uint8_t symbol = game->scatter[i];
		uint32_t count = tag_count(&figures->counters, tag, symbol);

		if (starts_battles(game, i) || count > game->reels)
			continue;
		add_pay(yield, SOURCE_SCATTER, game->symbol[symbol].pay[count]);
		if (free_spins->offered && symbol == free_spins->award_symbol && count > 0)
			yield_add_awards(yield, free_spins->award[figures->context][count]);
	}
}

static void add_battle(const struct game *game, uint32_t count, struct spin_yield *yield)
{
	struct spin_yield battle, outcome;
	mpq_t p;

	mpq_init(p);
	yield_init(&battle, yield->depth);
	for (uint32_t i = 0; i < game->battle_count[count]; i++) {
		yield_init_nothing(&outcome, yield->depth);
		yield_add_awards(&outcome, game->battle[count][i].free_spins);
		mpq_set_u64(p, game->battle[count][i].weight, game->battle_weight[count]);
		yield_mix(&battle, p, &outcome);
		yield_free(&outcome);
	}
	mpq_set_ui(battle.event[EVENT_BATTLE], 1, 1);
	yield_join(yield, &battle);
	yield_free(&battle);
	add_pay(yield, SOURCE_BATTLE, game->symbol[game->scatter[0]].pay[count]);
	mpq_clear(p);
}

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

void vial_yield(const struct game *game, const struct exact_wager *wager, enum exact_depth depth,
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

static void add_vials(
	const struct game *game, const struct exact_wager *wager, struct spin_yield *yield)
{
	struct spin_yield vials;

	vial_yield(game, wager, yield->depth, &vials);
	yield_join(yield, &vials);
	yield_free(&vials);
}

static void add_jackpot(const struct exact_wager *wager, struct spin_yield *yield)
{
	yield_add_win(yield, SOURCE_JACKPOT, wager->jackpot);
	mpz_add(mpq_numref(yield->event[EVENT_JACKPOT]), mpq_numref(yield->event[EVENT_JACKPOT]),
		mpq_denref(yield->event[EVENT_JACKPOT]));
}

void tag_yield(const struct spin_figures *figures, uint32_t tag, const struct exact_wager *wager,
	struct spin_yield *yield_r)
{
	const struct game *game = figures->game;
	const struct counters *counters = &figures->counters;
	const struct jackpot_symbols *jackpot = &game->jackpot_symbols;
	uint32_t scatters = 0, bonuses = 0;

	if (game->scatter_symbols > 0)
		scatters = tag_count(counters, tag, game->scatter[0]);
	if (game->bonus != GAME_NO_SYMBOL)
		bonuses = tag_count(counters, tag, game->bonus);
	yield_init_nothing(yield_r, figures->depth);
	add_scatters(figures, tag, yield_r);
	if (game->scatter_count_min > 0 && scatters >= game->scatter_count_min)
		add_battle(game, scatters, yield_r);
	if (figures->hold) {
		uint32_t count = tag_count(counters, tag, game->hold.symbol);

		if (count >= figures->hold->from)
			yield_join(yield_r, &figures->hold->start[count]);
	}
	if (wager == NULL)
		return;
	if (game->vial_count > 0 && bonuses >= game->bonus_count_min)
		add_vials(game, wager, yield_r);
	if (jackpot->anywhere && wager_live(game, wager) &&
		tag_count(counters, tag, jackpot->symbol) >= jackpot->count)
		add_jackpot(wager, yield_r);
}
