/* What the symbols counted in a window start or pay: scatter pays and their free spins, features,
 * the progressive by symbols anywhere. */
#include "libcommon/game/exact/feature.h"

uint32_t tag_count(const struct counters *counters, uint32_t tag, uint8_t symbol)
{
	for (uint32_t i = 0; i < counters->count; i++)
		if (counters->symbol[i] == symbol)
			return tag >> (COUNTER_BITS * i) & ((UINT32_C(1) << COUNTER_BITS) - 1);
	return 0;
}

/* The scatter of the scatter award pays there. RULE bewitched 3.2 */
static bool starts_scatter_awards(const struct game *game, uint32_t scatter)
{
	return scatter == 0 && game->scatter_count_min > 0;
}

uint64_t tag_scatter_pay(const struct spin_figures *figures, uint32_t tag)
{
	const struct game *game = figures->game;
	uint64_t pay = 0;

	for (uint32_t i = 0; i < game->scatter_symbols; i++) {
		uint32_t count = tag_count(&figures->counters, tag, game->scatter[i]);

		if (starts_scatter_awards(game, i) && count < game->scatter_count_min)
			continue;
		pay += count <= game->reels ? game->symbol[game->scatter[i]].pay[count] : 0;
	}
	return pay;
}

void yield_add_pay(struct spin_yield *yield, enum win_source source, uint64_t pay)
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

		if (starts_scatter_awards(game, i) || count > game->reels)
			continue;
		yield_add_pay(yield, SOURCE_SCATTER, game->symbol[symbol].pay[count]);
		if (free_spins->offered && symbol == free_spins->award_symbol && count > 0)
			yield_add_awards(yield, free_spins->award[figures->context][count]);
	}
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
	const struct jackpot_symbols *jackpot = &game->jackpot_symbols;

	yield_init_nothing(yield_r, figures->depth);
	add_scatters(figures, tag, yield_r);
	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_exacts[f]->attach && exact_offered(game, f))
			feature_exacts[f]->attach(figures, tag, wager, yield_r);
	if (wager && jackpot->anywhere && wager_live(game, wager) &&
		tag_count(&figures->counters, tag, jackpot->symbol) >= jackpot->count)
		add_jackpot(wager, yield_r);
}
