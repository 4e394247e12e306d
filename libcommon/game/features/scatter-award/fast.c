/* The scatter award by the count of scatters, which a spin's tag contains. */
#include "libcommon/game/montecarlo/feature.h"

static void scatter_award(struct fast_player *player, uint32_t count)
{
	const struct game *game = player->sim->game;
	uint32_t value, i = 0;

	player->stats->event[EVENT_SCATTER_AWARD]++;
	run_add(player, SOURCE_SCATTER_AWARD,
		player->sim->total * game->symbol[game->scatter[0]].pay[count]);
	value = stream_below(&player->draws, game->scatter_award_weight[count]);
	while (value >= game->scatter_award[count][i].weight)
		value -= game->scatter_award[count][i++].weight;
	player->run.free_left += game->scatter_award[count][i].free_spins;
}

static uint32_t scatters_in(const struct fast_sim *sim, uint32_t tag)
{
	return tag_get(sim->plan.scatter[0], tag);
}

static bool starts(const struct fast_sim *sim, enum spin_context context, uint32_t tag)
{
	(void)context;
	return scatters_in(sim, tag) >= sim->game->scatter_count_min;
}

static void play(struct fast_player *player, enum spin_context context, uint32_t tag,
	const struct place *place)
{
	(void)context;
	(void)place;
	scatter_award(player, scatters_in(player->sim, tag));
}

const struct feature_fast scatter_award_fast = { .starts = starts, .play = play };
