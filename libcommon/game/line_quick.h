/* Expected line win while strips are being changed: what the optimiser asks a hundred thousand
 * times a second. The same exact integers as lines.h (the tests hold them together), in 128 bits
 * instead of GMP's, one reel renewed at a time. */
#ifndef CARILLON_GAME_LINE_QUICK_H
#define CARILLON_GAME_LINE_QUICK_H

#include "libcommon/game/exact/line_graph.h"
#include "libcommon/game/exact/lines.h"

/* What more a run pays by being a cell longer, as coefficients of ways modulo 2^64. */
struct line_steps {
	uint64_t most; /* a line's largest pay, the flat multiplier included */
	/* of ways in which the first so many cells are wild */
	uint64_t wild[GAME_REELS_MAX + 1];
	/* [symbol][k][n]: of ways in which k cells are wild and then n - k the symbol or wild */
	uint64_t run[GAME_SYMBOLS_MAX][GAME_REELS_MAX][GAME_REELS_MAX + 1];
	uint32_t leads[GAME_SYMBOLS_MAX]; /* bit k: some of run[symbol][k] are not 0 */
};

struct line_quick {
	const struct game *game; /* its strips may change between calls */
	uint32_t set;
	uint32_t wild_reels;
	struct line_terms terms;
	uint32_t stand_in; /* bit s: symbol s is a line symbol, the wild stands in for it */
	struct cell_weights reel[GAME_REELS_MAX];
	bool even[GAME_REELS_MAX]; /* every row of the reel has the same weights */
	struct line_steps steps;
	struct line_graph graph;
};

void line_quick_init(struct line_quick *quick, const struct game *game, uint32_t set,
	uint32_t wild_reels, const struct line_terms *terms);
/* The strip of this reel has changed. */
void line_quick_renew(struct line_quick *quick, uint32_t reel);
/* Sum over all lines of coins x weight, and the product of the reels' totals. Exact as long as that
 * product x the lines x the largest pay is below 2^127: it is, by the loader's bounds. */
exact_count line_quick_sum(const struct line_quick *quick, exact_count *total_r);

#endif
