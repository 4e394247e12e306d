/* The pick bonus: one draw over its outcomes. */
#include "libcommon/game/montecarlo/feature.h"

static void vials(struct fast_player *player)
{
	const struct game *game = player->sim->game;
	int64_t y = (int64_t)player->sim->bet.lines * player->sim->bet.coins;
	int64_t value = stream_below(&player->draws, game->vial_weight);
	const struct vial_outcome *vial = game->vial;

	player->stats->event[EVENT_BONUS]++;
	while (value >= vial->weight + vial->weight_per_coin * y) {
		value -= vial->weight + vial->weight_per_coin * y;
		vial++;
	}
	switch (vial->kind) {
	case VIAL_MONEY:
		run_add(player, SOURCE_BONUS_MONEY, player->sim->total * vial->value);
		break;
	case VIAL_FREE_SPINS:
		player->run.free_left += vial->value;
		break;
	case VIAL_JACKPOT:
		run_jackpot(player);
		break;
	}
}

static void widen(const struct game *game, uint32_t set, uint32_t wild_reels,
	struct tag_field field[GAME_REELS_MAX])
{
	tag_widen(&field[0], tag_symbol_max(game, set, wild_reels, game->bonus));
}

static uint32_t tag_of(const struct game *game, uint32_t reel, const struct reel_column *column,
	const struct tag_field field[GAME_REELS_MAX])
{
	(void)reel;
	return tag_column(game, field[0], column, game->bonus);
}

static bool starts(const struct fast_sim *sim, enum spin_context context, uint32_t tag)
{
	(void)context;
	return tag_get(sim->plan.feature[FEATURE_pick_bonus][0], tag) >= sim->game->bonus_count_min;
}

static void play(struct fast_player *player, enum spin_context context, uint32_t tag,
	const struct place *place)
{
	(void)context;
	(void)tag;
	(void)place;
	vials(player);
}

const struct feature_fast pick_bonus_fast = {
	.widen = widen, .tag = tag_of, .starts = starts, .play = play
};
