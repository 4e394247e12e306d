/* Counts the windows that win nothing, by group. The caller gives each stop a group, such as the
 * collectible and the scatters that it shows; a window's group is the sum over its stops.
 *
 * A line that can still win is described only by its wait: the symbols and rows that would make it
 * win. Lines with the same wait are treated as one line. A state is a set of waits. (Waits are the
 * nodes of the line automaton of machine_lines.h, without the gains.) Two sides are possible: the
 * window itself, and the window with some cells covered by a symbol. A window counts if no selected
 * side wins. Exact; allocates by GMP's functions, which end the program if there is no memory. */
#ifndef CARILLON_GAME_EXACT_WINDOW_ZERO_H
#define CARILLON_GAME_EXACT_WINDOW_ZERO_H

#include "libcommon/game/game.h"

#include <gmp.h>

#define ZERO_SUBSETS (1u << GAME_ROWS_MAX)

struct zero_stop {
	uint8_t symbol[GAME_ROWS_MAX];
	uint32_t group; /* adds up over the reels */
	uint64_t weight;
};

struct zero_reel {
	uint32_t count;
	struct zero_stop *stop;
	/* the covered side: weights of the sets of rows (bits), the symbol that covers them, and a
	 * symbol that is never covered (GAME_NO_SYMBOL: none) */
	uint64_t subset[ZERO_SUBSETS];
	uint8_t symbol, kept;
};

struct zero_input {
	const struct game *game;
	uint32_t lines;
	bool own, covered; /* the selected sides */
	struct zero_reel reel[GAME_REELS_MAX];
};

/* The windows of a group: products of the weights of stops and sets. */
struct zero_group {
	uint32_t group;
	mpz_t ways;
};

struct zero_groups {
	size_t count, room;
	struct zero_group *of;
};

void window_zero(const struct zero_input *input, struct zero_groups *groups_r);
void zero_groups_free(struct zero_groups *groups);

#endif
