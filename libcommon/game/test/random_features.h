/* Random definitions with random features, for tests that compare two ways of playing rounds. Wins
 * are small and retriggers are rare, so averages settle after some thousand rounds. */
#ifndef CARILLON_GAME_TEST_RANDOM_FEATURES_H
#define CARILLON_GAME_TEST_RANDOM_FEATURES_H

#include "libcommon/game/test/random_game.h"

#define RANDOM_CURRENCY 978u
#define RANDOM_COIN 2

/* Modes: 0 the base game, 1 with bought wild reels in two positions. */
void random_features(struct dice *dice, struct game *game_r);
/* The largest bet of such a game. */
struct bet random_bet(const struct game *game, uint32_t mode);

#endif
