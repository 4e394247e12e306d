/* A round as its player may see it: replayed from its secret up to the cursor, and no phase
 * further. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_VIEW_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_VIEW_H

#include "libcommon/io/arena.h"
#include "services/spin-engine/adapters/games.h"
#include "services/spin-engine/adapters/keys.h"
#include "services/spin-engine/core/player.h"

#include "spin.pb-c.h"

#define VIEW_PHASES_MAX 512

struct view_sources {
	struct arena *arena;
	const struct keys *keys;
	struct games *games;
	PGconn *conn; /* for older definitions */
};

enum view_status {
	VIEW_OK = 0,
	VIEW_NO_DEFINITION, /* the round's definition was not found */
	VIEW_NO_KEY,	    /* the service key is not in the file */
	VIEW_DIFFERS,	    /* replaying a closed round gives another digest than its record has */
};

/* A round's definition and one of its stream keys. */
enum view_status view_key(const struct view_sources *sources, player_id player,
	const struct play_round *round, uint32_t number, const char *purpose,
	const struct game **game_r, uint8_t key_r[PLAYER_KEY_BYTES]);
/* Phases from..cursor, at most `most`. The arena owns the message. */
enum view_status view_round(const struct view_sources *sources, const struct player *player,
	const struct player_game *play, uint32_t from, uint32_t most, Carillon__RoundView **view_r);
const char *view_status_text(enum view_status status);

#endif
