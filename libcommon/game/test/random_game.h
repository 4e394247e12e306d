/* Small random definitions, already compiled, for tests that compare faster code with the plain
 * line evaluation. The seed fixes all that is drawn, so a failed test names the seed. */
#ifndef CARILLON_GAME_TEST_RANDOM_GAME_H
#define CARILLON_GAME_TEST_RANDOM_GAME_H

#include "libcommon/game/game.h"

struct dice {
	uint64_t state;
};

uint32_t dice_below(struct dice *dice, uint32_t n);
bool dice_chance(struct dice *dice, uint32_t in, uint32_t of);

/* Upper bounds of what is drawn. */
struct random_shape {
	uint32_t reels_max, rows_max, stops_max, lines_max;
};

/* Symbols: 0 wild, 1 scatter, 2 bonus, 3 the jackpot's, then line symbols. Any reel may hold
 * wilds; stops have weights; one strip set; wilds may have pays of their own and may expand. */
void random_game(struct dice *dice, const struct random_shape *shape, struct game *game_r);
/* All strips of a set anew. */
void random_strips(struct dice *dice, struct game *game, uint32_t set, uint32_t stops_max);

#endif
