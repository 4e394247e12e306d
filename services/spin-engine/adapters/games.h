/* The definitions this engine plays: those offered now, from the games folder, and older ones by
 * their digest, from the database: a round ends on the definition it began with. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_GAMES_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_GAMES_H

#include "libcommon/game/game.h"

#include <libpq-fe.h>

#define GAMES_MAX 16	 /* offered at once */
#define GAMES_OLD_MAX 64 /* older versions in memory */

struct games;

/* Loads <folder>/<id>/definition.json of every game; with demo, definition.demo.json instead where
 * there is one. `simulated`: games whose return is simulated, not proved, are taken too. Fatal,
 * with file, place, found and expected, on any that cannot be played. */
struct games *games_load(const char *folder, bool demo, bool simulated);
void games_free(struct games **games);
/* Keeps every loaded definition, canonical, in carillon.game: that announces it to all services.
 * Before the first shard is taken, so that nothing is played which is not announced. */
void games_register(const struct games *games, PGconn *conn);
/* Is another definition of the game announced than the one that is loaded here, if any is? Asks
 * the database. */
bool games_behind(const struct games *games, PGconn *conn, const char *id);

size_t games_count(const struct games *games);
const struct game *games_at(const struct games *games, size_t at);
const struct game *games_by_id(const struct games *games, const char *id);
const struct game *games_by_number(const struct games *games, uint32_t number);
/* By number and digest; an older one is read from the database. NULL if it was never registered
 * there. */
const struct game *games_by_digest(struct games *games, PGconn *conn, uint32_t number,
	const uint8_t digest[GAME_DIGEST_BYTES]);

#endif
