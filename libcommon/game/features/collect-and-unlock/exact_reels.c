/* The weights of a reel's cells after collectibles, wilds or question marks have changed it. */
#include "libcommon/game/core/reels.h"
#include "libcommon/game/features/collect-and-unlock/exact_parts.h"

#include <assert.h>
#include <string.h>

/* RULE witch-feature 3.2: the column as paid, with the collectible removed. */
void unlock_cells(const struct game *game, uint32_t set, uint32_t reel, uint32_t colour,
	struct cell_weights *cells_r)
{
	const struct game_strip *strip = &game->strips[set].reel[reel];

	cell_weights_clear(cells_r);
	for (uint32_t stop = 0; stop < strip->length; stop++) {
		struct reel_column column;

		reel_column(game, set, reel, stop, 0, &column);
		if (column.collectible == colour)
			cell_weights_add(
				cells_r, game->rows, column.symbol, strip->stop_weight[stop]);
	}
}

uint64_t unlock_cover_scale(const struct game *game, const struct choices *counts)
{
	return (uint64_t)counts->weight * game->rows;
}

/* All sets of rows of the same size are equally likely, so a row is covered with probability (mean
 * count) / rows. RULE witch-feature 4.4, 5.3, 5.8 */
void unlock_cover(const struct game *game, const struct choices *counts, uint8_t symbol,
	uint8_t kept, struct cell_weights *cells)
{
	uint64_t scale = unlock_cover_scale(game, counts), covered = 0;

	for (uint32_t i = 0; i < counts->count; i++)
		covered += (uint64_t)counts->of[i].x * counts->of[i].weight;
	for (uint32_t row = 0; row < game->rows; row++) {
		uint64_t *weight = cells->weight[row];
		uint64_t stays = kept == GAME_NO_SYMBOL ? 0 : weight[kept];

		for (uint32_t s = 0; s < game->symbol_count; s++)
			weight[s] *= s == kept ? scale : scale - covered;
		weight[symbol] += covered * (cells->total - stays);
	}
	cells->total *= scale;
}

void unlock_force(
	const struct game *game, uint32_t rows, uint8_t symbol, struct cell_weights *cells)
{
	for (uint32_t row = 0; row < game->rows; row++) {
		if (!(rows >> row & 1))
			continue;
		memset(cells->weight[row], 0, sizeof(cells->weight[row]));
		cells->weight[row][symbol] = cells->total;
	}
}
