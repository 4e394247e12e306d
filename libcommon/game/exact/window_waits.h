/* Sets of waits: what would still make a window win after some of its reels are known (see
 * window_zero.h). A set's level is the index of the next reel. Its number is unique within the
 * level; WAITS_NONE is the empty set of every level. */
#ifndef CARILLON_GAME_EXACT_WINDOW_WAITS_H
#define CARILLON_GAME_EXACT_WINDOW_WAITS_H

#include "libcommon/game/exact/window_zero.h"

#include <stddef.h>

#define WAITS_NONE 0u
#define WAITS_WIN UINT32_MAX

struct waits;

struct waits *waits_new(const struct zero_input *input);
void waits_free(struct waits **waits);
/* Does some line win in every window? */
bool waits_sure_win(const struct waits *waits);
/* The set before the first reel. */
uint32_t waits_first(const struct waits *waits);
/* Are there no waits from this level on? */
bool waits_end(const struct waits *waits, uint32_t level);
/* The number of sets of a level so far. */
uint32_t waits_sets(const struct waits *waits, uint32_t level);
/* Selects the set that waits_next continues. */
void waits_ready(struct waits *waits, uint32_t level, uint32_t set);
/* The set of the next level after this column; WAITS_WIN if a line wins. */
uint32_t waits_next(struct waits *waits, uint32_t level, const uint8_t *column);

/* By GMP's functions: never NULL. */
void *waits_take(size_t bytes);
void waits_give(void *block, size_t bytes);

#endif
