/* How the exact mathematics computes a feature (features.def). All hooks may be NULL and are called
 * only for games that have the feature. */
#ifndef CARILLON_GAME_EXACT_FEATURE_H
#define CARILLON_GAME_EXACT_FEATURE_H

#include "libcommon/game/bets.h"

struct feature_exact {
	/* ---- features that a window's counts start, independently of its lines ---- */

	/* Names the symbols to count in this context, by count_symbol. */
	void (*count)(struct spin_figures *figures);
	/* Prepares its own data of a context, in figures->own[..]. False: no memory. `close` is
	 * always called. */
	bool (*open)(struct spin_figures *figures);
	void (*close)(struct spin_figures *figures);
	/* Joins to `yield` what the feature adds in a window with this tag. `wager` NULL: only what
	 * is the same at every bet. */
	void (*attach)(const struct spin_figures *figures, uint32_t tag,
		const struct exact_wager *wager, struct spin_yield *yield);
	/* Does a window with this tag start something whose yield depends on the bet? Then `at_bet`
	 * computes that yield; it initialises `yield_r`. */
	bool (*follows_bet)(const struct spin_figures *figures, uint32_t tag);
	void (*at_bet)(const struct game *game, const struct exact_wager *wager,
		enum exact_depth depth, struct spin_yield *yield_r);

	/* ---- features that need the windows themselves ---- */

	/* Prepares what does not depend on the bet, once a mode, in work->own[..]; NULL there: the
	 * mode does not have the feature. `free` is always called. */
	enum exact_status (*prepare)(struct exact_work *work);
	void (*free)(struct exact_work *work);
	/* Adds its yield to a spin of that context at that bet (cascades replace the spin's own).
	 * On entry `yield` has the spin's own lines, scatters and awards, and the features above it
	 * in features.def. */
	void (*yield)(const struct exact_work *work, const struct exact_wager *wager,
		enum spin_context context, struct spin_yield *yield);
	/* For returns that depend on the carried state: adds the states to mode_r, and sets low_r
	 * and high_r to the lowest and the highest return at a level of unlocking. */
	void (*levels)(const struct exact_work *work, const struct exact_wager *wager,
		const struct round_yields *yields, struct exact_mode *mode_r, mpq_t low_r,
		mpq_t high_r);
	/* Offers its largest win in one spin (exact_offer_max); called after the spins without
	 * features were offered. `free_spins`: can a round have free spins? EXACT_ALL. */
	void (*offer_most)(const struct exact_work *work, const struct exact_wager *wager,
		bool free_spins, struct exact_mode *mode_r);
};

#define FEATURE(name) extern const struct feature_exact name##_exact;
#include "libcommon/game/features.def"

extern const struct feature_exact *const feature_exacts[FEATURES];

/* Does the game have the feature? Asks the core. */
bool exact_offered(const struct game *game, uint32_t feature);
/* Adds the count of this symbol to the tags of windows. GAME_NO_SYMBOL: does nothing. */
void count_symbol(struct spin_figures *figures, uint8_t symbol);

#endif
