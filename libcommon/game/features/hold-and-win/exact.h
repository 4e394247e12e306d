/* Exact mathematics of hold and win. An absorbing chain over filled cells and respins left gives
 * the number of cells filled at the end; the win then follows from the moments of the sum of
 * that many symbol values. RULE mystery-elves 3.4 to 3.14 */
#ifndef CARILLON_GAME_FEATURES_HOLD_AND_WIN_EXACT_H
#define CARILLON_GAME_FEATURES_HOLD_AND_WIN_EXACT_H

#include "libcommon/game/exact/feature.h"

/* The yield of the feature for each number of symbols that can start it (SOURCE_HOLD, EVENT_HOLD,
 * EVENT_HOLD_FULL, EVENT_AWARD + i). hold_yields initialises entries at_least .. cells;
 * hold_yields_free frees them. */
struct hold_yields {
	uint32_t from, cells;
	struct spin_yield start[GAME_CELLS_MAX + 1];
};

void hold_yields(const struct game *game, enum exact_depth depth, struct hold_yields *yields_r);
void hold_yields_free(struct hold_yields *yields);

/* The largest value of `cells` filled cells, in total bets, and its probability. */
void hold_most(const struct game *game, uint32_t cells, mpq_t most_r, mpq_t probability_r);

/* The yields of a paid spin; NULL in free spins. */
const struct hold_yields *hold_yields_of(const struct spin_figures *figures);
/* Offers the largest win of the feature in a paid spin (all cells filled) for mode_r->max_win. */
void hold_offer_most(const struct exact_work *work, const struct exact_wager *wager,
	bool free_spins, struct exact_mode *mode_r);

#endif
