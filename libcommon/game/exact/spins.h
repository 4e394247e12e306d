/* The windows of one context (the paid spin of a mode, or a free spin), prepared once for all bets.
 *
 * Symbols that count anywhere in the window (scatters, bonus, symbols of the progressive and of a
 * guarantee) are counted beside the lines: a window's counts are its *tag*. Given the tag, line
 * wins and the yields of features are independent, so a spin's yield is a mixture over tags. Means
 * need only the lines' mean and the tags; moments, and modes with a guarantee, need the joint
 * distribution (rows). */
#ifndef CARILLON_GAME_EXACT_SPINS_H
#define CARILLON_GAME_EXACT_SPINS_H

#include "libcommon/game/exact/yield.h"

#define COUNTERS_MAX 6
#define COUNTER_BITS 5 /* GAME_CELLS_MAX fits */

/* Which symbols a tag counts. */
struct counters {
	uint32_t count;
	uint8_t symbol[COUNTERS_MAX];
	uint32_t tag_of[GAME_SYMBOLS_MAX];
};

/* The count of a symbol in a tag; 0 for one that is not counted. */
uint32_t tag_count(const struct counters *counters, uint32_t tag, uint8_t symbol);

/* The windows with one tag. spin_tags sets only `tag` and `n`; spin_rows sets all. */
struct spin_row {
	uint32_t tag;
	mpz_t n;
	/* sums over them of the line win L and of L^2, flat multiplier included */
	mpz_t coins, coins2;
	mpz_t jackpots, jackpot_coins; /* windows that win the progressive on a line, and the sum of
					  their L */
	mpz_t nothing;		       /* windows with neither line win nor progressive */
};

/* Windows by the sum of their line and scatter pays. */
struct spin_win {
	uint64_t coins; /* for one coin a line */
	bool jackpot;
	exact_count n;
};

struct spin_figures {
	const struct game *game;
	const struct game_mode *mode; /* NULL: free spins */
	enum spin_context context;
	enum exact_depth depth;
	uint32_t set;
	struct line_terms terms; /* without progressive */
	struct counters counters;
	void *own[FEATURES]; /* of features */

	/* means, without a guarantee */
	mpq_t *coins[2];	  /* [progressive live][lines - 1] */
	struct spin_yield always; /* the part that does not depend on the bet: all but lines,
				     jackpots and `follows` */
	mpq_t follows[FEATURES];  /* P(the feature starts), for features whose yield depends on the
				     bet */
	mpq_t anywhere;		  /* P(symbols anywhere win the progressive) */

	/* by tag */
	uint32_t row_count, row_room;
	struct spin_row *row;
	mpz_t total; /* the sum of n */
	bool has_rows;
	uint32_t row_lines; /* the bet that the rows were made for */
	bool row_live;
	size_t win_count, win_room;
	/* first the wins without the progressive, then those with it; each group by rising coins;
	 * EXACT_ALL only */
	struct spin_win *win;
};

/* NULL when memory ends. `context`: CONTEXT_BASE or CONTEXT_FREE. */
struct spin_figures *spin_figures_new(const struct game *game, const struct game_mode *mode,
	enum spin_context context, enum exact_depth depth);
void spin_figures_free(struct spin_figures **figures);
/* The yield of one spin at a bet, without the features that add their own yield (feature.h).
 * Initialises `yield_r`. */
enum exact_status spin_figures_yield(
	struct spin_figures *figures, const struct exact_wager *wager, struct spin_yield *yield_r);

/* Can symbols win the progressive at this bet? */
bool wager_live(const struct game *game, const struct exact_wager *wager);
/* The wild reels of position `index` and its weight. A mode without bought wild reels counts as one
 * position, without wild reels and with weight 1. */
uint32_t position_reels(const struct game_mode *mode, uint32_t index);
uint64_t position_weight(const struct game_mode *mode, uint32_t index);
uint32_t position_count(const struct game_mode *mode);

/* ---- rows: spin_rows.c ---- */

/* Only tags: n of every row. */
enum exact_status spin_tags(struct spin_figures *figures);
/* Tags with the lines, for this number of lines; counts only windows that keep the guarantee. */
enum exact_status spin_rows(struct spin_figures *figures, uint32_t lines, bool live);
void spin_rows_clear(struct spin_figures *figures);
/* The sum of scatter pays in a window with this tag, in multiples of the total bet. */
uint64_t tag_scatter_pay(const struct spin_figures *figures, uint32_t tag);

/* ---- jackpots on lines: jackpot_lines.c ---- */

/* P(at least one of the first `lines` lines has the progressive's combination). A spin wins it at
 * most once. */
void jackpot_on_lines(const struct spin_figures *figures, uint32_t lines, mpq_t p_r);

/* ---- features that a window's counts start: attached.c ---- */

/* The yield of a window with this tag, without its lines. `wager` NULL: without what depends on the
 * bet (pick bonus, jackpots). Initialises `yield_r`. */
void tag_yield(const struct spin_figures *figures, uint32_t tag, const struct exact_wager *wager,
	struct spin_yield *yield_r);
/* Joins a pay that occurs with probability 1, in total bets. */
void yield_add_pay(struct spin_yield *yield, enum win_source source, uint64_t pay);

#endif
