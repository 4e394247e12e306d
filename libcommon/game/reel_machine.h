/* Evaluates all windows of a spin at once: an automaton that reads column by column and merges
 * states.
 *
 * Each reel shows one of its weighted columns, independently of the other reels. After the first r
 * reels, what the other reels can add to the win depends only on which lines can still win and with
 * which symbol (and, if wilds multiply, with how many wilds). All windows that agree in this are
 * one state, so a full cycle of 10^8 windows shrinks to thousands of states. The transition that
 * ends a line carries its pay. The same machine gives exact distributions (here), ranks of
 * guaranteed spins (core/spin_rank.h) and tables for Monte Carlo (montecarlo/). Tests compare it
 * with the engine's line evaluation (libcommon/game/lines.h). Counts are exact, in 128 bits.
 *
 * Allocates; no I/O, no clock. */
#ifndef CARILLON_GAME_REEL_MACHINE_H
#define CARILLON_GAME_REEL_MACHINE_H

#include "libcommon/game/game.h"

__extension__ typedef unsigned __int128 exact_count;

/* One column that a reel can show. A tag is 32 bits that the caller divides into counters, for
 * example of scatters, bonus symbols and collectibles. The machine adds the tags of the
 * reels, as it adds the wins. */
struct machine_column {
	uint8_t symbol[GAME_ROWS_MAX];
	uint32_t tag;
	uint64_t weight; /* > 0 */
};

struct machine_reel {
	const struct machine_column *column;
	uint32_t count;
};

/* The windows to evaluate. Lines pay as in libcommon/game/lines.h. */
struct machine_input {
	const struct game *game;
	uint32_t lines;			/* the number of lines played */
	uint32_t wild_multiplier_count; /* 0: wilds do not multiply; else as in free_spins_rules */
	const uint32_t *wild_multiplier;
	bool no_jackpot_pay; /* the jackpot symbols' winning combination wins the progressive: it
				pays nothing here and counts in machine_outcome.jackpots */
	/* Evaluate only the increase in line pays when `cover`, a symbol without pays, counts as
	 * the line symbol `covers_for`. Wilds must not multiply then, and no_jackpot_pay must not
	 * be set. */
	bool extra;
	uint8_t cover, covers_for;
	struct machine_reel reel[GAME_REELS_MAX];
};

struct machine_reel_states {
	uint32_t states, columns;
	uint32_t *next; /* [state * columns + column]: state before the next reel; 0 after the last
			   reel */
	uint32_t *gain; /* same indices: pays of lines that end here, in coins a line */
	uint32_t *column_of; /* input column -> machine column; columns with the same tag and the
				same effect on lines are merged */
	uint64_t *weight;    /* by machine column */
	uint32_t *tag;	     /* by machine column */
};

struct reel_machine {
	uint32_t reels;
	struct machine_reel_states reel[GAME_REELS_MAX];
	exact_count total; /* the product of the reels' weights */
};

#define MACHINE_JACKPOT UINT32_C(0x80000000) /* in a gain: the line won the progressive */

/* NULL if memory runs out or a reel has more than 2^20 states; definitions that the loader accepts
 * stay far below. */
struct reel_machine *reel_machine_new(const struct machine_input *input);
void reel_machine_free(struct reel_machine **machine);

/* The columns of a reel: one per stop, with its weight. A column's tag is the sum of its symbols'
 * tags, which `tag_of` gives (NULL: no tags). Expands wilds. If `wild_reels` (bit r: reel r)
 * contains the reel, which is then a bought wild reel, its columns are all wild and have no tags.
 * Removes collectibles from the column, as core/reels.h does for a played window, but still counts
 * their tags. `out` has room for GAME_STRIP_MAX columns; returns their number. */
uint32_t machine_columns(const struct game *game, uint32_t set, uint32_t reel, uint32_t wild_reels,
	const uint32_t tag_of[GAME_SYMBOLS_MAX], struct machine_column *out);

/* One row of a distribution: the windows with this total line win (coins a line) and tag. */
struct machine_outcome {
	uint64_t win;
	uint32_t tag;
	uint32_t jackpots; /* 1: each of these windows wins the progressive; 0: none does */
	exact_count count;
};

/* The full distribution, sorted by (tag, win). The caller frees it. NULL if memory runs out. */
struct machine_outcome *reel_machine_distribution(
	const struct reel_machine *machine, size_t *count_r);

#endif
