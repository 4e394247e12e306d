/* What the exact mathematics of cascades shares with the PAR sheet. */
#ifndef CARILLON_GAME_FEATURES_CASCADE_EXACT_H
#define CARILLON_GAME_FEATURES_CASCADE_EXACT_H

#include "libcommon/game/exact/feature.h"
#include "libcommon/game/features/cascade/cycle.h"

/* Combinations of stops by what their windows count (a tag): given that, what the lines and the
 * tumbles win and what the counts set off are independent. Sums are over the combinations by their
 * weights, wins in coins for one coin a line. */
struct cascade_row {
	uint32_t tag;
	exact_count n;
	exact_count first, rest; /* sums of the spin's own lines, and of its tumbles */
	exact_count square;	 /* of both together */
	exact_count nothing;	 /* those that win neither */
	exact_count cascades;	 /* those that tumble */
	exact_count tumbles;
};

#define CASCADE_ROWS_MAX 1024

struct cascade_cycle {
	uint32_t lines; /* of the bet it was made for; 0: of none */
	uint32_t row_count;
	struct cascade_row row[CASCADE_ROWS_MAX];
	exact_count total;				 /* the sum of n */
	exact_count by_tumbles[CASCADE_TUMBLES_MAX + 1]; /* combinations by their tumbles */
	uint64_t most; /* lines, tumbles and scatters together, in coins for one coin a line */
	exact_count most_n;
};

/* Of a context at a bet; made when first asked for. NULL: the game has no such spins. */
const struct cascade_cycle *cascade_cycle_of(
	const struct exact_work *work, const struct exact_wager *wager, enum spin_context context);

#endif
