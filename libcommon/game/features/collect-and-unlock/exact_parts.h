/* What the files of the potions share. */
#ifndef CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_EXACT_PARTS_H
#define CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_EXACT_PARTS_H

#include "libcommon/game/exact/feature.h"

#define UNLOCK_STATES 10       /* what may be carried: no potion, one, two; by colour */
#define UNLOCK_COMBINATIONS 10 /* three potions by colour */
#define UNLOCK_NONE UNLOCK_COMBINATIONS
#define UNLOCK_SPINS_MAX 4096 /* colours (or none) on each of at most six reels */

/* What a base spin may show in potions: a colour + 1 (or 0) on each reel. */
struct unlock_spin {
	uint8_t colour[GAME_REELS_MAX];
	mpq_t p;
	uint8_t next[UNLOCK_STATES];	    /* carried afterwards, by what was carried */
	uint8_t combination[UNLOCK_STATES]; /* completed, or UNLOCK_NONE */
};

/* ---- exact_chain.c: what is carried ---- */

struct unlock_chain {
	uint32_t spin_count;
	struct unlock_spin *spin;     /* all that can happen, p > 0 */
	mpq_t carried[UNLOCK_STATES]; /* the long-run shares, the same at every level: what a
					 combination starts changes nothing in what is carried */
};

void unlock_chain_init(struct unlock_chain *chain, const struct game *game, uint32_t set);
void unlock_chain_free(struct unlock_chain *chain);
/* Potions by colour of a state or a combination. */
void unlock_state_colours(uint32_t state, uint8_t colours_r[GAME_COLOURS]);
void unlock_combination_colours(uint32_t combination, uint8_t colours_r[GAME_COLOURS]);

/* What a combination leads to when steps 0 .. level are open: a feature (its kind), or -1 and the
 * odds of an explosion. */
int unlock_outcome(const struct unlock_rules *rules, uint32_t level, uint32_t combination,
	struct odds *explosion_r);

/* ---- exact_early.c: the first rounds at a new bet value ---- */

/* Adds "first 1", "first 10", "first 100" to the mode's states: the mean return of so many rounds.
 * `rtp`: of a round by [level][carried]. */
void potions_early(const struct unlock_rules *rules, const struct unlock_chain *chain,
	mpq_t rtp[GAME_UNLOCK_STEPS_MAX * UNLOCK_STATES], struct exact_mode *mode_r);

/* ---- exact_reels.c: what reels weigh ---- */

/* A reel of the base spin whose potion was of that colour + 1 (0: none). */
void unlock_cells(const struct game *game, uint32_t set, uint32_t reel, uint32_t colour,
	struct cell_weights *cells_r);
/* Some cells of a reel become `symbol`: how many by weight, then which, all alike. Cells that show
 * `kept` (GAME_NO_SYMBOL: none) stay. The total grows by unlock_cover_scale. */
void unlock_cover(const struct game *game, const struct choices *counts, uint8_t symbol,
	uint8_t kept, struct cell_weights *cells);
uint64_t unlock_cover_scale(const struct game *game, const struct choices *counts);
/* Rows (bits) of a reel become `symbol` for sure. */
void unlock_force(
	const struct game *game, uint32_t rows, uint8_t symbol, struct cell_weights *cells);

/* ---- potions.c ---- */

/* Means for one number of lines, in total bets. */
struct unlock_figures {
	bool has_squares;
	mpq_t square[UNLOCK_KINDS]; /* E[win^2] of each feature by itself; EXACT_ALL only */
	bool has_quiet;
	mpq_t quiet[UNLOCK_KINDS]; /* P(the feature by itself wins nothing); EXACT_ALL only */
	mpq_t dry;		   /* P(a respin of the multiplier wins nothing) */
	mpq_t value[UNLOCK_KINDS]; /* of each feature by itself */
	mpq_t multiplier;	   /* E[x] */
	mpq_t *exploded; /* [spin]: E[win of an explosion; this spin], were it sure to come */
};

struct unlock_work {
	struct unlock_chain chain;
	uint32_t lines_max;
	struct unlock_figures **figures; /* [lines - 1]; made when first asked for */
};

/* What this mode has prepared; NULL: the game has none. */
struct unlock_work *unlock_of(const struct exact_work *work);
/* Made when first asked for, kept as long as the work. */
const struct unlock_figures *unlock_figures(const struct exact_work *work, uint32_t lines);
/* E[win^2] of each feature by itself, in squares of total bets. */
const mpq_t *unlock_squares(const struct exact_work *work, uint32_t lines);

/* What a free spin may bring: set `index` of the table. RULE witch-feature 6.3 to 6.6 */
struct unlock_free_set {
	mpq_t p;	       /* the free spin's chance; the caller clears it */
	enum unlock_kind kind; /* whose respin is played */
	bool multiplied;       /* the multiplier beside it */
	uint32_t kinds;	       /* bits: all of them */
};
struct unlock_free_set unlock_free_set(const struct unlock_rules *rules, uint32_t index);
/* The rules of a kind, NULL: the game has no such feature. */
const struct unlock_step *unlock_step(const struct unlock_rules *rules, enum unlock_kind kind);
enum win_source unlock_source(enum unlock_kind kind);
enum game_event unlock_event(enum unlock_kind kind);

void *unlock_take(size_t bytes); /* by GMP's functions: never NULL */
void unlock_give(void *block, size_t bytes);

/* Of each row of potions: the chance that it starts this, by what is carried in the long run, all
 * steps open. kind < 0: an explosion. */
void unlock_start_weights(const struct exact_work *work, int kind, mpq_t *weight_r);

/* Both add what the features change in a yield that does not hold them yet. EXACT_ALL. */
void unlock_moments(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield);
void unlock_zero(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield);

/* ---- exact_zero.c: windows that win nothing ---- */

/* P(no line wins) on a strip set. */
void unlock_no_win(const struct game *game, uint32_t set, uint32_t lines, mpq_t p_r);

/* Offers the best paid spin and the best free spin with their features. EXACT_ALL; after the spins
 * by themselves. */
void unlock_offer_most(
	const struct exact_work *work, const struct exact_wager *wager, struct exact_mode *mode_r);

#endif
