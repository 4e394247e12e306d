/* slotmath par: the PAR sheet of a game. */
#include "libcommon/game/par.h"
#include "tools/slotmath/commands.h"
#include "tools/slotmath/games.h"

#include <errno.h>
#include <string.h>

static bool write_document(const char *format, const json_t *document, FILE *out)
{
	if (strcmp(format, "html") == 0) {
		par_html(document, out);
	} else if (strcmp(format, "csv") == 0) {
		par_csv(document, out);
	} else {
		json_dumpf(document, out, JSON_INDENT(1));
		fputs("\n", out);
	}
	return fflush(out) == 0 && !ferror(out);
}

int command_par(const struct options *options)
{
	const char *format = options->json ? "json" : options->format;
	FILE *out = stdout;
	struct game *game;
	json_t *document;
	bool good;

	if (strcmp(format, "html") != 0 && strcmp(format, "csv") != 0 &&
		strcmp(format, "json") != 0)
		refuse("--format: found '%s', expected html, csv or json", format);
	game = game_open(options, options->subject);
	if (options->output[0]) {
		out = fopen(options->output, "w");
		if (!out)
			refuse("--output: found '%s' (%s), expected a file that can be written",
				options->output, strerror(errno));
	}
	document = par_document(game, options->subject);
	good = write_document(format, document, out);
	if (out != stdout)
		good = fclose(out) == 0 && good;
	if (!good)
		refuse("--output: cannot write the sheet to '%s': %s",
			options->output[0] ? options->output : "stdout", strerror(errno));
	json_decref(document);
	game_release(&game);
	return 0;
}
