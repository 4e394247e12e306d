/* Shared by the files of collect and unlock. */
#ifndef CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_EXACT_PARTS_H
#define CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_EXACT_PARTS_H

#include "libcommon/game/exact/feature.h"

#define UNLOCK_STATES 10       /* carried collectibles: none, one, two; by colour */
#define UNLOCK_COMBINATIONS 10 /* three collectibles by colour */
#define UNLOCK_NONE UNLOCK_COMBINATIONS
#define UNLOCK_SPINS_MAX 4096 /* a colour or none on each of at most six reels */

/* The collectibles that a base spin can show: a colour + 1 (or 0) on each reel. */
struct unlock_spin {
	uint8_t colour[GAME_REELS_MAX];
	mpq_t p;
	uint8_t next[UNLOCK_STATES]; /* [state before] state after the spin */
	/* [state before] completed combination, or UNLOCK_NONE */
	uint8_t combination[UNLOCK_STATES];
};

/* ---- exact_chain.c: the carried collectibles ---- */

void *unlock_take(size_t bytes); /* allocates by GMP's functions: never NULL */
void unlock_give(void *block, size_t bytes);

struct unlock_chain {
	uint32_t spin_count;
	struct unlock_spin *spin;     /* all possible spins, p > 0 */
	mpq_t carried[UNLOCK_STATES]; /* long-run probabilities; the same at every level, because
					 features do not change carried collectibles */
};

void unlock_chain_init(struct unlock_chain *chain, const struct game *game, uint32_t set);
void unlock_chain_free(struct unlock_chain *chain);
/* The collectibles by colour of a state or a combination. */
void unlock_state_colours(uint32_t state, uint8_t colours_r[GAME_COLOURS]);
void unlock_combination_colours(uint32_t combination, uint8_t colours_r[GAME_COLOURS]);

/* What a combination starts if steps 0 .. level are unlocked. Returns the kind of the feature; or
 * -1, with the odds of an explosion. */
int unlock_outcome(const struct unlock_rules *rules, uint32_t level, uint32_t combination,
	struct odds *explosion_r);

/* ---- exact_early.c: the first rounds at a new bet value ---- */

/* Adds "first 1", "first 10", "first 100" to the mode's states: the mean return of the first 1, 10
 * and 100 rounds. `rtp`: the return of a round, by [level][carried]. */
void unlock_early(const struct unlock_rules *rules, const struct unlock_chain *chain,
	mpq_t rtp[GAME_UNLOCK_STEPS_MAX * UNLOCK_STATES], struct exact_mode *mode_r);

/* ---- exact_reels.c: the weights of reels ---- */

/* A reel of the base spin that showed a collectible of this colour (colour + 1; 0: none). */
void unlock_cells(const struct game *game, uint32_t set, uint32_t reel, uint32_t colour,
	struct cell_weights *cells_r);
/* Some cells of a reel become `symbol`: their number is drawn by weight, then all sets of that size
 * are equally likely. Cells that show `kept` (GAME_NO_SYMBOL: none) stay. Multiplies the total by
 * unlock_cover_scale. */
void unlock_cover(const struct game *game, const struct choices *counts, uint8_t symbol,
	uint8_t kept, struct cell_weights *cells);
uint64_t unlock_cover_scale(const struct game *game, const struct choices *counts);
/* The given rows (bits) of a reel become `symbol`. */
void unlock_force(
	const struct game *game, uint32_t rows, uint8_t symbol, struct cell_weights *cells);

/* ---- exact.c ---- */

/* Means for one number of lines, in total bets. */
struct unlock_figures {
	bool has_squares;
	mpq_t square[UNLOCK_KINDS]; /* E[win^2] of each feature alone; EXACT_ALL only */
	bool has_quiet;
	mpq_t quiet[UNLOCK_KINDS]; /* P(the feature alone wins nothing); EXACT_ALL only */
	mpq_t dry;		   /* P(a respin of the multiplier wins nothing) */
	mpq_t value[UNLOCK_KINDS]; /* of each feature alone */
	mpq_t multiplier;	   /* E[x] */
	/* [spin]: E[win of an explosion; this spin] if an explosion were certain */
	mpq_t *exploded;
};

struct unlock_work {
	struct unlock_chain chain;
	uint32_t lines_max;
	struct unlock_figures **figures; /* [lines - 1]; computed at the first call */
};

/* The data prepared for this mode; NULL: the game has no collect and unlock. */
struct unlock_work *unlock_of(const struct exact_work *work);
/* Computed at the first call and owned by `work`. */
const struct unlock_figures *unlock_figures(const struct exact_work *work, uint32_t lines);

/* A set of features that a free spin can start: set `index` of the table. RULE witch-feature 6.3 to
 * 6.6 */
struct unlock_free_set {
	mpq_t p;	       /* probability in a free spin; the caller clears it */
	enum unlock_kind kind; /* the feature whose respin is played */
	bool multiplied;       /* with the multiplier */
	uint32_t kinds;	       /* bits: all of them */
};
struct unlock_free_set unlock_free_set(const struct unlock_rules *rules, uint32_t index);
/* The rules of a kind; NULL: the game does not have it. */
const struct unlock_step *unlock_step(const struct unlock_rules *rules, enum unlock_kind kind);
enum win_source unlock_source(enum unlock_kind kind);
enum game_event unlock_event(enum unlock_kind kind);

/* ---- exact_moments.c ---- */

/* E[win^2] of each feature alone, in squares of total bets. */
const mpq_t *unlock_squares(const struct exact_work *work, uint32_t lines);
/* For each spin of the chain: the long-run probability that it starts a feature of this kind, with
 * all steps unlocked. kind < 0: an explosion. */
void unlock_start_weights(const struct exact_work *work, int kind, mpq_t *weight_r);

/* Adds the effect of the features to the moments of a yield without them. EXACT_ALL. */
void unlock_moments(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield);

/* ---- exact_zero.c: windows that win nothing ---- */

/* Adds the effect of the features to a yield's probability of no win. EXACT_ALL. */
void unlock_zero(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield);
/* P(no line wins) on a strip set. */
void unlock_no_win(const struct game *game, uint32_t set, uint32_t lines, mpq_t p_r);

/* ---- exact_most.c ---- */

/* Offers, as candidates for mode_r->max_win, the best paid spin and the best free spin with
 * their features. Call it after the spins without features were offered. EXACT_ALL. */
void unlock_offer_most(
	const struct exact_work *work, const struct exact_wager *wager, struct exact_mode *mode_r);

#endif
