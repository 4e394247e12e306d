/* The definitions that this engine plays: those offered now, from the games folder, and older ones
 * by their digest, from the database. A round ends with the definition it began with. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_GAMES_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_GAMES_H

#include "libcommon/game/game.h"

#include <libpq-fe.h>

#define GAMES_MAX 16	 /* offered at once */
#define GAMES_OLD_MAX 64 /* older versions in memory */

struct games;

/* Loads <folder>/<id>/definition.json of every game; with demo, definition.demo.json if it exists.
 * `simulated`: also loads games whose return is simulated, not proved. Fatal, with file, place,
 * found and expected, if a game cannot be played. */
struct games *games_load(const char *folder, bool demo, bool simulated);
void games_free(struct games **games);
/* Stores every loaded definition, canonical, in carillon.game, which announces it to all services.
 * Call before the engine takes a shard: an engine plays only announced games. */
void games_register(const struct games *games, PGconn *conn);
/* True if the database announces another definition of the game than the one loaded here (if any).
 * Sends a query. */
bool games_behind(const struct games *games, PGconn *conn, const char *id);

size_t games_count(const struct games *games);
const struct game *games_at(const struct games *games, size_t at);
const struct game *games_by_id(const struct games *games, const char *id);
const struct game *games_by_number(const struct games *games, uint32_t number);
/* Finds a definition by number and digest; reads older ones from the database. NULL: never
 * registered. */
const struct game *games_by_digest(struct games *games, PGconn *conn, uint32_t number,
	const uint8_t digest[GAME_DIGEST_BYTES]);

#endif
