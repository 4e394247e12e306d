/* Refusals of the loader as text tables: each row changes one place of an accepted definition
 * and gives a part of the error that the loader must then report. */
#ifndef CARILLON_GAME_TEST_DEFINITION_FIXTURE_H
#define CARILLON_GAME_TEST_DEFINITION_FIXTURE_H

#include "libcommon/game/definition_load.h"

#include <jansson.h>

/* Small games, one for each group of features; they are the fuzzer's seeds too. */
#define FIXTURE_SMALL(name) "libcommon/game/test/corpus/fuzz_definition/" name ".json"

struct refusal {
	const char *pointer;
	const char *value; /* JSON text put there; NULL: removed. "-" as last name: appended */
	const char *says;  /* a part of the error */
};

/* Puts `value` at the pointer. */
void definition_change(json_t *root, const char *pointer, const char *value);
enum definition_status definition_of_json(
	json_t *root, uint32_t flags, struct game *game, char *error);
/* Tries each row on the definition at `path`. For a row that fails, reports what was found instead.
 */
void definition_refusals(const char *path, const struct refusal *rows, size_t count);
#define DEFINITION_REFUSALS(path, rows)                                                            \
	definition_refusals(path, rows, sizeof(rows) / sizeof((rows)[0]))

#endif
