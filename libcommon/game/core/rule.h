/* How a feature is played: what it promises the core (features.def). All hooks may be NULL. Pure:
 * definition, bet, carried state and stream decide, nothing else. */
#ifndef CARILLON_GAME_CORE_RULE_H
#define CARILLON_GAME_CORE_RULE_H

#include "libcommon/game/core/round_parts.h"
#include "libcommon/game/sources.h"

struct feature_rule {
	/* Has the game this feature? Asked before every hook but `waits`. */
	bool (*offered)(const struct game *game);
	/* The end of a paid spin (columns: its reels as they were drawn) or of a free spin (NULL),
	 * in the same phase, after its wins: may draw, change the phase, and set what `waits` looks
	 * at. */
	void (*after_spin)(struct round *round, struct phase *phase,
		const struct reel_column *columns, enum spin_context context);
	/* Has it a phase to play, by the fields of struct round that it owns? */
	bool (*waits)(const struct round *round);
	/* Plays that phase: opens it, draws, pays, and leaves its fields so that `waits` says
	 * whether another follows. */
	void (*play)(struct round *round, struct phase *phase);
};

#define FEATURE(name) extern const struct feature_rule name##_rule;
#include "libcommon/game/features.def"

/* In the order of play. */
extern const struct feature_rule *const feature_rules[FEATURES];

#endif
