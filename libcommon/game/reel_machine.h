/* All windows of a spin at once: a column-by-column automaton with merged states.
 *
 * A reel shows one of its weighted columns, independently of the others. After the first r reels
 * only one thing about them matters for what is still to come: which lines are alive, and as which
 * symbol (with how many wilds, where they multiply). Prefixes that agree in that are one state, so
 * a full cycle of 10^8 windows shrinks to thousands of states; what a line pays is booked on the
 * transition that ends it. The same machine gives exact distributions (here), ranks of guaranteed
 * spins (core/spin_rank.h) and the tables of the fast simulator (montecarlo/). It is held against
 * the engine's own line evaluation (libcommon/game/lines.h) by the tests. Counts are exact: 128
 * bits.
 *
 * Allocates; no I/O, no clock. */
#ifndef CARILLON_GAME_REEL_MACHINE_H
#define CARILLON_GAME_REEL_MACHINE_H

#include "libcommon/game/game.h"

__extension__ typedef unsigned __int128 exact_count;

/* One way a reel may show. `tag` adds up over the reels beside the win: four counters of 8 bits
 * each (say scatters, second scatters, bonus symbols, potions); the caller gives them meaning. */
struct machine_column {
	uint8_t symbol[GAME_ROWS_MAX];
	uint32_t tag;
	uint64_t weight; /* > 0 */
};

struct machine_reel {
	const struct machine_column *column;
	uint32_t count;
};

/* What is to be evaluated. Lines pay as libcommon/game/lines.h says: the best of all symbols' runs.
 */
struct machine_input {
	const struct game *game;
	uint32_t lines;			/* the first so many are played */
	uint32_t wild_multiplier_count; /* 0: none; else as in free_spins_rules */
	const uint32_t *wild_multiplier;
	bool no_jackpot_pay; /* the jackpot symbols' winning combination pays nothing here: it is
				the progressive's, and is counted in machine_outcome.jackpots */
	/* Lines pay only what they pay more because `cover`, which nothing else pays for, counts as
	 * `covers_for`, a line symbol. No multiplying wilds, no progressive. */
	bool extra;
	uint8_t cover, covers_for;
	struct machine_reel reel[GAME_REELS_MAX];
};

struct machine_reel_states {
	uint32_t states, columns;
	uint32_t *
		next; /* [state * columns + column]: state before the next reel; 0 after the last */
	uint32_t *gain;	     /* the same shape: what ends here, in coins a line */
	uint32_t *column_of; /* the input's column -> the machine's (columns that no line can tell
				apart and whose tags agree are one) */
	uint64_t *weight;    /* by the machine's column */
	uint32_t *tag;	     /* by the machine's column */
};

struct reel_machine {
	uint32_t reels;
	uint32_t jackpot_gain; /* bit 31 of a gain: the progressive was won on it */
	struct machine_reel_states reel[GAME_REELS_MAX];
	exact_count total; /* product of the reels' weights */
};

#define MACHINE_JACKPOT UINT32_C(0x80000000)

/* NULL when memory ends (or a reel has more states than 2^20, which no definition the loader takes
 * comes near). */
struct reel_machine *reel_machine_new(const struct machine_input *input);
void reel_machine_free(struct reel_machine **machine);

/* Columns of a strip set: one a stop, with its weight. `tag_of` gives each symbol's tag (summed
 * over the window's rows), or NULL. Expanding wilds and bought wild reels (`wild_reels`, bits)
 * are applied; bought reels lose their tags. Falling potions are applied where the game has
 * potions and the set holds any (core/reels.h does the same on the live window). `out` holds
 * GAME_STRIP_MAX columns; returns how many. */
uint32_t machine_columns(const struct game *game, uint32_t set, uint32_t reel, uint32_t wild_reels,
	const uint32_t tag_of[GAME_SYMBOLS_MAX], struct machine_column *out);

/* One row of a distribution: windows of this total line win (coins a line) and tag. */
struct machine_outcome {
	uint64_t win;
	uint32_t tag;
	uint32_t jackpots; /* progressive combinations in it */
	exact_count count;
};

/* The full distribution, sorted by (tag, win). The caller frees it. NULL when memory ends. */
struct machine_outcome *reel_machine_distribution(
	const struct reel_machine *machine, size_t *count_r);

#endif
