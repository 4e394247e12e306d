/* For games with collectibles: prepares two quantities of a window (the sides a and b), so that
 * line_pairs.h can compute the mean of their product. */
#ifndef CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_EXACT_WINDOWS_H
#define CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_EXACT_WINDOWS_H

#include "libcommon/game/exact/line_pairs.h"
#include "libcommon/game/features/collect-and-unlock/exact_parts.h"

#define UNLOCK_SUBSETS (1u << GAME_ROWS_MAX)
#define UNLOCK_ANY UINT32_MAX /* any collectible, or none */

/* What one side counts in a window: its lines; its lines with some cells covered by a symbol; or
 * the free spins that its scatters award; or their pays. Scatter pays are converted to coins at one
 * coin a line: the paytable's multiple of the total bet, times the number of lines. */
enum view_kind { VIEW_WINDOW, VIEW_COVERED, VIEW_COUNTED };

struct unlock_view {
	enum view_kind kind;
	uint8_t symbol, kept; /* COVERED */
	bool awards;	      /* COUNTED: awards; false: pays */
	bool nothing; /* COUNTED: no count pays or awards anything; set by unlock_view_open */
	/* COVERED: only the additional win of the lines when `symbol`, which pays nothing itself,
	 * counts as `revealed` */
	bool extra;
	uint8_t revealed; /* COVERED with extra */
	bool wild;	  /* WINDOW: wilds can land on any cell */
	uint32_t lines;
	struct line_automaton automaton; /* by unlock_view_open */
	struct pair_side side;
};

struct unlock_pair {
	const struct game *game;
	uint32_t set;
	const struct choices *counts; /* [reel]: number of covered cells; NULL: none */
	const uint32_t *forced;	      /* [reel]: rows that are certainly wild; NULL: none */
	const struct unlock_view *a, *b;
	bool means_only; /* do not compute the product */
};

void unlock_view_open(struct unlock_view *view, const struct game *game, uint32_t set);
void unlock_view_close(struct unlock_view *view);

/* Joint weights of the stops whose collectible was `colour` (colour + 1, 0 for none, or
 * UNLOCK_ANY). Returns the sum of the weights of all stops. */
uint64_t unlock_pair_reel(
	const struct unlock_pair *pair, uint32_t reel, uint32_t colour, struct pair_reel *joint_r);

/* The weights of the sets of covered rows (bits); returns their sum. */
uint64_t unlock_subsets(
	const struct game *game, const struct choices *counts, uint64_t weight_r[UNLOCK_SUBSETS]);
/* Columns are packed one byte per row, with the top row in the lowest byte. */
uint64_t unlock_column(
	const struct game *game, uint32_t set, uint32_t reel, uint32_t stop, uint8_t *colour_r);
uint64_t unlock_covered(
	const struct game *game, uint64_t column, uint32_t rows, uint8_t symbol, uint8_t kept);

/* ---- exact_products.c ---- */

/* E[a; w], E[b; w] and E[a b; w]: means over windows, each weighted by w (0 .. 1). A window's
 * weight depends only on its collectibles: it is that of the chain's spin with the same
 * collectibles. */
struct unlock_product {
	mpq_t a, b, both;
};

void unlock_product_init(struct unlock_product *product);
void unlock_product_clear(struct unlock_product *product);
/* Over the windows of the base spin. */
void unlock_product_by_spin(const struct unlock_pair *pair, const struct unlock_chain *chain,
	mpq_t *weight, struct unlock_product *product_r);
/* Where wilds land in a respin: rows (bits) of each reel, and the weight of this placement. */
struct unlock_place {
	uint32_t rows[GAME_REELS_MAX];
	uint64_t weight;
};

/* E[a b] over all windows and all places (at most GAME_CHOICES_MAX) by their weights. */
void unlock_product_places(const struct unlock_pair *pair, const struct unlock_place *place,
	uint32_t count, mpq_t both_r);

#endif
