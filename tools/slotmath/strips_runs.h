/* Strips on which equal symbols stand together in runs, as stacked reels have them. */
#ifndef CARILLON_SLOTMATH_STRIPS_RUNS_H
#define CARILLON_SLOTMATH_STRIPS_RUNS_H

#include "libcommon/base/rng.h"
#include "libcommon/game/game.h"

#include <stdbool.h>

/* Lays `count` of each symbol in runs of about `run` (>= 1), in any order in which runs of one
 * symbol do not touch. False when none was found, or there are more symbols than a strip holds. */
bool runs_lay(struct rng *rng, const uint32_t count[GAME_SYMBOLS_MAX],
	const uint32_t run[GAME_SYMBOLS_MAX], uint8_t symbol_r[GAME_STRIP_MAX], uint32_t *length_r);
/* A symbol for the stop that keeps the runs: its neighbour's at the end of a run, which so moves by
 * one; any single one for a single. The stop's own where neither is possible. */
uint8_t runs_candidate(struct rng *rng, const struct game_strip *strip, uint32_t at,
	const uint32_t run[GAME_SYMBOLS_MAX], uint32_t symbols);

#endif
