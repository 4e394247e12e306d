/* Reels: turns stops into the window that is paid.
 *
 * The window starts as the strips show it. Then, in this order: bought wild reels cover all their
 * cells; expanding wilds cover their reel, except scatters; collectibles are removed, the symbols
 * above fall and the strip's next symbol above comes in (the loader checks that it is no
 * collectible). Pure. */
#ifndef CARILLON_GAME_CORE_REELS_H
#define CARILLON_GAME_CORE_REELS_H

#include "libcommon/game/game.h"

/* The column of one reel, ready to be paid. */
struct reel_column {
	uint8_t symbol[GAME_ROWS_MAX];
	uint8_t covered;     /* bit row: the cell does not show the strip's symbol */
	uint8_t collectible; /* colour + 1 of the removed one; 0: none */
};

/* `wild_reels`: bought wild reels, bit r. `stop` is below the strip's length. */
void reel_column(const struct game *game, uint32_t set, uint32_t reel, uint32_t stop,
	uint32_t wild_reels, struct reel_column *column_r);

/* Returns, as a bit mask, the `index`-th (from 0) of the C(rows, count) sets of `count` rows out of
 * `rows`, in rising order of the masks. Serves to place random wilds and question marks. */
uint32_t row_set(uint32_t rows, uint32_t count, uint32_t index);
uint32_t row_sets(uint32_t rows, uint32_t count); /* C(rows, count) */

#endif
