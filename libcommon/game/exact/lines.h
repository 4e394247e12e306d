/* What lines pay on average, exactly, when each reel shows its cells independently of the others.
 *
 * A line sees one cell a reel, so all it needs is the weight of each symbol in that cell. Its best
 * combination is: k leading wilds, then a symbol's run (wilds within it), then a stranger; or the
 * best of what the k leading wilds pay as some other symbol. That is summed from the last reel to
 * the first. Same rules as libcommon/game/lines.h, held against it by the tests. RULE
 * bewitched 2.1, 2.2, 3.1
 *
 * Whole numbers of any size (GMP's limbs); no allocation but in the mpz and mpq results. */
#ifndef CARILLON_GAME_EXACT_LINES_H
#define CARILLON_GAME_EXACT_LINES_H

#include "libcommon/game/lines.h"
#include "libcommon/game/reel_machine.h"

#include <gmp.h>

/* One reel: the weight of each symbol in each row. Every row's weights sum to total (> 0). */
struct cell_weights {
	uint64_t total;
	uint64_t weight[GAME_ROWS_MAX][GAME_SYMBOLS_MAX];
};

/* `terms` as for line_best: the flat multiplier, wilds that multiply, and `progressive`: the
 * combination of game->jackpot_symbols pays nothing and is counted as a jackpot instead. */
struct lines_input {
	const struct game *game;
	uint32_t lines; /* the first so many are played */
	struct line_terms terms;
	struct cell_weights reel[GAME_REELS_MAX];
};

/* No multipliers, no progressive. */
struct line_terms line_terms_plain(void);

/* Weights all zero, then a column at a time. */
void cell_weights_clear(struct cell_weights *cells);
void cell_weights_add(
	struct cell_weights *cells, uint32_t rows, const uint8_t *column, uint64_t weight);
/* A reel of a strip set with its expanding, bought wild reels and fallen potions: machine_columns
 * summed up. */
void cell_weights_strip(const struct game *game, uint32_t set, uint32_t reel, uint32_t wild_reels,
	struct cell_weights *cells_r);

/* All three: coins for one coin a line. Results are initialised by the caller. */

/* Numerators over the product of the reels' totals: the sum over the lines. `jackpots_r`: expected
 * progressive combinations, or NULL. */
void lines_sum(const struct lines_input *input, mpz_t coins_r, mpz_t jackpots_r);
/* The product of the reels' totals. */
void lines_scale(const struct lines_input *input, mpz_t scale_r);
/* The same as rationals. */
void lines_expected(const struct lines_input *input, mpq_t coins_r, mpq_t jackpots_r);
/* Of the first 1, 2, .. `lines` lines (entry i: of i + 1 lines): what a bet of fewer lines needs.
 * `jackpots_r` may be NULL. */
void lines_prefixes(const struct lines_input *input, mpq_t *coins_r, mpq_t *jackpots_r);

#endif
