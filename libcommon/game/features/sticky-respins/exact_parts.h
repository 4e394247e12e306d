/* What the files of the sticky respins share. */
#ifndef CARILLON_GAME_FEATURES_STICKY_RESPINS_EXACT_PARTS_H
#define CARILLON_GAME_FEATURES_STICKY_RESPINS_EXACT_PARTS_H

#include "libcommon/game/exact/feature.h"
#include "libcommon/game/features/sticky-respins/exact_reels.h"

/* Means of all respins of a trigger, per spin of the context, triggering or not. */
struct sticky_context {
	uint32_t lines;
	mpq_t *coins;  /* [i]: lines, in coins for one coin a line, of the first i + 1 lines */
	mpq_t trigger; /* probability */
	mpq_t scatter; /* in total bets */
	mpq_t awards;  /* free spins */
	mpq_t awarded; /* respins that award some */
};

/* Figures of a context that few bets differ in, of the bet they were last asked for. lines 0: of
 * none. */
struct sticky_zeros {
	uint32_t lines;
	bool live;
	struct spin_yield change; /* of P(no win, awards) */
};

struct sticky_best {
	uint32_t lines;
	uint64_t floor; /* in coins: less was not looked for */
	mpq_t x, p;	/* the most of one respin, its probability; 0: it is below the floor */
};

struct sticky_work {
	struct sticky_context context[2]; /* CONTEXT_BASE, CONTEXT_FREE */
	struct sticky_cache cache[2][GAME_WILD_POSITIONS_MAX];
	struct sticky_zeros zeros[2];
	struct sticky_best best[2];
};

/* What this mode has prepared; NULL: the game has none. */
struct sticky_work *sticky_of(const struct exact_work *work);

/* The spins of a context that may trigger, by bought wild reels, and how likely each is. The
 * shares are initialised by the caller. Returns how many. */
uint32_t sticky_spins(const struct exact_work *work, enum spin_context context,
	struct sticky_spin spin_r[GAME_WILD_POSITIONS_MAX], mpq_t share_r[GAME_WILD_POSITIONS_MAX]);

/* Symbols counted on the whole screen: the scatters, and the progressive's where they win anywhere.
 * At most one of each shows on a reel (the loader's check), so a column is a mask of them. A
 * screen's counts are one number, its code: the codes of its columns add up to it. */
struct counted {
	uint32_t count;
	uint32_t codes; /* all are below */
	uint8_t symbol[GAME_SCATTERS_MAX + 1];
};

struct counted_worth {
	uint32_t pay; /* times the total bet */
	uint32_t awards;
	bool jackpot;
};

/* `progressive`: may it be won in the triggering spin? */
void counted_init(const struct game *game, bool progressive, struct counted *counted_r);
uint8_t counted_mask(const struct game *game, const struct counted *counted, uint64_t column);
uint32_t counted_code(const struct game *game, const struct counted *counted, uint8_t mask);
/* No progressive in CONTEXT_RESPIN. */
struct counted_worth counted_worth(const struct game *game, const struct counted *counted,
	enum spin_context context, uint32_t code);

/* Both add what the respins change in a yield that does not hold them yet. EXACT_ALL. */
void sticky_moments(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield);
void sticky_zero(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield);

/* Offers the best sticky respin of spins of the context. EXACT_ALL. */
void sticky_offer_most(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct exact_mode *mode_r);

#endif
