/* What the files of the sticky respins share. */
#ifndef CARILLON_SPIN_ENGINE_EXACT_STICKY_PARTS_H
#define CARILLON_SPIN_ENGINE_EXACT_STICKY_PARTS_H

#include "services/spin-engine/exact/exact_internal.h"
#include "services/spin-engine/exact/sticky_reels.h"

/* Means of all respins of a trigger, per spin of the context, triggering or not. */
struct sticky_context {
	uint32_t lines;
	mpq_t *coins;	/* [i]: lines, in coins for one coin a line, of the first i + 1 lines */
	mpq_t trigger;	/* probability */
	mpq_t scatter;	/* in total bets */
	mpq_t awards;	/* free spins */
	mpq_t awarded;	/* respins that award some */
};

struct sticky_work {
	struct sticky_context context[2]; /* CONTEXT_BASE, CONTEXT_FREE */
};

/* The spins of a context that may trigger, by bought wild reels, and how likely each is. The
 * shares are initialised by the caller. Returns how many. */
uint32_t sticky_spins(const struct exact_work *work, enum spin_context context,
	struct sticky_spin spin_r[GAME_WILD_POSITIONS_MAX], mpq_t share_r[GAME_WILD_POSITIONS_MAX]);

/* Scatters counted: one number for the counts of all kinds; columns' codes add up. */
uint32_t scatter_codes(const struct game *game);
uint32_t scatter_code(const struct game *game, uint64_t column);
/* Times the total bet, and free spins. */
void scatter_worth(const struct game *game, enum spin_context context, uint32_t code,
	uint32_t *pay_r, uint32_t *awards_r);

/* Both add what the respins change in a yield that does not hold them yet. EXACT_ALL. */
void sticky_moments(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield);
void sticky_zero(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield);

#endif
