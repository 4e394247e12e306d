#include "tools/slotmath/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { TEXT, NUMBER, FLAG };

static const struct row {
	const char *name;
	enum kind kind;
	size_t at;
	int64_t min, max;
	const char *argument, *help;
} rows[] = {
#define AT(field) offsetof(struct options, field)
	{ "all", FLAG, AT(all), 0, 0, NULL, "every game in the folder" },
	{ "bytes", NUMBER, AT(bytes), 1, INT64_MAX, "N", "number of bytes (no end)" },
	{ "below", NUMBER, AT(below), 2, UINT32_MAX, "N",
		"numbers 0..N-1, one per line, instead of bytes" },
	{ "coins", NUMBER, AT(coins), 1, 1000, "N", "coins a line (the minimum)" },
	{ "distribution", FLAG, AT(distribution), 0, 0, NULL,
		"with --json: add every win of the paid spin's own lines and scatters" },
	{ "draft", FLAG, AT(draft), 0, 0, NULL,
		"accept a definition whose return is not in its published band" },
	{ "each", FLAG, AT(each), 0, 0, NULL,
		"the file has one round per line; print JSON on stdout, one line per round" },
	{ "format", TEXT, AT(format), 0, 0, "html|csv|json", "format of the sheet (html)" },
	{ "games", TEXT, AT(games), 0, 0, "DIR",
		"folder of the definitions (services/spin-engine/games)" },
	{ "hit-rate", TEXT, AT(hit_rate), 0, 0, "MIN-MAX", "hit rate in percent, such as 20-35" },
	{ "input", TEXT, AT(input), 0, 0, "FILE",
		"the search file (search.json beside the definition)" },
	{ "json", FLAG, AT(json), 0, 0, NULL, "JSON on stdout" },
	{ "known-answer", FLAG, AT(known_answer), 0, 0, NULL,
		"only check the generator against its published test vector" },
	{ "level", NUMBER, AT(level), 0, 3, "N", "unlocked features at the start (all)" },
	{ "levels", TEXT, AT(levels), 0, 0, "A,B,C,D",
		"present values of the levels in euro cents: clubs, diamonds, hearts, spades" },
	{ "lines", NUMBER, AT(lines), 1, 1000, "N", "lines played (all)" },
	{ "mode", TEXT, AT(mode), 0, 0, "ID", "only this mode" },
	{ "output", TEXT, AT(output), 0, 0, "FILE", "write to this file instead of stdout" },
	{ "quick", FLAG, AT(quick), 0, 0, NULL,
		"only returns: no hit rate, variance and distribution" },
	{ "quiet", FLAG, AT(quiet), 0, 0, NULL, "no progress on stderr" },
	{ "rates", TEXT, AT(rates), 0, 0, "SEK=0.0875,..", "euros for one unit of a currency" },
	{ "raw", FLAG, AT(raw), 0, 0, NULL, "the stream's bytes on stdout" },
	{ "rounds", NUMBER, AT(rounds), 1, INT64_C(1000000000000), "N",
		"rounds to play in each mode (10000000)" },
	{ "seed", NUMBER, AT(seed), 0, INT64_MAX, "N", "seed of the random streams (1)" },
	{ "sets", TEXT, AT(sets), 0, 0, "DIR", "folder of the sets (services/jackpot-cards/sets)" },
	{ "stakes", TEXT, AT(stakes), 0, 0, "A,B,..",
		"show the odds at these stakes, in minor units (40,100,1000,5000)" },
	{ "steps", NUMBER, AT(steps), 1, INT64_C(1000000000), "N",
		"evaluations before it gives up (from the search file)" },
	{ "target-rtp", TEXT, AT(target_rtp), 0, 0, "PERCENT",
		"target return, such as 96.08 (the published return)" },
	{ "threads", NUMBER, AT(threads), 1, 256, "N", "threads (one per core)" },
	{ "volatility", TEXT, AT(volatility), 0, 0, "MIN-MAX", "volatility index, such as 5-9" },
#undef AT
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

_Noreturn void refuse(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("slotmath: ", stderr);
	vfprintf(stderr, format, arguments);
	fputs("\n", stderr);
	va_end(arguments);
	exit(SLOTMATH_EXIT_WRONG);
}

static bool takes(const struct command *command, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = command->options; (at = strstr(at, name)) != NULL; at += length)
		if ((at == command->options || at[-1] == ' ') &&
			(at[length] == ' ' || at[length] == 0))
			return true;
	return false;
}

