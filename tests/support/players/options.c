#include "tests/support/players/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { TEXT, NUMBER, FLAG };

/* One row an option: the parser, the help and the limits all come from here. */
static const struct row {
	const char *name;
	enum kind kind;
	size_t at, size;
	int64_t min, max;
	const char *argument, *help;
} rows[] = {
#define AT(field) offsetof(struct options, field), sizeof(((struct options *)0)->field)
	{ "url", TEXT, AT(url), 0, 0, "URL", "the gateway, http://127.0.0.1:PORT (must be given)" },
	{ "players", NUMBER, AT(players), 1, 100000, "N", "players at once (10)" },
	{ "first-player", NUMBER, AT(first_player), 1, INT64_C(281474976710655), "K",
		"number of the first player (1)" },
	{ "seconds", NUMBER, AT(seconds), 0, 1000000, "S", "how long to play" },
	{ "warm-up", NUMBER, AT(warm_up), 0, 1000000, "S",
		"seconds of play before latencies, rate and the players' cost count (0)" },
	{ "rounds", NUMBER, AT(rounds), 0, INT64_C(1000000000), "R",
		"rounds to play over all players; neither: 10 seconds" },
	{ "rate", NUMBER, AT(rate), 0, 1000000, "N",
		"spins a second in total; 0: as fast as answers come (0)" },
	{ "think-time", NUMBER, AT(think_ms), 0, 600000, "MS",
		"wait between an answer and the next request (0)" },
	{ "read-back", NUMBER, AT(read_back), 0, 1000000, "N",
		"compare a player's record with the ledger after every N rounds; 0: at the end "
		"(0)" },
	{ "game", TEXT, AT(game), 0, 0, "ID",
		"the game, or all: each player moves from one to another (all)" },
	{ "currency", TEXT, AT(currency), 0, 0, "CODE", "of new accounts (EUR)" },
	{ "coin-minor", NUMBER, AT(coin_minor), 0, INT64_C(1000000000), "N",
		"coin value in minor units; 0: a seeded mix (0)" },
	{ "lines", NUMBER, AT(lines), 0, 1000, "N", "lines; 0: a seeded mix (0)" },
	{ "coins", NUMBER, AT(coins), 0, 1000, "N", "coins a line; 0: a seeded mix (0)" },
	{ "gamble", NUMBER, AT(gamble_percent), 0, 100, "PERCENT",
		"how often an offered gamble is taken (20)" },
	{ "seed", NUMBER, AT(seed), 0, INT64_MAX, "N", "of the players' choices (1)" },
	{ "operator", NUMBER, AT(operator_id), 1, 32767, "N", "operator of the players (1)" },
	{ "operator-key", TEXT, AT(operator_key), 0, 0, "FILE",
		"file with the operator's key: players who run out get a deposit" },
	{ "events", TEXT, AT(events), 0, 0, "URL",
		"WebSocket of notifications; \"none\": none (what GET /v1/config says)" },
	{ "subscribers", NUMBER, AT(subscribers), 0, 1000, "N", "WebSocket clients (3)" },
	{ "timeout", NUMBER, AT(timeout_ms), 100, 600000, "MS",
		"of one request, which is then asked again (3000)" },
	{ "record", TEXT, AT(record), 0, 0, "FILE", "write the result there as JSON" },
	{ "live", TEXT, AT(live), 0, 0, "FILE", "write one JSON line there each second" },
	{ "quiet", FLAG, AT(quiet), 0, 0, NULL, "no summary on stdout" },
#undef AT
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

__attribute__((noreturn, format(printf, 1, 2))) static void refuse(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("players: ", stderr);
	vfprintf(stderr, format, arguments);
	fputs("; --help shows all options\n", stderr);
	va_end(arguments);
	exit(2);
}

static void help(void)
{
	puts("players --url=URL [options]\n\n"
	     "Plays through the public HTTP and WebSocket interface alone, keeps a record of all "
	     "that\n"
	     "the players were told, and compares it with the ledger and the history.\n"
	     "Exit status: 0 all is well; 1 something did not match or was answered with an error "
	     "that\n"
	     "a player should never see; 2 wrong usage.\n");
	for (size_t i = 0; i < ROWS; i++) {
		char name[64];
		snprintf(name, sizeof(name), "--%s%s%s", rows[i].name, rows[i].argument ? "=" : "",
			rows[i].argument ? rows[i].argument : "");
		printf("  %-22s %s\n", name, rows[i].help);
	}
	exit(0);
}

static void take_number(const struct row *row, const char *text, int64_t *value_r)
{
	char *end = NULL;
	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end || errno || value < row->min ||
		value > row->max)
		refuse("--%s: found '%s', expected a whole number from %lld to %lld", row->name,
			text, (long long)row->min, (long long)row->max);
	*value_r = value;
}

