/* The columns that one reel shows during a sticky trigger and its respins.
 *
 * Given the trigger, which only the locked reel decides, the reels are independent of one another.
 * A reel is a chain: the column it shows, then its held sticky cells, then a column of the respin's
 * strip under these held cells, and so on. Columns with the same future are merged.
 *
 * Time 0 is the triggering spin, time i the i-th respin. Weights are whole: a reel's weights at
 * time i sum to sticky_scale. Those of the locked reel sum to less, because only the columns that
 * trigger are kept. Allocates by GMP's functions, which end the program if there is no
 * memory. */
#ifndef CARILLON_GAME_FEATURES_STICKY_RESPINS_EXACT_REELS_H
#define CARILLON_GAME_FEATURES_STICKY_RESPINS_EXACT_REELS_H

#include "libcommon/game/game.h"

#include <stddef.h>

/* A column is packed one byte per row, with the top row in the lowest byte. The byte STICKY_FREE:
 * the cell is not held. */
#define STICKY_FREE 0xffu

#define STICKY_TIMES_MAX 6 /* the trigger and its respins; the loader checks this bound */

struct machine_input;

struct sticky_way {
	uint64_t before; /* the column that sticky_remember kept; 0 before that */
	uint64_t column; /* the column shown now; after sticky_hold only its held cells */
	uint64_t weight;
};

struct sticky_ways {
	size_t count, room;
	struct sticky_way *way;
};

/* Earlier results for a spin. way NULL: not computed yet. */
struct sticky_cache {
	struct sticky_ways at[GAME_REELS_MAX][STICKY_TIMES_MAX];
	struct sticky_ways between[GAME_REELS_MAX][STICKY_TIMES_MAX][STICKY_TIMES_MAX];
};

/* A kind of spin that may trigger (see sticky_can_trigger): its strip set and bought wild reels
 * (bits). */
struct sticky_spin {
	const struct game *game;
	uint32_t set, wild_reels;
	struct sticky_cache *cache; /* NULL: do not cache */
};

static inline uint8_t sticky_cell(uint64_t column, uint32_t row)
{
	return (uint8_t)(column >> (8 * row));
}

/* The columns at time 0; for the locked reel, only the columns that trigger. */
void sticky_first(const struct sticky_spin *spin, uint32_t reel, struct sticky_ways *ways_r);
/* Sets `before` to the column shown now. */
void sticky_remember(struct sticky_ways *ways);
/* Goes to the next time. The locked reel stays as it is. */
void sticky_next(const struct sticky_spin *spin, uint32_t reel, struct sticky_ways *ways);
/* The held cells of a column. */
uint64_t sticky_held(const struct sticky_spin *spin, uint32_t reel, uint64_t column);
void sticky_hold(const struct sticky_spin *spin, uint32_t reel, struct sticky_ways *ways);
/* The columns that follow one held pattern. */
void sticky_from(
	const struct sticky_spin *spin, uint32_t reel, uint64_t held, struct sticky_ways *ways_r);
/* The columns at a time. */
void sticky_at(
	const struct sticky_spin *spin, uint32_t reel, uint32_t time, struct sticky_ways *ways_r);
/* The columns at two times: `before` at the earlier time, `column` at the later one. */
void sticky_between(const struct sticky_spin *spin, uint32_t reel, uint32_t earlier, uint32_t later,
	struct sticky_ways *ways_r);
/* Gives each reel of the input, whose game is set, the columns at a time, each once: for what only
 * needs the symbols that the reels can show then. sticky_windows_free takes them away. */
void sticky_windows(const struct sticky_spin *spin, uint32_t time, struct machine_input *input);
void sticky_windows_free(struct machine_input *input);
void sticky_cache_free(struct sticky_cache *cache);
/* Can this spin trigger? Bought wild reels may hide the triggering symbols. */
bool sticky_can_trigger(const struct sticky_spin *spin);
void sticky_ways_free(struct sticky_ways *ways);

/* Allocate by GMP's functions: never NULL. */
void *sticky_take(size_t bytes);
void sticky_give(void *block, size_t bytes);

/* The sum of a reel's weights at a time; for the locked reel including columns that do not
 * trigger. */
uint64_t sticky_scale(const struct sticky_spin *spin, uint32_t reel, uint32_t time);

#endif
