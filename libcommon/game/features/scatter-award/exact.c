/* The scatter award: a pay, and free spins by weights. */
#include "libcommon/game/exact/feature.h"

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
	yield_add_pay(yield, SOURCE_BATTLE, game->symbol[game->scatter[0]].pay[count]);
	mpq_clear(p);
}

static void attach(const struct spin_figures *figures, uint32_t tag,
	const struct exact_wager *wager, struct spin_yield *yield)
{
	const struct game *game = figures->game;
	uint32_t count = tag_count(&figures->counters, tag, game->scatter[0]);

	(void)wager;
	if (count >= game->scatter_count_min)
		add_battle(game, count, yield);
}

/* Scatters are counted for every game that has some. */
const struct feature_exact scatter_award_exact = { .attach = attach };
