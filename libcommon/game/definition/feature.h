/* How the loader reads and checks a feature (features.def). All hooks may be NULL. */
#ifndef CARILLON_GAME_DEFINITION_FEATURE_H
#define CARILLON_GAME_DEFINITION_FEATURE_H

#include "libcommon/game/core/rule.h"
#include "libcommon/game/definition/check.h"
#include "libcommon/game/definition/parts.h"

struct feature_definition {
	/* Its member of the definition; the member is null in a game without the feature. */
	const char *member;
	/* The member may be missing, so that definitions older than the feature keep their
	 * digest. */
	bool optional;
	/* Reads that member, which is not null. */
	void (*read)(const struct node *node, struct game *game);
	/* Sets the values for a game without the feature. */
	void (*without)(struct game *game);
	/* Checks that the feature can start and that the engine can play it with the game's other
	 * features. Called for every game; records mistakes. */
	void (*check)(
		const struct node *root, const struct game *game, const struct strips_seen *seen);
	/* The largest multiplier on line wins in its phases, without the multiplier of free spins.
	 * Called for games that have it. */
	uint32_t (*line_factor)(const struct game *game);
	/* The largest number of phases that it adds to a spin of the context, without respins that
	 * continue until a win. Called for games that have it; NULL: none. */
	uint32_t (*phases)(const struct game *game, enum spin_context context);
};

#define FEATURE(name) extern const struct feature_definition name##_definition;
#include "libcommon/game/features.def"

extern const struct feature_definition *const feature_definitions[FEATURES];

/* Refuses `member` in a game that also has `other`: the engine does not play them together. */
void definition_not_with(
	const struct node *root, const char *member, bool has_other, const char *other);
/* The strip sets (bits) of free spins, and of sticky respins. */
uint32_t definition_free_sets(const struct game *game);
uint32_t definition_sticky_sets(const struct game *game);

#endif