static void take_text(const struct row *row, const char *text, char *value_r)
{
	if (!text[0] || strlen(text) >= row->size)
		refuse("--%s: found %zu characters, expected 1 to %zu", row->name, strlen(text),
			row->size - 1);
	memcpy(value_r, text, strlen(text) + 1);
}

/* The option names a file; what is kept is the key inside. */
static void read_key(char *key)
{
	char path[OPTIONS_TEXT_MAX];
	memcpy(path, key, sizeof(path));
	FILE *file = fopen(path, "r");
	if (!file)
		refuse("--operator-key: cannot read '%s': %s", path, strerror(errno));
	if (!fgets(key, OPTIONS_TEXT_MAX, file))
		key[0] = 0;
	fclose(file);
	key[strcspn(key, "\r\n \t")] = 0;
	if (!key[0])
		refuse("--operator-key: found nothing in '%s', expected a key in its first line",
			path);
}

static void check(struct options *options)
{
	if (!options->url[0])
		refuse("--url: not given, expected http://HOST:PORT of the gateway");
	if (strncmp(options->url, "http://", 7) != 0)
		refuse("--url: found '%s', expected http://HOST:PORT", options->url);
	size_t length = strlen(options->url);
	if (options->url[length - 1] == '/')
		options->url[length - 1] = 0;
	if (options->events[0] && strcmp(options->events, "none") != 0 &&
		strncmp(options->events, "ws://", 5) != 0 &&
		strncmp(options->events, "wss://", 6) != 0)
		refuse("--events: found '%s', expected ws://HOST:PORT/v1/events or none",
			options->events);
	if (!options->seconds && !options->rounds)
		options->seconds = 10;
	if (options->warm_up && options->warm_up >= options->seconds)
		refuse("--warm-up: found %lld, expected less than the %lld seconds of play",
			(long long)options->warm_up, (long long)options->seconds);
	if (options->operator_key[0])
		read_key(options->operator_key);
}

bool options_have_news(const struct options *options)
{
	return options->subscribers > 0 && strcmp(options->events, "none") != 0;
}

void options_read(int argc, char **argv, struct options *options_r)
{
	*options_r = (struct options){ .players = 10,
		.first_player = 1,
		.seed = 1,
		.gamble_percent = 20,
		.subscribers = 3,
		.timeout_ms = 3000,
		.operator_id = 1,
		.game = "all",
		.currency = "EUR" };
	struct option table[ROWS + 2];
	memset(table, 0, sizeof(table));
	for (size_t i = 0; i < ROWS; i++)
		table[i] = (struct option){ rows[i].name,
			rows[i].kind == FLAG ? no_argument : required_argument, NULL, (int)i };
	table[ROWS] = (struct option){ "help", no_argument, NULL, (int)ROWS };
	opterr = 0;
	int found;
	while ((found = getopt_long(argc, argv, ":", table, NULL)) != -1) {
		if (found == ':')
			refuse("%s: its value is missing", argv[optind - 1]);
		if (found == '?')
			refuse("found the unknown option '%s'", argv[optind - 1]);
		if (found == (int)ROWS)
			help();
		const struct row *row = &rows[found];
		void *at = (char *)options_r + row->at;
		if (row->kind == FLAG)
			*(bool *)at = true;
		else if (row->kind == NUMBER)
			take_number(row, optarg, at);
		else
			take_text(row, optarg, at);
	}
	if (optind < argc)
		refuse("found the argument '%s', expected options only", argv[optind]);
	check(options_r);
}
