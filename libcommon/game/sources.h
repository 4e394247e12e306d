/* Features, where wins come from, and what happens in a round: the names that the exact
 * mathematics, the simulations, the PAR sheets and JSON share. The rows are in features.def. */
#ifndef CARILLON_GAME_SOURCES_H
#define CARILLON_GAME_SOURCES_H

#include "libcommon/game/game.h"

/* In the order of play. */
enum feature {
#define FEATURE(name) FEATURE_##name,
#include "libcommon/game/features.def"
	FEATURES
};

/* A jackpot is SOURCE_JACKPOT wherever it is won, and what free spins win in whatever way is
 * SOURCE_FREE_SPINS. */
enum win_source {
#define SOURCE(id, text, words) SOURCE_##id,
#include "libcommon/game/features.def"
	SOURCES
};

enum game_event {
#define EVENT(id, text) EVENT_##id,
#include "libcommon/game/features.def"
	EVENT_AWARD /* + i: award i of the hold and win */
};
#define EVENTS (EVENT_AWARD + HOLD_AWARDS_MAX)

/* Rows of features.def; awards by their id in the definition. Static, or the game's. */
const char *source_text(enum win_source source);
const char *source_words(enum win_source source);
const char *event_text(const struct game *game, uint32_t event);

#endif
