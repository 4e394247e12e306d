/* Plays sticky respins on windows, because their cells come from several spins. */
#include "libcommon/game/montecarlo/feature.h"
#include "libcommon/game/montecarlo/tags.h"

/* Plays respins with a locked reel; scatters count as the screen shows them. */
static void sticky(struct fast_player *player, const struct place *place)
{
	const struct fast_sim *sim = player->sim;
	const struct game *game = sim->game;
	uint32_t rows = game->rows, held = ((1u << rows) - 1) << (game->sticky.reel * rows);
	uint8_t window[GAME_CELLS_MAX];

	player->stats->event[EVENT_STICKY]++;
	window_of(place, window);
	for (uint32_t spin = 0; spin < game->sticky.spins; spin++) {
		uint32_t count[GAME_SCATTERS_MAX] = { 0 }, awards;
		uint64_t pay;

		held |= cells_showing(game, window, game->sticky.sticky);
		for (uint32_t r = 0; r < game->reels; r++) {
			struct reel_column column;

			if (r == game->sticky.reel)
				continue;
			column_draw(player, game->sticky.strips, r, &column);
			for (uint32_t row = 0; row < rows; row++)
				if ((held >> (r * rows + row) & 1) == 0)
					window[r * rows + row] = column.symbol[row];
		}
		for (uint32_t i = 0; i < game->scatter_symbols; i++)
			count[i] = (uint32_t)__builtin_popcount(
				cells_showing(game, window, 1u << game->scatter[i]));
		tag_scatters(game, sim->total, CONTEXT_RESPIN, count, &pay, &awards);
		run_add(player, SOURCE_STICKY,
			window_pay(game, &sim->lines, window) * sim->line_bet + pay);
		player->run.free_left += awards;
	}
}

static void widen(const struct game *game, uint32_t set, uint32_t wild_reels,
	struct tag_field field[GAME_REELS_MAX])
{
	(void)game;
	(void)set;
	(void)wild_reels;
	tag_widen(&field[0], 1);
}

/* 1: the locked reel shows enough of the symbol. */
static uint32_t tag_of(const struct game *game, uint32_t reel, const struct reel_column *column,
	const struct tag_field field[GAME_REELS_MAX])
{
	uint32_t natural = 0;

	if (reel != game->sticky.reel)
		return 0;
	for (uint32_t row = 0; row < game->rows; row++)
		natural += column->symbol[row] == game->sticky.symbol &&
			   (column->covered >> row & 1) == 0;
	return (uint32_t)(natural >= game->sticky.at_least) << field[0].shift;
}

static bool starts(const struct fast_sim *sim, enum spin_context context, uint32_t tag)
{
	(void)context;
	return tag_get(sim->plan.feature[FEATURE_sticky_respins][0], tag) != 0;
}

static void play(struct fast_player *player, enum spin_context context, uint32_t tag,
	const struct place *place)
{
	(void)context;
	(void)tag;
	sticky(player, place);
}

/* Respins are played before the next spin, so respins left after a spin have just begun. */
static void count(const struct game *game, const struct phase *phase, uint64_t event[EVENTS])
{
	if (game->sticky.offered && (phase->kind == PHASE_SPIN || phase->kind == PHASE_FREE_SPIN))
		event[EVENT_STICKY] += phase->respins_left > 0;
}

const struct feature_fast sticky_respins_fast = {
	.widen = widen, .tag = tag_of, .starts = starts, .play = play, .count = count
};
