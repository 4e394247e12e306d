/* Builds the ranks of a guaranteed mode (core/spin_rank.h): an automaton that reads the reels'
 * stops from left to right, and for each state and stop the number of combinations that keep the
 * guarantee. The automaton of all windows (libcommon/game/reel_machine.h) says whether a line wins;
 * states with the same future are merged.
 *
 * Allocates; no I/O, no clock. */
#ifndef CARILLON_GAME_EXACT_SPIN_RANK_BUILD_H
#define CARILLON_GAME_EXACT_SPIN_RANK_BUILD_H

#include "libcommon/game/core/spin_rank.h"

enum spin_rank_status {
	SPIN_RANK_OK = 0,
	SPIN_RANK_NONE,	    /* no combination keeps the guarantee */
	SPIN_RANK_TOO_MANY, /* 2^63 or more combinations, weights included */
	SPIN_RANK_NO_MEMORY,
};

/* For a mode with a guarantee, of a compiled game; all lines are played. The caller frees *rank_r
 * with spin_rank_free; it is NULL unless SPIN_RANK_OK. */
enum spin_rank_status spin_rank_build(
	const struct game *game, uint32_t mode, const struct spin_rank **rank_r);
void spin_rank_free(const struct spin_rank **rank);

/* The share of a set's windows in which one of the first `lines` lines wins. Only for bounds: exact
 * except for the last rounding. SPIN_RANK_OK or SPIN_RANK_NO_MEMORY. */
enum spin_rank_status spin_rank_win_share(
	const struct game *game, uint32_t set, uint32_t lines, double *share_r);

#endif
