/* What the files of the potions share. */
#ifndef CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_EXACT_PARTS_H
#define CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_EXACT_PARTS_H

#include "libcommon/game/exact/feature.h"

#define POTION_STATES 10       /* what may be carried: no potion, one, two; by colour */
#define POTION_COMBINATIONS 10 /* three potions by colour */
#define POTION_NONE POTION_COMBINATIONS
#define POTION_SPINS_MAX 4096 /* colours (or none) on each of at most six reels */

/* What a base spin may show in potions: a colour + 1 (or 0) on each reel. */
struct potion_spin {
	uint8_t colour[GAME_REELS_MAX];
	mpq_t p;
	uint8_t next[POTION_STATES];	    /* carried afterwards, by what was carried */
	uint8_t combination[POTION_STATES]; /* completed, or POTION_NONE */
};

/* ---- exact_chain.c: what is carried ---- */

struct potion_chain {
	uint32_t spin_count;
	struct potion_spin *spin;     /* all that can happen, p > 0 */
	mpq_t carried[POTION_STATES]; /* the long-run shares, the same at every level: what a
					 combination starts changes nothing in what is carried */
};

void potion_chain_init(struct potion_chain *chain, const struct game *game, uint32_t set);
void potion_chain_free(struct potion_chain *chain);
/* Potions by colour of a state or a combination. */
void potion_state_colours(uint32_t state, uint8_t colours_r[GAME_COLOURS]);
void potion_combination_colours(uint32_t combination, uint8_t colours_r[GAME_COLOURS]);

/* What a combination leads to when steps 0 .. level are open: a feature (its kind), or -1 and the
 * odds of an explosion. */
int potion_outcome(const struct potion_rules *rules, uint32_t level, uint32_t combination,
	struct odds *explosion_r);

/* ---- exact_reels.c: what reels weigh ---- */

/* A reel of the base spin whose potion was of that colour + 1 (0: none). */
void potion_cells(const struct game *game, uint32_t set, uint32_t reel, uint32_t colour,
	struct cell_weights *cells_r);
/* Some cells of a reel become `symbol`: how many by weight, then which, all alike. Cells that show
 * `kept` (GAME_NO_SYMBOL: none) stay. The total grows by potion_cover_scale. */
void potion_cover(const struct game *game, const struct choices *counts, uint8_t symbol,
	uint8_t kept, struct cell_weights *cells);
uint64_t potion_cover_scale(const struct game *game, const struct choices *counts);
/* Rows (bits) of a reel become `symbol` for sure. */
void potion_force(
	const struct game *game, uint32_t rows, uint8_t symbol, struct cell_weights *cells);

/* ---- potions.c ---- */

/* Means for one number of lines, in total bets. */
struct potion_figures {
	bool has_squares;
	mpq_t square[POTION_KINDS]; /* E[win^2] of each feature by itself; EXACT_ALL only */
	bool has_quiet;
	mpq_t quiet[POTION_KINDS]; /* P(the feature by itself wins nothing); EXACT_ALL only */
	mpq_t dry;		   /* P(a respin of the multiplier wins nothing) */
	mpq_t value[POTION_KINDS]; /* of each feature by itself */
	mpq_t multiplier;	   /* E[x] */
	mpq_t *exploded; /* [spin]: E[win of an explosion; this spin], were it sure to come */
};

struct potions_work {
	struct potion_chain chain;
	uint32_t lines_max;
	struct potion_figures **figures; /* [lines - 1]; made when first asked for */
};

/* What this mode has prepared; NULL: the game has none. */
struct potions_work *potions_of(const struct exact_work *work);
/* Made when first asked for, kept as long as the work. */
const struct potion_figures *potion_figures(const struct exact_work *work, uint32_t lines);
/* E[win^2] of each feature by itself, in squares of total bets. */
const mpq_t *potion_squares(const struct exact_work *work, uint32_t lines);

/* What a free spin may bring: set `index` of the table. RULE witch-feature 6.3 to 6.6 */
struct potion_free_set {
	mpq_t p;	       /* the free spin's chance; the caller clears it */
	enum potion_kind kind; /* whose respin is played */
	bool multiplied;       /* the multiplier beside it */
	uint32_t kinds;	       /* bits: all of them */
};
struct potion_free_set potion_free_set(const struct potion_rules *rules, uint32_t index);
/* The rules of a kind, NULL: the game has no such feature. */
const struct potion_step *potion_step(const struct potion_rules *rules, enum potion_kind kind);
enum win_source potion_source(enum potion_kind kind);
enum game_event potion_event(enum potion_kind kind);

void *potion_take(size_t bytes); /* by GMP's functions: never NULL */
void potion_give(void *block, size_t bytes);

/* Of each row of potions: the chance that it starts this, by what is carried in the long run, all
 * steps open. kind < 0: an explosion. */
void potion_start_weights(const struct exact_work *work, int kind, mpq_t *weight_r);

/* Both add what the features change in a yield that does not hold them yet. EXACT_ALL. */
void potions_moments(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield);
void potions_zero(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield);

/* ---- exact_zero.c: windows that win nothing ---- */

/* P(no line wins) on a strip set. */
void potion_no_win(const struct game *game, uint32_t set, uint32_t lines, mpq_t p_r);

/* Offers the best paid spin and the best free spin with their features. EXACT_ALL; after the spins
 * by themselves. */
void potions_offer_most(
	const struct exact_work *work, const struct exact_wager *wager, struct exact_mode *mode_r);

#endif
