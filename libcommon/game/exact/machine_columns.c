#include "libcommon/game/core/reels.h"
#include "libcommon/game/reel_machine.h"

#include <string.h>

uint32_t machine_columns(const struct game *game, uint32_t set, uint32_t reel, uint32_t wild_reels,
	const uint32_t tag_of[GAME_SYMBOLS_MAX], struct machine_column *out)
{
	const struct game_strip *strip = &game->strips[set].reel[reel];

	for (uint32_t stop = 0; stop < strip->length; stop++) {
		struct reel_column column;

		reel_column(game, set, reel, stop, wild_reels, &column);
		out[stop] = (struct machine_column){ .weight = strip->stop_weight[stop] };
		memcpy(out[stop].symbol, column.symbol, game->rows);
		if (tag_of == NULL || (wild_reels >> reel & 1) != 0)
			continue;
		for (uint32_t row = 0; row < game->rows; row++)
			out[stop].tag += tag_of[column.symbol[row]];
		/* The collectible is no longer in the window, but it was collected there. */
		if (column.collectible != 0)
			out[stop].tag += tag_of[game->unlock.symbol[column.collectible - 1]];
	}
	return strip->length;
}
