#include "libcommon/game/definition_load.h"

#include "libcommon/game/definition/check.h"
#include "libcommon/game/definition/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum definition_status definition_parse_flags(const char *name, const char *text, size_t count,
	uint32_t flags, struct game *game_r, char *error)
{
	return definition_read(name, text, count, flags,
		flags & DEFINITION_UNPROVEN ? NULL : definition_prove_returns, game_r, error);
}

enum definition_status definition_parse(
	const char *name, const char *text, size_t count, struct game *game_r, char *error)
{
	return definition_parse_flags(name, text, count, 0, game_r, error);
}

enum definition_status definition_load_flags(
	const char *path, uint32_t flags, struct game *game_r, char *error)
{
	enum definition_status status = DEFINITION_UNREADABLE;
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t count;

	if (!file) {
		snprintf(error, DEFINITION_ERROR_MAX,
			"%.200s: found %s, expected a definition file", path, strerror(errno));
		return status;
	}
	text = malloc(DEFINITION_FILE_MAX + 1);
	if (!text) {
		snprintf(error, DEFINITION_ERROR_MAX, "%.200s: too little memory to read it", path);
		goto out;
	}
	count = fread(text, 1, DEFINITION_FILE_MAX + 1, file);
	if (ferror(file)) {
		snprintf(error, DEFINITION_ERROR_MAX, "%.200s: found %s, expected a readable file",
			path, strerror(errno));
		goto out;
	}
	status = definition_parse_flags(path, text, count, flags, game_r, error);
out:
	free(text);
	fclose(file);
	return status;
}

enum definition_status definition_load(const char *path, struct game *game_r, char *error)
{
	return definition_load_flags(path, 0, game_r, error);
}
