/* Prepares a mode once, then computes the returns of single bets. */
#ifndef CARILLON_GAME_BETS_H
#define CARILLON_GAME_BETS_H

#include "libcommon/game/exact/spins.h"

void exact_wager_init(
	struct exact_wager *wager, const struct game *game, uint32_t lines, uint32_t coins);
void exact_wager_clear(struct exact_wager *wager);

/* Nothing to free unless EXACT_OK. */
enum exact_status exact_work_init(
	struct exact_work *work, const struct game *game, uint32_t mode, enum exact_depth depth);
void exact_work_free(struct exact_work *work);

/* The yields of a paid spin, of a free spin and of the whole round. Initialised only on success. */
struct round_yields {
	struct spin_yield paid, free_spin, round;
	mpq_t total; /* the return of the round, in multiples of the total bet */
};

enum exact_status round_yields_of(const struct exact_work *work, const struct exact_wager *wager,
	struct round_yields *yields);
void round_yields_free(struct round_yields *yields);

/* The return of a round of one bet, as a fraction of its price. In games with carried state, low
 * and high are the lowest and the highest return over all levels of unlocking; in other games both
 * equal rtp. */
struct bet_return {
	mpq_t rtp, low, high;
};

void bet_return_init(struct bet_return *value);
void bet_return_clear(struct bet_return *value);
/* Computes `value`. Appends the return from each carried state to the states of `mode_r`,
 * which may be NULL. */
void bet_return_from(const struct exact_work *work, const struct exact_wager *wager,
	const struct round_yields *yields, struct exact_mode *mode_r, struct bet_return *value);
enum exact_status bet_return_of(
	const struct exact_work *work, uint32_t lines, uint32_t coins, struct bet_return *value);

/* Converts x from multiples of the total bet to multiples of the mode's price. */
void exact_per_price(mpq_t x, const struct game_mode *mode);

/* Sets *in_band_r: is the return of every bet that `published` covers, at every level of unlocking,
 * in the band that `published` gives? `work` has depth EXACT_RETURN. */
enum exact_status exact_check_band(
	const struct exact_work *work, const struct published_rtp *published, bool *in_band_r);

#endif
