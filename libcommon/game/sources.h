/* Features, sources of wins and events of a round: the names that the exact mathematics, Monte
 * Carlo, PAR sheets and JSON share. Their rows are in features.def. */
#ifndef CARILLON_GAME_SOURCES_H
#define CARILLON_GAME_SOURCES_H

#include "libcommon/game/game.h"

/* In the order of play. */
enum feature {
#define FEATURE(name) FEATURE_##name,
#include "libcommon/game/features.def"
	FEATURES
};

/* Every jackpot counts as SOURCE_JACKPOT, wherever it is won. Every other win in free spins counts
 * as SOURCE_FREE_SPINS. */
enum win_source {
#define SOURCE(id, text, words) SOURCE_##id,
#include "libcommon/game/features.def"
	SOURCES
};

enum game_event {
#define EVENT(id, text) EVENT_##id,
#include "libcommon/game/features.def"
	EVENT_AWARD /* + i: award i of hold and win */
};
#define EVENTS (EVENT_AWARD + HOLD_AWARDS_MAX)

/* Names from features.def; the name of an award is its id in the definition. Static, or owned by
 * the game. */
const char *source_text(enum win_source source);
const char *source_words(enum win_source source);
const char *event_text(const struct game *game, uint32_t event);

#endif