static _Noreturn void help(const struct command *command)
{
	printf("slotmath %s%s%s%s\n\n%s\n\n", command->name, command->subject ? " " : "",
		command->subject ? command->subject : "", command->options[0] ? " [options]" : "",
		command->help);
	for (size_t i = 0; i < ROWS; i++) {
		char name[64];

		if (!takes(command, rows[i].name))
			continue;
		snprintf(name, sizeof(name), "--%s%s%s", rows[i].name, rows[i].argument ? " " : "",
			rows[i].argument ? rows[i].argument : "");
		printf("  %-24s %s\n", name, rows[i].help);
	}
	exit(0);
}

static void take(const struct row *row, const char *text, struct options *options)
{
	char *field = (char *)options + row->at;
	int64_t value;
	char *end;

	if (row->kind == TEXT) {
		if (!text[0] || strlen(text) >= OPTIONS_TEXT_MAX)
			refuse("--%s: found %zu characters, expected 1 to %d", row->name,
				strlen(text), OPTIONS_TEXT_MAX - 1);
		memcpy(field, text, strlen(text) + 1);
		return;
	}
	errno = 0;
	value = strtoll(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end || errno || value < row->min ||
		value > row->max)
		refuse("--%s: found '%s', expected a whole number from %lld to %lld", row->name,
			text, (long long)row->min, (long long)row->max);
	memcpy(field, &value, sizeof(value));
}

static const struct row *find(const struct command *command, const char *name, size_t length)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0 &&
			takes(command, rows[i].name))
			return &rows[i];
	refuse("option: found '--%.*s', expected one of those that 'slotmath %s --help' lists",
		(int)length, name, command->name);
}

/* One argument that begins with --; returns how many were used. */
static int take_option(
	const struct command *command, int left, char **argv, struct options *options)
{
	const char *name = argv[0] + 2, *equals = strchr(name, '=');
	const struct row *row =
		find(command, name, equals ? (size_t)(equals - name) : strlen(name));

	if (row->kind == FLAG) {
		if (equals)
			refuse("--%s: found '%s', expected no value", row->name, equals + 1);
		*((char *)options + row->at) = true;
		return 1;
	}
	if (equals) {
		take(row, equals + 1, options);
		return 1;
	}
	if (left < 2)
		refuse("--%s: found nothing after it, expected %s", row->name, row->argument);
	take(row, argv[1], options);
	return 2;
}

void options_read(const struct command *command, int argc, char **argv, struct options *options_r)
{
	*options_r = (struct options){ .games = "services/spin-engine/games",
		.sets = "services/jackpot-cards/sets",
		.stakes = "40,100,1000,5000",
		.format = "html",
		.seed = 1,
		.level = -1,
		.rounds = 10000000 };
	for (int i = 2; i < argc;) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			help(command);
		if (strncmp(argv[i], "--", 2) == 0) {
			i += take_option(command, argc - i, argv + i, options_r);
			continue;
		}
		if (!command->subject || options_r->subject[0])
			refuse("argument: found '%s', expected %s", argv[i],
				command->subject ? "only one argument without --" : "options only");
		if (!argv[i][0] || strlen(argv[i]) >= OPTIONS_TEXT_MAX)
			refuse("%s: found %zu characters, expected 1 to %d", command->subject,
				strlen(argv[i]), OPTIONS_TEXT_MAX - 1);
		memcpy(options_r->subject, argv[i], strlen(argv[i]) + 1);
		i++;
	}
	if (command->subject && !options_r->subject[0] && !options_r->all)
		refuse("%s: found nothing, expected %s", command->subject,
			takes(command, "all") ? "the id of a game, a definition file, or --all"
					      : "one; see --help");
}
