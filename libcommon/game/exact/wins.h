/* The distribution of the paid spin's own win, and the largest win of one spin. */
#ifndef CARILLON_GAME_EXACT_WINS_H
#define CARILLON_GAME_EXACT_WINS_H

#include "libcommon/game/exact/spins.h"

/* Fills win[] (in stakes) and max_win (in total bets; the caller divides) of an EXACT_ALL figure,
 * from rows made for this bet. `free_spins`: can the paid spin award free spins? */
enum exact_status exact_fill_wins(const struct exact_work *work, const struct exact_wager *wager,
	bool free_spins, struct exact_mode *mode_r);

#endif
