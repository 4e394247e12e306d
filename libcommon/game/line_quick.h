/* Computes the expected line win for an optimiser that changes strips a hundred thousand times a
 * second. The results are the same exact integers as those of exact/lines.h (tests compare them),
 * but this code computes in 128 bits instead of with GMP, and updates only the reel that
 * changed. */
#ifndef CARILLON_GAME_LINE_QUICK_H
#define CARILLON_GAME_LINE_QUICK_H

#include "libcommon/game/exact/line_graph.h"
#include "libcommon/game/exact/lines.h"

/* Each value in `wild` and `run` stands for a set of ways to fill the line's cells; the comments on
 * the two arrays say which. The line win is the sum of all values, each multiplied by the total
 * weight of its ways. A value is the amount by which one more cell raises the line's pay. A way
 * that begins with k + 1 wilds also begins with k wilds, so the values for k wilds have counted a
 * part of its pay already. The value for k + 1 wilds leaves that part out, so it may be negative;
 * it is computed modulo 2^64. The values are used only if wilds do not multiply and the sum fits 64
 * bits. If wilds multiply, all values are 0. */
struct line_steps {
	uint64_t most; /* a line's largest pay, flat multiplier included */
	/* [k]: ways in which the first k cells are wild */
	uint64_t wild[GAME_REELS_MAX + 1];
	/* [symbol][k][n]: ways in which k cells are wild and the next n - k are the symbol or
	 * wild */
	uint64_t run[GAME_SYMBOLS_MAX][GAME_REELS_MAX][GAME_REELS_MAX + 1];
	uint32_t leads[GAME_SYMBOLS_MAX]; /* bit k: run[symbol][k] has a value other than 0 */
};

struct line_quick {
	const struct game *game; /* its strips may change between calls */
	uint32_t set;
	uint32_t wild_reels;
	struct line_terms terms;
	uint32_t stand_in; /* bit s: symbol s is a line symbol, so the wild substitutes for it */
	struct cell_weights reel[GAME_REELS_MAX];
	bool even[GAME_REELS_MAX]; /* all rows of the reel have the same weights */
	struct line_steps steps;
	struct line_graph graph;
};

void line_quick_init(struct line_quick *quick, const struct game *game, uint32_t set,
	uint32_t wild_reels, const struct line_terms *terms);
/* Call this after the strip of this reel has changed. */
void line_quick_renew(struct line_quick *quick, uint32_t reel);
/* Returns the sum of coins x weight over all lines and all ways to show a line. *total_r is the
 * product of the reels' total weights. Exact while *total_r x lines x largest pay is below 2^127;
 * the loader's bounds ensure this. */
exact_count line_quick_sum(const struct line_quick *quick, exact_count *total_r);

#endif
