/* How the core plays a feature (features.def). All hooks may be NULL. Pure: only definition, bet,
 * carried state and stream decide. */
#ifndef CARILLON_GAME_CORE_RULE_H
#define CARILLON_GAME_CORE_RULE_H

#include "libcommon/game/core/round_parts.h"
#include "libcommon/game/sources.h"

struct feature_rule {
	/* Does the game have this feature? Called before every other hook except `waits`. */
	bool (*offered)(const struct game *game);
	/* Ends a spin, in the same phase and after its wins. May draw, change the phase, and set
	 * the fields that `waits` reads. `columns`: the drawn reels of a paid spin; NULL in a free
	 * spin. */
	void (*after_spin)(struct round *round, struct phase *phase,
		const struct reel_column *columns, enum spin_context context);
	/* Does it have a phase to play? Reads only the feature's own fields of struct round. */
	bool (*waits)(const struct round *round);
	/* Plays that phase: opens it, draws, pays, and sets the fields that `waits` reads for the
	 * next phase. */
	void (*play)(struct round *round, struct phase *phase);
};

#define FEATURE(name) extern const struct feature_rule name##_rule;
#include "libcommon/game/features.def"

/* In the order of play. */
extern const struct feature_rule *const feature_rules[FEATURES];

#endif
