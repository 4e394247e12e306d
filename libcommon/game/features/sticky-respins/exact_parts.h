/* Shared by the files of sticky respins. */
#ifndef CARILLON_GAME_FEATURES_STICKY_RESPINS_EXACT_PARTS_H
#define CARILLON_GAME_FEATURES_STICKY_RESPINS_EXACT_PARTS_H

#include "libcommon/game/exact/feature.h"
#include "libcommon/game/features/sticky-respins/exact_reels.h"

/* Expected sums over all respins that a spin of the context triggers; a spin that triggers none
 * counts as 0. */
struct sticky_context {
	uint32_t lines;
	mpq_t *coins;  /* [i]: wins of the first i + 1 lines, in coins for one coin a line */
	mpq_t trigger; /* probability */
	mpq_t scatter; /* in total bets */
	mpq_t awards;  /* free spins */
	mpq_t awarded; /* respins that award free spins */
};

/* The values that sticky_zero last computed for a context. They depend only on `lines` and `live`,
 * so most bets can use them again. lines 0: not computed yet. */
struct sticky_zeros {
	uint32_t lines;
	bool live;
	struct spin_yield change; /* of P(no win, awards) */
};

struct sticky_best {
	uint32_t lines;
	uint64_t floor; /* in coins; smaller wins were not searched */
	/* the largest win of one respin and its probability; 0: it is below the floor */
	mpq_t x, p;
};

struct sticky_work {
	struct sticky_context context[2]; /* CONTEXT_BASE, CONTEXT_FREE */
	struct sticky_cache cache[2][GAME_WILD_POSITIONS_MAX];
	struct sticky_zeros zeros[2];
	struct sticky_best best[2];
};

/* The data prepared for this mode; NULL: the game has no sticky respins. */
struct sticky_work *sticky_of(const struct exact_work *work);

/* The spins of a context that can trigger, one for each set of bought wild reels, and the
 * probability of each. The caller initialises the shares. Returns their number. */
uint32_t sticky_spins(const struct exact_work *work, enum spin_context context,
	struct sticky_spin spin_r[GAME_WILD_POSITIONS_MAX], mpq_t share_r[GAME_WILD_POSITIONS_MAX]);

/* Symbols counted on the whole screen: the scatters, and the progressive's symbols if they win
 * anywhere. A reel shows at most one of each (the loader checks it), so a column is a mask of them.
 * A screen's code is one number for its counts: the sum of the codes of its columns. */
struct counted {
	uint32_t count;
	uint32_t codes; /* all codes are below this */
	uint8_t symbol[GAME_SCATTERS_MAX + 1];
};

struct counted_worth {
	uint32_t pay; /* times the total bet */
	uint32_t awards;
	bool jackpot;
};

/* `progressive`: can the triggering spin win it? */
void counted_init(const struct game *game, bool progressive, struct counted *counted_r);
uint8_t counted_mask(const struct game *game, const struct counted *counted, uint64_t column);
uint32_t counted_code(const struct game *game, const struct counted *counted, uint8_t mask);
/* In CONTEXT_RESPIN, symbols do not win the progressive. */
struct counted_worth counted_worth(const struct game *game, const struct counted *counted,
	enum spin_context context, uint32_t code);

/* Both add the effect of the respins to a yield without respins. EXACT_ALL. */
void sticky_moments(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield);
void sticky_zero(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield);

/* Offers, as a candidate for mode_r->max_win, the largest win of a sticky respin in this
 * context. EXACT_ALL. */
void sticky_offer_most(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct exact_mode *mode_r);

#endif
