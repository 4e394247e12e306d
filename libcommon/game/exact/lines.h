/* The exact mean of what lines pay, for independent reels.
 *
 * A line sees one cell per reel, so it needs only the weight of each symbol in that cell. Its best
 * combination is either k leading wilds, then a symbol's run (which may contain wilds), then a
 * different symbol; or the k leading wilds alone, counted as the symbol that pays most for them.
 * The sum runs from the last reel to the first. The rules are the same as in
 * libcommon/game/lines.h; tests compare both. RULE bewitched 2.1, 2.2, 3.1
 *
 * Whole numbers of any size (GMP's limbs). Allocates only in the mpz and mpq results. */
#ifndef CARILLON_GAME_EXACT_LINES_H
#define CARILLON_GAME_EXACT_LINES_H

#include "libcommon/game/lines.h"
#include "libcommon/game/reel_machine.h"

#include <gmp.h>

/* One reel: the weight of each symbol in each row. The weights of each row sum to total (> 0). */
struct cell_weights {
	uint64_t total;
	uint64_t weight[GAME_ROWS_MAX][GAME_SYMBOLS_MAX];
};

/* `terms` as for line_best. With `progressive`, the combination of game->jackpot_symbols pays
 * nothing and counts as a jackpot. */
struct lines_input {
	const struct game *game;
	uint32_t lines; /* the number of lines played */
	struct line_terms terms;
	struct cell_weights reel[GAME_REELS_MAX];
};

/* No multipliers, no progressive. */
struct line_terms line_terms_plain(void);

/* Sets all weights to 0; cell_weights_add then adds a column. */
void cell_weights_clear(struct cell_weights *cells);
void cell_weights_add(
	struct cell_weights *cells, uint32_t rows, const uint8_t *column, uint64_t weight);
/* The sum of machine_columns: a reel of a strip set, with expanding wilds, bought wild reels and
 * removed collectibles applied. */
void cell_weights_strip(const struct game *game, uint32_t set, uint32_t reel, uint32_t wild_reels,
	struct cell_weights *cells_r);

/* Results below are in coins for one coin a line. The caller initialises them. */

/* The sum over the lines, as a numerator over lines_scale. `jackpots_r` (or NULL): expected
 * progressive combinations. */
void lines_sum(const struct lines_input *input, mpz_t coins_r, mpz_t jackpots_r);
/* The product of the reels' totals. */
void lines_scale(const struct lines_input *input, mpz_t scale_r);
/* lines_sum as rationals. */
void lines_expected(const struct lines_input *input, mpq_t coins_r, mpq_t jackpots_r);
/* The same for bets of fewer lines: entry i is for the first i + 1 lines. `jackpots_r` may be
 * NULL. */
void lines_prefixes(const struct lines_input *input, mpq_t *coins_r, mpq_t *jackpots_r);

#endif
