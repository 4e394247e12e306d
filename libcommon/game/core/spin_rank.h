/* Guaranteed spins: numbers the combinations that keep a guarantee (at least one winning line, or a
 * minimum number of a symbol) from 0, so that one draw selects one of them. Repeating draws until
 * one keeps the guarantee would discard draws because of what they showed, and would have no bound.
 *
 * A combination is a choice of bought wild reels and a stop on every reel; it counts with its
 * weight (position x stops). The loader builds and owns the tables (exact/); this code only reads
 * them. */
#ifndef CARILLON_GAME_CORE_SPIN_RANK_H
#define CARILLON_GAME_CORE_SPIN_RANK_H

#include "libcommon/base/rng.h"
#include "libcommon/game/game.h"

/* One reel of the automaton of one choice of wild reels. From state s, stop c leads to next[s *
 * stops + c]; below[s * stops + c] counts the qualifying combinations (weighted by the stops from
 * this reel on) whose stop on this reel is c or less. */
struct spin_rank_reel {
	uint32_t states, stops;
	const uint32_t *next;
	const uint64_t *below;
};

struct spin_rank_position {
	uint32_t reels;	 /* bought wild reels, as in wild_position; 0: none */
	uint64_t weight; /* weight of the position x count */
	uint64_t count;	 /* qualifying combinations, weights of stops included */
	struct spin_rank_reel reel[GAME_REELS_MAX];
};

struct spin_rank {
	uint32_t reels;
	uint64_t weight; /* the sum over positions */
	uint32_t position_count;
	struct spin_rank_position position[GAME_WILD_POSITIONS_MAX];
};

/* The index of the position that `value` (0 .. rank->weight - 1) selects. */
uint32_t spin_rank_position_of(const struct spin_rank *rank, uint64_t value);
/* The stops of combination `value` (0 .. count - 1) of a position. */
void spin_rank_stops(const struct spin_rank *rank, uint32_t position, uint64_t value,
	uint16_t stop_r[GAME_REELS_MAX]);

#endif
