/* One reel over a sticky trigger and its respins: what it shows at each of those times.
 *
 * Given the trigger, which only the locked reel decides, the reels are independent of one another.
 * A reel is a chain: the column it shows, then the sticky cells of it that are held, then a column
 * of the respin's strip with the held cells over it, and so on. Columns that agree in what is still
 * to matter are merged on the way.
 *
 * Time 0 is the triggering spin, time i the i-th respin. Weights are whole: a reel's weights at
 * time i sum to sticky_scale. Allocates with GMP's functions, which do not fail but end the
 * program. */
#ifndef CARILLON_GAME_FEATURES_STICKY_RESPINS_EXACT_REELS_H
#define CARILLON_GAME_FEATURES_STICKY_RESPINS_EXACT_REELS_H

#include "libcommon/game/game.h"

#include <stddef.h>

/* A column packed a byte a row, the top row lowest; STICKY_FREE where nothing is held. */
#define STICKY_FREE 0xffu

#define STICKY_TIMES_MAX 6 /* the trigger and its respins: the loader's bound */

struct sticky_way {
	uint64_t before; /* the column that sticky_remember kept; 0 until then */
	uint64_t column; /* shown now; after sticky_hold only the held cells */
	uint64_t weight;
};

struct sticky_ways {
	size_t count, room;
	struct sticky_way *way;
};

/* What was asked of a spin before. way NULL: not yet. */
struct sticky_cache {
	struct sticky_ways at[GAME_REELS_MAX][STICKY_TIMES_MAX];
	struct sticky_ways between[GAME_REELS_MAX][STICKY_TIMES_MAX][STICKY_TIMES_MAX];
};

/* The spin that may trigger: strip set and bought wild reels (bits). */
struct sticky_spin {
	const struct game *game;
	uint32_t set, wild_reels;
	struct sticky_cache *cache; /* NULL: nothing is kept */
};

static inline uint8_t sticky_cell(uint64_t column, uint32_t row)
{
	return (uint8_t)(column >> (8 * row));
}

/* The columns of time 0. The locked reel: only those that trigger. */
void sticky_first(const struct sticky_spin *spin, uint32_t reel, struct sticky_ways *ways_r);
/* Keeps what is shown now beside what will be. */
void sticky_remember(struct sticky_ways *ways);
/* From one time to the next. The locked reel stays as it is. */
void sticky_next(const struct sticky_spin *spin, uint32_t reel, struct sticky_ways *ways);
/* What of a column stays. */
uint64_t sticky_held(const struct sticky_spin *spin, uint32_t reel, uint64_t column);
void sticky_hold(const struct sticky_spin *spin, uint32_t reel, struct sticky_ways *ways);
/* What one held pattern leads to. */
void sticky_from(
	const struct sticky_spin *spin, uint32_t reel, uint64_t held, struct sticky_ways *ways_r);
/* All the way to a time. */
void sticky_at(
	const struct sticky_spin *spin, uint32_t reel, uint32_t time, struct sticky_ways *ways_r);
/* What is shown at two times together: `before` at the earlier, `column` at the later. */
void sticky_between(const struct sticky_spin *spin, uint32_t reel, uint32_t earlier, uint32_t later,
	struct sticky_ways *ways_r);
void sticky_cache_free(struct sticky_cache *cache);
/* Bought wild reels may hide what triggers. */
bool sticky_can_trigger(const struct sticky_spin *spin);
void sticky_ways_free(struct sticky_ways *ways);

/* Memory by GMP's functions. */
void *sticky_take(size_t bytes);
void sticky_give(void *block, size_t bytes);

/* What the weights of a reel sum to at a time; of the locked reel with those that do not trigger.
 */
uint64_t sticky_scale(const struct sticky_spin *spin, uint32_t reel, uint32_t time);

#endif
