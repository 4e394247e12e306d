#include "tools/slotmath/games.h"

#include "libcommon/game/definition_load.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A subject with a slash or ".json" is a file; any other is an id. */
static void path_of(const struct options *options, const char *subject, char *path, size_t size)
{
	size_t length = strlen(subject);
	bool file =
		strchr(subject, '/') || (length > 5 && strcmp(subject + length - 5, ".json") == 0);
	struct stat about;

	if (file)
		snprintf(path, size, "%s", subject);
	else
		snprintf(path, size, "%s/%s/definition.json", options->games, subject);
	if (!file && stat(path, &about) != 0)
		refuse("GAME: found '%s', expected a file, or the id of a folder in %s with a "
		       "definition.json",
			subject, options->games);
}

struct game *game_open(const struct options *options, const char *subject)
{
	struct game *game = calloc(1, sizeof(*game));
	char path[2 * OPTIONS_TEXT_MAX + 32], error[DEFINITION_ERROR_MAX];

	if (!game)
		refuse("out of memory: needs %zu bytes", sizeof(*game));
	path_of(options, subject, path, sizeof(path));
	if (definition_load_flags(path,
		    DEFINITION_SIMULATED | (options->draft ? DEFINITION_UNPROVEN : 0), game,
		    error) != DEFINITION_OK)
		refuse("%s", error);
	return game;
}

void game_release(struct game **game)
{
	if (*game)
		definition_free(*game);
	free(*game);
	*game = NULL;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

size_t games_list(const struct options *options, char ids_r[GAMES_MAX][GAME_ID_MAX])
{
	DIR *folder = opendir(options->games);
	const struct dirent *entry;
	size_t count = 0;

	if (!folder)
		refuse("--games: found '%s', expected a folder", options->games);
	while ((entry = readdir(folder)) != NULL) {
		char path[2 * OPTIONS_TEXT_MAX + 32];
		size_t length = strlen(entry->d_name);
		struct stat about;

		snprintf(path, sizeof(path), "%s/%.*s/definition.json", options->games,
			OPTIONS_TEXT_MAX, entry->d_name);
		if (entry->d_name[0] == '.' || length >= GAME_ID_MAX || stat(path, &about) != 0)
			continue;
		if (count == GAMES_MAX)
			refuse("--games: found more than %d games in '%s'", GAMES_MAX,
				options->games);
		memcpy(ids_r[count++], entry->d_name, length + 1);
	}
	closedir(folder);
	if (count == 0)
		refuse("--games: found no ID/definition.json in '%s', expected at least one",
			options->games);
	qsort(ids_r, count, sizeof(ids_r[0]), by_text);
	return count;
}

int mode_wanted(const struct options *options, const struct game *game)
{
	char known[GAME_MODES_MAX * (GAME_ID_MAX + 2) + 1] = "";
	size_t used = 0;

	if (!options->mode[0])
		return -1;
	for (uint32_t m = 0; m < game->mode_count; m++) {
		if (strcmp(options->mode, game->mode[m].id) == 0)
			return (int)m;
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", m ? ", " : "",
			game->mode[m].id);
	}
	refuse("--mode: found '%s', expected one of %s", options->mode, known);
}

void json_print(json_t *json)
{
	json_dumpf(json, stdout, JSON_INDENT(2));
	fputs("\n", stdout);
	json_decref(json);
}
