/* The exact mathematics of cascades, as far as the PAR sheet uses it. */
#ifndef CARILLON_GAME_FEATURES_CASCADE_EXACT_H
#define CARILLON_GAME_FEATURES_CASCADE_EXACT_H

#include "libcommon/game/exact/feature.h"
#include "libcommon/game/features/cascade/cycle.h"

/* The combinations of stops whose windows have the same tag (reel_machine.h). Given the tag, the
 * wins of lines and tumbles are independent of the features that the window starts. In the sums,
 * each combination counts with the weight of its stops. Wins are in coins for one coin a line. */
struct cascade_row {
	uint32_t tag;
	exact_count n;
	exact_count first, rest; /* sums of the wins of the spin's own lines, and of its tumbles */
	exact_count square;	 /* sum of (first + rest) squared */
	exact_count nothing;	 /* combinations without any win */
	exact_count cascades;	 /* combinations that tumble */
	exact_count tumbles;
};

#define CASCADE_ROWS_MAX 1024

struct cascade_cycle {
	uint32_t lines; /* of the bet it was made for; 0: not made yet */
	uint32_t row_count;
	struct cascade_row row[CASCADE_ROWS_MAX];
	exact_count total;				 /* the sum of n */
	exact_count by_tumbles[CASCADE_TUMBLES_MAX + 1]; /* combinations by number of tumbles */
	/* largest sum of lines, tumbles and scatters, in coins for one coin a line */
	uint64_t most;
	exact_count most_n;
};

/* The cycle of a context at a bet, computed at the first call. NULL: the game has no such spins. */
const struct cascade_cycle *cascade_cycle_of(
	const struct exact_work *work, const struct exact_wager *wager, enum spin_context context);

#endif
