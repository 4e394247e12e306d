/* How a feature is loaded: what it promises the loader (features.def). All hooks may be NULL. */
#ifndef CARILLON_GAME_DEFINITION_FEATURE_H
#define CARILLON_GAME_DEFINITION_FEATURE_H

#include "libcommon/game/core/rule.h"
#include "libcommon/game/definition/check.h"
#include "libcommon/game/definition/parts.h"

struct feature_definition {
	/* Its member of the definition; null there: the game has no such feature. */
	const char *member;
	/* The member may be left out: definitions from before the feature keep their digest. */
	bool optional;
	/* Reads that member, which is not null. */
	void (*read)(const struct node *node, struct game *game);
	/* Sets what a game without the feature has in its place. */
	void (*without)(struct game *game);
	/* Whether it can come, and whether the engine plays it with the game's other features.
	 * Called for every game; mistakes go to the reader. */
	void (*check)(
		const struct node *root, const struct game *game, const struct strips_seen *seen);
	/* The most that line wins of its phases are multiplied by, beside what free spins do.
	 * Called for games that have it. */
	uint32_t (*line_factor)(const struct game *game);
	/* The most phases that a spin of the context starts by it, but for respins until a win.
	 * Called for games that have it; NULL: none. */
	uint32_t (*phases)(const struct game *game, enum spin_context context);
};

#define FEATURE(name) extern const struct feature_definition name##_definition;
#include "libcommon/game/features.def"

extern const struct feature_definition *const feature_definitions[FEATURES];

/* Refuses `member` in a game that also has `other`: the engine does not play them together. */
void definition_not_with(
	const struct node *root, const char *member, bool has_other, const char *other);
/* Sets (bits) that free spins, and sticky respins, are played on. */
uint32_t definition_free_sets(const struct game *game);
uint32_t definition_sticky_sets(const struct game *game);

#endif
