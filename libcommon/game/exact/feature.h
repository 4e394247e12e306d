/* How a feature is proved: what it promises the exact mathematics (features.def). All hooks may be
 * NULL and are called only for games that have the feature. */
#ifndef CARILLON_GAME_EXACT_FEATURE_H
#define CARILLON_GAME_EXACT_FEATURE_H

#include "libcommon/game/bets.h"

struct feature_exact {
	/* ---- what a window's counts set off, independently of its lines ---- */

	/* Names the symbols whose counts it must know in this context (count_symbol). */
	void (*count)(struct spin_figures *figures);
	/* Whatever it needs once a context, in figures->own[..]. False: no memory. `close` is
	 * called in any case. */
	bool (*open)(struct spin_figures *figures);
	void (*close)(struct spin_figures *figures);
	/* Joins what a window of this tag gives. `wager` NULL: only what every bet has. */
	void (*attach)(const struct spin_figures *figures, uint32_t tag,
		const struct exact_wager *wager, struct spin_yield *yield);
	/* Does a window of this tag start something that follows the bet? Then `at_bet` is its
	 * yield; `yield_r` is initialised by it. */
	bool (*follows_bet)(const struct spin_figures *figures, uint32_t tag);
	void (*at_bet)(const struct game *game, const struct exact_wager *wager,
		enum exact_depth depth, struct spin_yield *yield_r);

	/* ---- what needs the windows themselves ---- */

	/* Whatever does not depend on the bet, once a mode, in work->own[..]; NULL there: the mode
	 * has none. `free` is called in any case. */
	enum exact_status (*prepare)(struct exact_work *work);
	void (*free)(struct exact_work *work);
	/* Adds what it gives to a spin of that context at that bet. On entry the yield holds the
	 * spin's own lines, scatters and awards, and what features above it in features.def give.
	 */
	void (*yield)(const struct exact_work *work, const struct exact_wager *wager,
		enum spin_context context, struct spin_yield *yield);
	/* Returns that differ by what a bet value carries: adds the states to mode_r, and gives the
	 * lowest and highest return of a level. */
	void (*levels)(const struct exact_work *work, const struct exact_wager *wager,
		const struct round_yields *yields, struct exact_mode *mode_r, mpq_t low_r,
		mpq_t high_r);
	/* Offers the most that it can win at once (exact_offer_max), after the spins by themselves.
	 * `free_spins`: may a round come to free spins? EXACT_ALL. */
	void (*offer_most)(const struct exact_work *work, const struct exact_wager *wager,
		bool free_spins, struct exact_mode *mode_r);
};

#define FEATURE(name) extern const struct feature_exact name##_exact;
#include "libcommon/game/features.def"

extern const struct feature_exact *const feature_exacts[FEATURES];

/* Has the game the feature? The core's word for it. */
bool exact_offered(const struct game *game, uint32_t feature);
/* Of the symbol's counts a window's tag will be made. GAME_NO_SYMBOL: nothing. */
void count_symbol(struct spin_figures *figures, uint8_t symbol);

#endif
