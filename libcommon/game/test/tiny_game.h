/* Random games so small that all their rounds can be played, with the features that the exact
 * mathematics puts together. Made by the dice, so a failure names its seed. */
#ifndef CARILLON_GAME_TEST_TINY_GAME_H
#define CARILLON_GAME_TEST_TINY_GAME_H

#include "libcommon/game/test/random_game.h"

enum tiny_feature {
	TINY_SCATTER_AWARD = 1,
	TINY_PICKS = 2,
	TINY_FREE_SPINS = 4, /* two or three scatters award them; free spins award none */
	TINY_WILD_MULTIPLIERS = 8,
	TINY_PROGRESSIVE = 16, /* symbols on a line, or anywhere */
	TINY_BOUGHT = 32,   /* mode 1: bought wild reels; mode 2: the same, a line win guaranteed */
	TINY_CASCADE = 128, /* up to four tumbles; no reels expand */
	TINY_WILD_COUNTS = 256, /* wilds count as scatters; no reels expand */
	TINY_HOLD = 64,		/* two reels of two rows; mode 1: two bonus symbols guaranteed */
};

/* Compiled. Three reels of two rows (HOLD: two of two), three to five stops a reel. Free spins are
 * played on two stops a reel without scatters and bonus symbols, so none is endless. */
void tiny_game(struct dice *dice, uint32_t features, struct game *game_r);
void tiny_game_free(struct game *game);
/* A bet of the game's one currency. */
struct bet tiny_bet(const struct game *game, uint32_t mode, uint32_t lines, uint32_t coins);

#endif
