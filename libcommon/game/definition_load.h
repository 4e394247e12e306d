/* Reads a game's definition (JSON, format 1; docs/definition.md describes the members) into a
 * struct game. The loader refuses everything that would make the game unplayable, unsafe or
 * dishonest; the error names the file, the JSON pointer, the value found and the values expected.
 * The code that plays rounds (game/core/, game/features/) relies on these checks; at most it
 * asserts what they ensure. The last check compares the exact return of every mode and class of
 * bets with its published band. The math version is the SHA-256 of the file's canonical form: keys
 * sorted, no white space. */
#ifndef CARILLON_GAME_DEFINITION_LOAD_H
#define CARILLON_GAME_DEFINITION_LOAD_H

#include "libcommon/game/game.h"

#define DEFINITION_ERROR_MAX 512
#define DEFINITION_WARNING_MAX 256
#define DEFINITION_FILE_MAX (1 << 20)

enum definition_status {
	DEFINITION_OK = 0,
	DEFINITION_UNREADABLE, /* no such file, too large, not JSON */
	DEFINITION_REFUSED,    /* JSON, but not a valid game */
};

/* For drafts whose numbers are not final: checks everything except the published bands, which need
 * the exact mathematics. Never offer a game loaded this way to players. */
#define DEFINITION_UNPROVEN 1u
/* Also accepts games whose returns are simulated, not proved (published_rtp.simulated_rounds).
 * Without this flag the loader refuses them. */
#define DEFINITION_SIMULATED 2u

/* The caller owns `game_r` (several hundred kilobytes); it is undefined unless DEFINITION_OK.
 * definition_free frees what the loader allocated for it (the struct spin_rank of each mode with a
 * guarantee). `error` has room for DEFINITION_ERROR_MAX bytes; it receives a complete string, which
 * is empty on success. */
enum definition_status definition_load(const char *path, struct game *game_r, char *error);
/* The same from memory; errors show `name` instead of a file name. */
enum definition_status definition_parse(
	const char *name, const char *text, size_t count, struct game *game_r, char *error);
/* The same with flags: DEFINITION_UNPROVEN, DEFINITION_SIMULATED, or 0. */
enum definition_status definition_load_flags(
	const char *path, uint32_t flags, struct game *game_r, char *error);
enum definition_status definition_parse_flags(const char *name, const char *text, size_t count,
	uint32_t flags, struct game *game_r, char *error);

/* The same with DEFINITION_UNPROVEN and DEFINITION_SIMULATED. A program that loads
 * definitions only in this way links no exact mathematics, so it can run in a browser. */
enum definition_status definition_parse_unproven(
	const char *name, const char *text, size_t count, struct game *game_r, char *error);

/* Frees what the loader allocated, but not the struct itself. May be called twice. */
void definition_free(struct game *game);

/* Calls `say` with each warning and returns their number. A warning names a progressive's seed that
 * is out of proportion to its coin value, and the return at that coin value. Slow (exact
 * mathematics): do not call it while players wait. */
uint32_t definition_warnings(
	const struct game *game, void (*say)(void *context, const char *warning), void *context);

#endif
