/* Reads a game's definition (JSON, format 1; the members are in docs/definition.md) into a struct
 * game. Everything that would make the game unplayable, unsafe or dishonest is refused here, with
 * the file, the JSON pointer, what was found and what was expected, so that the core may assert.
 * The last check is the published one: the exact return of every mode and class of bets (exact/)
 * is in its band. The math version is the SHA-256 of the file's canonical form: keys sorted, no
 * white space. */
#ifndef CARILLON_GAME_DEFINITION_LOAD_H
#define CARILLON_GAME_DEFINITION_LOAD_H

#include "libcommon/game/game.h"

#define DEFINITION_ERROR_MAX 512
#define DEFINITION_WARNING_MAX 256
#define DEFINITION_FILE_MAX (1 << 20)

enum definition_status {
	DEFINITION_OK = 0,
	DEFINITION_UNREADABLE, /* no such file, too large, not JSON */
	DEFINITION_REFUSED,    /* JSON, but no game */
};

/* For drafts, whose numbers are still being sought: everything is checked but the published bands,
 * which take the exact mathematics. Such a game must not be offered to anyone. */
#define DEFINITION_UNPROVEN 1u
/* Also takes games with returns that are simulated, not proved (published_rtp.simulated). Without
 * it they are refused. */
#define DEFINITION_SIMULATED 2u

/* `game_r` is the caller's (several hundred kilobytes) and undefined unless DEFINITION_OK; what the
 * loader allocated for it (ranks of guaranteed spins) goes with definition_free. `error` holds
 * DEFINITION_ERROR_MAX bytes and is always a whole string, empty when all is well. */
enum definition_status definition_load(const char *path, struct game *game_r, char *error);
/* The same from memory; `name` stands for the file in errors. */
enum definition_status definition_parse(
	const char *name, const char *text, size_t count, struct game *game_r, char *error);
/* The same with flags: 0 or DEFINITION_UNPROVEN. */
enum definition_status definition_load_flags(
	const char *path, uint32_t flags, struct game *game_r, char *error);
enum definition_status definition_parse_flags(const char *name, const char *text, size_t count,
	uint32_t flags, struct game *game_r, char *error);

/* Frees what the loader allocated; the struct itself is the caller's. Harmless twice. */
void definition_free(struct game *game);

/* What is worth a word and no reason to refuse: seeds of the progressive out of proportion to the
 * coin value, with the return that coin value then has. Calls `say` with each; returns how many
 * there are. Takes the exact mathematics: not for the path of a spin. */
uint32_t definition_warnings(
	const struct game *game, void (*say)(void *context, const char *warning), void *context);

#endif
