/* Strips on which equal symbols stand together in runs (stacked symbols). */
#ifndef CARILLON_SLOTMATH_STRIPS_RUNS_H
#define CARILLON_SLOTMATH_STRIPS_RUNS_H

#include "libcommon/base/rng.h"
#include "libcommon/game/game.h"

#include <stdbool.h>

/* Arranges `count` of each symbol in runs of about `run` (>= 1) in a random order; runs of the same
 * symbol do not touch. False if it finds no order, or there are more symbols than a strip holds. */
bool runs_lay(struct rng *rng, const uint32_t count[GAME_SYMBOLS_MAX],
	const uint32_t run[GAME_SYMBOLS_MAX], uint8_t symbol_r[GAME_STRIP_MAX], uint32_t *length_r);
/* A new symbol for the stop that keeps the runs: at the end of a run the neighbour's symbol, which
 * moves the end by one; for a single symbol any other single symbol. Returns the stop's own symbol
 * if neither is possible. */
uint8_t runs_candidate(struct rng *rng, const struct game_strip *strip, uint32_t at,
	const uint32_t run[GAME_SYMBOLS_MAX], uint32_t symbols);

#endif
