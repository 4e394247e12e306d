/* Reads a game's definition (JSON, format 0; the fields are in games/README.md) into a struct game.
 * Everything that would make the game unplayable, unsafe or dishonest is refused here, with the
 * file, the JSON pointer, what was found and what was expected, so that the core may assert. The
 * math version is the SHA-256 of the file's canonical form: keys sorted, no white space. */
#ifndef CARILLON_SPIN_ENGINE_DEFINITION_LOAD_H
#define CARILLON_SPIN_ENGINE_DEFINITION_LOAD_H

#include "services/spin-engine/core/game.h"

#define DEFINITION_ERROR_MAX 512
#define DEFINITION_FILE_MAX (1024 * 1024)

enum definition_status {
	DEFINITION_OK = 0,
	DEFINITION_UNREADABLE, /* no such file, too large, not JSON */
	DEFINITION_REFUSED,    /* JSON, but no game */
};

/* `game_r` is the caller's (several tens of kilobytes); undefined unless DEFINITION_OK. `error`
 * holds DEFINITION_ERROR_MAX bytes and is always a whole string, empty when all is well. */
enum definition_status definition_load(const char *path, struct game *game_r, char *error);
/* The same from memory; `name` stands for the file in errors. */
enum definition_status definition_parse(
	const char *name, const char *text, size_t count, struct game *game_r, char *error);

#endif
