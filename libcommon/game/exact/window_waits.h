/* Sets of waits: what a window of which some reels are known still waits for to win (see
 * window_zero.h). A set is known by its number within its level, the reel it comes before;
 * WAITS_NONE is the empty set of every level. */
#ifndef CARILLON_GAME_EXACT_WINDOW_WAITS_H
#define CARILLON_GAME_EXACT_WINDOW_WAITS_H

#include "libcommon/game/exact/window_zero.h"

#include <stddef.h>

#define WAITS_NONE 0u
#define WAITS_WIN UINT32_MAX

struct waits;

struct waits *waits_new(const struct zero_input *input);
void waits_free(struct waits **waits);
/* Some line wins whatever is shown. */
bool waits_sure_win(const struct waits *waits);
/* The set before the first reel. */
uint32_t waits_first(const struct waits *waits);
/* Nothing waits from this level on. */
bool waits_end(const struct waits *waits, uint32_t level);
/* Sets of a level, so far. */
uint32_t waits_sets(const struct waits *waits, uint32_t level);
/* The set that waits_next is about from now on. */
void waits_ready(struct waits *waits, uint32_t level, uint32_t set);
/* The set of the next level, WAITS_WIN if a line wins. */
uint32_t waits_next(struct waits *waits, uint32_t level, const uint8_t *column);

/* By GMP's functions: never NULL. */
void *waits_take(size_t bytes);
void waits_give(void *block, size_t bytes);

#endif
