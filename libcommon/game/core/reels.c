#include "libcommon/game/core/reels.h"

#include <string.h>

/* RULE mystic-gem 2.9, 2.10, 2.11: on reels where the wild expands, the whole reel except scatters
 * is wild before wins are paid; scatters stay visible. */
static void expand(const struct game *game, struct reel_column *column)
{
	if (!memchr(column->symbol, game->wild, game->rows))
		return;
	for (uint32_t row = 0; row < game->rows; row++) {
		uint8_t symbol = column->symbol[row];

		if (symbol == game->wild || game->symbol[symbol].kind == SYMBOL_SCATTER)
			continue;
		column->symbol[row] = game->wild;
		column->covered |= (uint8_t)(1u << row);
	}
}

static uint8_t collectible_colour(const struct game *game, uint8_t symbol)
{
	for (uint32_t c = 0; c < GAME_COLOURS; c++)
		if (game->unlock.symbol[c] == symbol)
			return (uint8_t)(c + 1);
	return 0;
}

/* RULE witch-feature 3.2. At most one potion is in a window: the loader's check, RULE
 * witch-feature 3.4. */
static void take_collectible(const struct game *game, const struct game_strip *strip, uint32_t stop,
	struct reel_column *column)
{
	for (uint32_t row = 0; row < game->rows; row++) {
		uint8_t symbol = column->symbol[row];

		if (game->symbol[symbol].kind != SYMBOL_COLLECTIBLE)
			continue;
		column->collectible = collectible_colour(game, symbol);
		memmove(column->symbol + 1, column->symbol, row);
		column->symbol[0] = strip->symbol[stop > 0 ? stop - 1 : strip->length - 1];
		return;
	}
}

void reel_column(const struct game *game, uint32_t set, uint32_t reel, uint32_t stop,
	uint32_t wild_reels, struct reel_column *column_r)
{
	const struct game_strip *strip = &game->strips[set].reel[reel];

	column_r->covered = column_r->collectible = 0;
	if (wild_reels & UINT32_C(1) << reel) {
		memset(column_r->symbol, game->wild, game->rows);
		column_r->covered = (uint8_t)((1u << game->rows) - 1);
		return;
	}
	memcpy(column_r->symbol, strip->symbol + stop, game->rows);
	if (game->expanding_reels & UINT32_C(1) << reel)
		expand(game, column_r);
	if (game->unlock.offered)
		take_collectible(game, strip, stop, column_r);
}

uint32_t row_sets(uint32_t rows, uint32_t count)
{
	uint32_t sets = 1;

	if (count > rows)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		sets = sets * (rows - i) / (i + 1);
	return sets;
}

uint32_t row_set(uint32_t rows, uint32_t count, uint32_t index)
{
	for (uint32_t set = 0; set < UINT32_C(1) << rows; set++)
		if ((uint32_t)__builtin_popcount(set) == count && index-- == 0)
			return set;
	return 0;
}
