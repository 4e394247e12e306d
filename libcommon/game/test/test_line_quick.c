/* The optimiser's quick line return against every window of small random games and the engine's own
 * evaluation of a line, also while strips change reel by reel. */
#include "libcommon/game/line_quick.h"

#include "libcommon/game/core/reels.h"
#include "libcommon/game/test/random_game.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define GAMES 200u

struct plain {
	uint64_t windows, coins;
};

static struct plain all_windows(
	const struct game *game, uint32_t wild_reels, const struct line_terms *terms)
{
	uint32_t stop[GAME_REELS_MAX] = { 0 }, r = 0;
	struct plain plain = { 0 };

	while (r < game->reels) {
		uint8_t window[GAME_CELLS_MAX];
		uint64_t weight = 1;

		for (r = 0; r < game->reels; r++) {
			struct reel_column column;

			reel_column(game, 0, r, stop[r], wild_reels, &column);
			memcpy(&window[r * game->rows], column.symbol, game->rows);
			weight *= game->strips[0].reel[r].stop_weight[stop[r]];
		}
		plain.windows += weight;
		for (uint32_t l = 0; l < game->line_count; l++)
			plain.coins += weight * line_best(game, window, l, terms).coins;
		for (r = 0; r < game->reels && ++stop[r] == game->strips[0].reel[r].length; r++)
			stop[r] = 0;
	}
	return plain;
}

static void check(uint32_t seed, const struct game *game, uint32_t wild_reels,
	const struct line_terms *terms, const struct line_quick *quick)
{
	struct plain plain = all_windows(game, wild_reels, terms);
	exact_count total, coins = line_quick_sum(quick, &total);

	if (total != plain.windows || coins != plain.coins)
		fail_msg("seed %u: found %llu coins in %llu windows, expected %llu in %llu", seed,
			(unsigned long long)coins, (unsigned long long)total,
			(unsigned long long)plain.coins, (unsigned long long)plain.windows);
}

static void test_quick_is_the_engine_window_by_window(void **unused)
{
	static const struct random_shape shape = {
		.reels_max = 5, .rows_max = 3, .stops_max = 7, .lines_max = 10
	};
	static const uint32_t rising[] = { 1, 2, 3, 5 };
	static struct game game, other;

	(void)unused;
	for (uint32_t seed = 1; seed <= GAMES; seed++) {
		struct dice dice = { seed };
		struct line_terms terms = { .multiplier = 1 + seed % 3 };
		struct line_quick quick;
		uint32_t wild_reels, reel;

		random_game(&dice, &shape, &game);
		wild_reels = seed % 4 == 0 ? 1u << dice_below(&dice, game.reels) : 0;
		if (seed % 2 == 0) {
			terms.wild_multiplier = rising;
			terms.wild_multiplier_count = 1 + dice_below(&dice, 4);
		}
		line_quick_init(&quick, &game, 0, wild_reels, &terms);
		check(seed, &game, wild_reels, &terms, &quick);
		other = game;
		random_strips(&dice, &other, 0, shape.stops_max);
		reel = dice_below(&dice, game.reels);
		game.strips[0].reel[reel] = other.strips[0].reel[reel];
		line_quick_renew(&quick, reel);
		check(seed, &game, wild_reels, &terms, &quick);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quick_is_the_engine_window_by_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
