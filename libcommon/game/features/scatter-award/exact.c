/* The scatter award: a pay, and free spins by weights. */
#include "libcommon/game/exact/feature.h"

static void add_scatter_award(const struct game *game, uint32_t count, struct spin_yield *yield)
{
	struct spin_yield scatter_award, outcome;
	mpq_t p;

	mpq_init(p);
	yield_init(&scatter_award, yield->depth);
	for (uint32_t i = 0; i < game->scatter_award_count[count]; i++) {
		yield_init_nothing(&outcome, yield->depth);
		yield_add_awards(&outcome, game->scatter_award[count][i].free_spins);
		mpq_set_u64(
			p, game->scatter_award[count][i].weight, game->scatter_award_weight[count]);
		yield_mix(&scatter_award, p, &outcome);
		yield_free(&outcome);
	}
	mpq_set_ui(scatter_award.event[EVENT_SCATTER_AWARD], 1, 1);
	yield_join(yield, &scatter_award);
	yield_free(&scatter_award);
	yield_add_pay(yield, SOURCE_SCATTER_AWARD, game->symbol[game->scatter[0]].pay[count]);
	mpq_clear(p);
}

static void attach(const struct spin_figures *figures, uint32_t tag,
	const struct exact_wager *wager, struct spin_yield *yield)
{
	const struct game *game = figures->game;
	uint32_t count = tag_count(&figures->counters, tag, game->scatter[0]);

	(void)wager;
	if (count >= game->scatter_count_min)
		add_scatter_award(game, count, yield);
}

/* Scatters are counted in every game that has them. */
const struct feature_exact scatter_award_exact = { .attach = attach };
