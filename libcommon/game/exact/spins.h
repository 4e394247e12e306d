/* One context's windows (the paid spin of a mode, or a free spin), prepared once for all bets.
 *
 * Symbols that matter anywhere in the window (scatters, bonus, symbols of the progressive and of a
 * guarantee) are counted beside the lines: a window's counts are its *tag*. Given the tag, what is
 * won on lines and what battles, vials and the like give are independent, so a spin's yield is a
 * mixture over tags. Means need the lines' average and the tags alone; moments, and whatever has a
 * guarantee, need them together (rows). */
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

/* Windows of one tag. Without rows only n is set. */
struct spin_row {
	uint32_t tag;
	mpz_t n;
	mpz_t coins, coins2; /* sums of the line win L over them, of L^2, flat multiplier in */
	mpz_t jackpots,
		jackpot_coins; /* those that win the progressive on a line; the sum of L there */
	mpz_t nothing;	       /* those without line win and progressive */
};

/* Windows by what their lines and scatters pay together. */
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
	mpq_t *coins[2]; /* [progressive live][lines - 1] */
	struct spin_yield
		always; /* what does not depend on the bet: all but lines, jackpots and .. */
	mpq_t follows[FEATURES]; /* P(it is started), of what depends on the bet */
	mpq_t anywhere;		 /* P(the progressive by symbols anywhere) */

	/* by tag */
	uint32_t row_count, row_room;
	struct spin_row *row;
	mpz_t total; /* the sum of n */
	bool has_rows;
	uint32_t row_lines; /* what the rows were made for */
	bool row_live;
	size_t win_count, win_room; /* rising; EXACT_ALL */
	struct spin_win *win;
};

/* NULL when memory ends. `context`: CONTEXT_BASE or CONTEXT_FREE. */
struct spin_figures *spin_figures_new(const struct game *game, const struct game_mode *mode,
	enum spin_context context, enum exact_depth depth);
void spin_figures_free(struct spin_figures **figures);
/* The yield of one spin at a bet, without sticky respins and potions. `yield_r` is initialised by
 * it. */
enum exact_status spin_figures_yield(
	struct spin_figures *figures, const struct exact_wager *wager, struct spin_yield *yield_r);

/* May the symbols of the progressive win it at this bet? */
bool wager_live(const struct game *game, const struct exact_wager *wager);
/* The wild reels of position `index` and its weight; a mode without positions has one. */
uint32_t position_reels(const struct game_mode *mode, uint32_t index);
uint64_t position_weight(const struct game_mode *mode, uint32_t index);
uint32_t position_count(const struct game_mode *mode);

/* ---- rows: spin_rows.c ---- */

/* Tags alone: n of every row. */
enum exact_status spin_tags(struct spin_figures *figures);
/* Tags with the lines, for so many lines, a guarantee kept. */
enum exact_status spin_rows(struct spin_figures *figures, uint32_t lines, bool live);
void spin_rows_clear(struct spin_figures *figures);
/* What scatters pay together in a window of this tag, times the total bet. */
uint64_t tag_scatter_pay(const struct spin_figures *figures, uint32_t tag);

/* ---- jackpots on lines: jackpot_lines.c ---- */

/* P(at least one of the first `lines` lines has the combination of the progressive): a spin wins it
 * once. */
void jackpot_on_lines(const struct spin_figures *figures, uint32_t lines, mpq_t p_r);

/* ---- what a window's counts set off: attached.c ---- */

/* Everything that a window of this tag gives beside its lines, joined to nothing. `wager` NULL:
 * without what depends on the bet (vials, jackpots). `yield_r` is initialised by it. */
void tag_yield(const struct spin_figures *figures, uint32_t tag, const struct exact_wager *wager,
	struct spin_yield *yield_r);
/* A certain pay, in total bets, joins in. */
void yield_add_pay(struct spin_yield *yield, enum win_source source, uint64_t pay);

#endif
