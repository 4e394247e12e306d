/* slotmath check: loads a definition as the server does. */
#include "libcommon/game/definition_load.h"
#include "tools/slotmath/commands.h"
#include "libcommon/game/rational.h"
#include "tools/slotmath/games.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refused(const struct options *options, const char *error)
{
	if (options->json)
		json_print(json_pack(
			"{s:s, s:b, s:s}", "file", options->subject, "ok", 0, "error", error));
	fprintf(stderr, "slotmath: %s\n", error);
	return SLOTMATH_EXIT_WRONG;
}

static void keep_warning(void *context, const char *warning)
{
	json_array_append_new(context, json_string(warning));
}

static void print_game(const struct options *options, const struct game *game, json_t *warnings)
{
	const json_t *warning;
	size_t i;
	char digest[2 * GAME_DIGEST_BYTES + 1];

	hex_text(game->digest, GAME_DIGEST_BYTES, digest);
	if (options->json) {
		json_print(json_pack("{s:s, s:b, s:s, s:i, s:s, s:O}", "file", options->subject,
			"ok", 1, "game", game->id, "version", (int)game->version, "math_version",
			digest, "warnings", warnings));
		return;
	}
	printf("%s: %s (%s), version %u, is a valid game\nmath version "
	       "%s\n",
		options->subject, game->id, game->name, game->version, digest);
	if (game_simulated(game))
		printf("its return is simulated, not proved: live installations refuse it unless "
		       "SPIN_ENGINE_SIMULATED_RETURNS=1\n");
	json_array_foreach(warnings, i, warning)
		printf("warning: %s\n", json_string_value(warning));
	printf("next: slotmath rtp %s%s; slotmath par %s%s --output %s.html\n", options->subject,
		options->draft ? " --draft" : "", options->subject,
		options->draft ? " --draft" : "", game->id);
}

int command_check(const struct options *options)
{
	struct game *game = calloc(1, sizeof(*game));
	char error[DEFINITION_ERROR_MAX];
	json_t *warnings;

	if (!game)
		refuse("out of memory: needs %zu bytes", sizeof(*game));
	if (definition_load_flags(options->subject,
		    DEFINITION_SIMULATED | (options->draft ? DEFINITION_UNPROVEN : 0), game,
		    error) != DEFINITION_OK) {
		free(game);
		return refused(options, error);
	}
	warnings = json_array();
	definition_warnings(game, keep_warning, warnings);
	print_game(options, game, warnings);
	json_decref(warnings);
	game_release(&game);
	return 0;
}
