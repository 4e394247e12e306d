/* How a feature is simulated fast: what it promises the simulation (features.def). All hooks may
 * be NULL, and but for `source` and `count` they are called only for games that have the feature.
 */
#ifndef CARILLON_GAME_MONTECARLO_FEATURE_H
#define CARILLON_GAME_MONTECARLO_FEATURE_H

#include "libcommon/game/montecarlo/internal.h"

struct feature_fast {
	/* What it counts beside the lines of a spin of this set: the bits of its fields of a tag,
	 * as many fields as there are reels. */
	void (*widen)(const struct game *game, uint32_t set, uint32_t wild_reels,
		struct tag_field field[GAME_REELS_MAX]);
	/* What a column adds to these fields: a sum of counts, each shifted to its place. */
	uint32_t (*tag)(const struct game *game, uint32_t reel, const struct reel_column *column,
		const struct tag_field field[GAME_REELS_MAX]);
	/* Tables of its own in sim->own[..]: FAST_OK, FAST_TOO_LARGE or FAST_NO_MEMORY; `free` is
	 * called in any case, also without them. */
	enum fast_status (*build)(struct fast_sim *sim);
	void (*free)(struct fast_sim *sim);
	/* Does a spin with this tag start it? */
	bool (*starts)(const struct fast_sim *sim, enum spin_context context, uint32_t tag);
	void (*play)(struct fast_player *player, enum spin_context context, uint32_t tag,
		const struct place *place);
	/* Played after every spin whose lines win, whatever its tag. */
	bool on_win;
	/* For the reference, which plays libcommon/game/round.h: where a phase's wins come from
	 * where its row in features.def is not enough (SOURCES: it is), and what a phase counts as
	 * beside that row. */
	enum win_source (*source)(const struct phase *phase);
	void (*count)(const struct game *game, const struct phase *phase, uint64_t event[EVENTS]);
};

#define FEATURE(name) extern const struct feature_fast name##_fast;
#include "libcommon/game/features.def"

extern const struct feature_fast *const feature_fasts[FEATURES];

/* ---- for features ---- */

/* The window as it is paid. */
void window_of(const struct place *place, uint8_t *window);
/* Cells that show one of the symbols (bits). */
uint32_t cells_showing(const struct game *game, const uint8_t *window, uint32_t symbols);
/* One reel of a set spins. */
void column_draw(
	struct fast_player *player, uint32_t set, uint32_t reel, struct reel_column *column_r);
/* The progressive is won. */
void run_jackpot(struct fast_player *player);
/* Most of what counts as a symbol (game_counts_as) that a spin of this set shows. */
uint32_t tag_symbol_max(const struct game *game, uint32_t set, uint32_t wild_reels, uint8_t symbol);
/* Room for a count of at most this. */
void tag_widen(struct tag_field *field, uint32_t most);
/* How often a column shows what counts as a symbol, in the field's place; 0 where the field has no
 * bits. */
uint32_t tag_column(const struct game *game, struct tag_field field,
	const struct reel_column *column, uint8_t symbol);

#endif
