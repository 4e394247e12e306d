/* How Monte Carlo plays a feature (features.def). All hooks may be NULL. Except `free`,
 * `source` and `count`, they are called only for games that have the feature. */
#ifndef CARILLON_GAME_MONTECARLO_FEATURE_H
#define CARILLON_GAME_MONTECARLO_FEATURE_H

#include "libcommon/game/montecarlo/internal.h"

struct feature_fast {
	/* Widens the feature's fields of the tag (at most one per reel), so that they can hold the
	 * feature's counts in any spin of strip set `set`. */
	void (*widen)(const struct game *game, uint32_t set, uint32_t wild_reels,
		struct tag_field field[GAME_REELS_MAX]);
	/* What a column adds to a tag: the sum of its counts, each shifted to its field. */
	uint32_t (*tag)(const struct game *game, uint32_t reel, const struct reel_column *column,
		const struct tag_field field[GAME_REELS_MAX]);
	/* Builds its own tables in sim->own[..]: FAST_OK, FAST_TOO_LARGE or FAST_NO_MEMORY. `free`
	 * is called for every game, even if nothing was built. */
	enum fast_status (*build)(struct fast_sim *sim);
	void (*free)(struct fast_sim *sim);
	/* Does a spin with this tag start the feature? */
	bool (*starts)(const struct fast_sim *sim, enum spin_context context, uint32_t tag);
	void (*play)(struct fast_player *player, enum spin_context context, uint32_t tag,
		const struct place *place);
	/* Play it after every spin with a line win, whatever its tag. */
	bool on_win;
	/* Only for fast_reference_block, which plays rounds with libcommon/game/round.h. `source`:
	 * returns the source of a phase's wins, or SOURCES if the phase's row in features.def
	 * decides. `count`: counts a phase's events other than the one in that row of
	 * features.def. */
	enum win_source (*source)(const struct phase *phase);
	void (*count)(const struct game *game, const struct phase *phase, uint64_t event[EVENTS]);
};

#define FEATURE(name) extern const struct feature_fast name##_fast;
#include "libcommon/game/features.def"

extern const struct feature_fast *const feature_fasts[FEATURES];

/* ---- for features ---- */

/* The window of a spin as it is paid. */
void window_of(const struct place *place, uint8_t *window);
/* The number of cells that show one of the symbols (bits). */
uint32_t cells_showing(const struct game *game, const uint8_t *window, uint32_t symbols);
/* Spins one reel of a set. */
void column_draw(
	struct fast_player *player, uint32_t set, uint32_t reel, struct reel_column *column_r);
/* Wins the progressive. */
void run_jackpot(struct fast_player *player);
/* The largest number of cells counting as a symbol (game_counts_as) in a spin of this set. */
uint32_t tag_symbol_max(const struct game *game, uint32_t set, uint32_t wild_reels, uint8_t symbol);
/* Makes room in the field for counts up to `most`. */
void tag_widen(struct tag_field *field, uint32_t most);
/* How many cells of a column count as the symbol, shifted to the field; 0 if the field has no
 * bits. */
uint32_t tag_column(const struct game *game, struct tag_field field,
	const struct reel_column *column, uint8_t symbol);

#endif
