/* Windows that win nothing: how many there are, by what their stops set off.
 *
 * A line that may still win is remembered only by what would make it win, so lines that wait for
 * the same symbols in the same rows are one, and a state is a set of such waits (line automata of
 * machine_lines.h, gains forgotten). Two sides may be asked for at once: the window itself, and the
 * window with some cells covered by a symbol; a window counts if no side asked for wins. Exact;
 * allocates with GMP's functions, which end the program when there is no memory. */
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
	/* the covered side: weights of the sets of rows (bits), what covers them, and a symbol that
	 * stays where it is (GAME_NO_SYMBOL: none) */
	uint64_t subset[ZERO_SUBSETS];
	uint8_t symbol, kept;
};

struct zero_input {
	const struct game *game;
	uint32_t lines;
	bool own, covered; /* which sides must not win */
	struct zero_reel reel[GAME_REELS_MAX];
};

/* Windows of a group: weights of stops and sets multiplied. */
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
