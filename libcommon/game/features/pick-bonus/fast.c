/* The pick bonus: one draw over its outcomes. */
#include "libcommon/game/montecarlo/feature.h"

static void pick_outcomes(struct fast_player *player)
{
	const struct game *game = player->sim->game;
	int64_t y = (int64_t)player->sim->bet.lines * player->sim->bet.coins;
	int64_t value = stream_below(&player->draws, game->pick_weight);
	const struct pick_outcome *pick_outcome = game->pick_outcome;

	player->stats->event[EVENT_BONUS]++;
	while (value >= pick_outcome->weight + pick_outcome->weight_per_coin * y) {
		value -= pick_outcome->weight + pick_outcome->weight_per_coin * y;
		pick_outcome++;
	}
	switch (pick_outcome->kind) {
	case PICK_MONEY:
		run_add(player, SOURCE_BONUS_MONEY, player->sim->total * pick_outcome->value);
		break;
	case PICK_FREE_SPINS:
		player->run.free_left += pick_outcome->value;
		break;
	case PICK_JACKPOT:
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
	pick_outcomes(player);
}

const struct feature_fast pick_bonus_fast = {
	.widen = widen, .tag = tag_of, .starts = starts, .play = play
};
