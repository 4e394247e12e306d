/* jackpotctl: what an operator asks of an installation from a terminal.
 *
 *     jackpotctl ledger verify [--since-last] ..   exit 0: the books are in order, 1: not so
 *     jackpotctl ledger close-day --now ..         every shard closes at once
 *     jackpotctl ledger close [--archive DIR] [--retain DAYS] ..   days of the journal that are
 * over are archived: exit 0; 1: something did not match
 *     jackpotctl pool replay POOL [--at TIME] ..   exit 0: the pool is as its inputs say, 1: not so
 *     jackpotctl pool fold POOL --retain DAYS ..   its events that are older leave for a file:
 * exit 0; 1: something did not match
 *     jackpotctl reconcile FILE ..                 exit 0: a back end's deposits are those of the
 * ledger, 1: not so
 *     jackpotctl status ..                         exit 0: every shard has an owner, 1: not so
 *
 * 2: the arguments or the database are wrong. The DSN is CARILLON_PG_RO_DSN, or CARILLON_PG_DSN,
 * where none is given; close-day, close and fold write and take the latter. */
#include "tools/jackpotctl/close_day.h"
#include "tools/jackpotctl/fold.h"
#include "tools/jackpotctl/partitions.h"
#include "tools/jackpotctl/reconcile.h"
#include "tools/jackpotctl/replay.h"
#include "tools/jackpotctl/status.h"
#include "tools/jackpotctl/verify.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_BROKEN 1
#define EXIT_USAGE 2
#define WORDS_MAX 3
#define PATH_ROOM 4096
#define RETAIN_MAX 100000

struct arguments {
	const char *words[WORDS_MAX];
	int words_n;
	bool json, since_last, now, no_replay;
	const char *dsn, *state, *heads, *public_key, *archive, *retain, *at;
	const char *engine, *day, *sample, *seed;
};

static const char usage[] =
	"usage: jackpotctl ledger verify [--json] [--dsn DSN] [--since-last [--state FILE]]\n"
	"                                [--heads FOLDER] [--public-key FILE]\n"
	"                                [--no-replay | [--engine PATH] [--day DATE] [--sample N [--seed N]]]\n"
	"       jackpotctl ledger close-day --now [--dsn DSN]\n"
	"       jackpotctl ledger close [--archive DIR] [--retain DAYS] [--dsn DSN]\n"
	"       jackpotctl pool replay POOL [--at TIME] [--json] [--dsn DSN]\n"
	"       jackpotctl pool fold POOL --retain DAYS [--archive DIR] [--dsn DSN]\n"
	"       jackpotctl reconcile FILE [--day DATE] [--dsn DSN]\n"
	"       jackpotctl status [--json] [--dsn DSN]\n"
	"DSN: address of Postgres, by default CARILLON_PG_RO_DSN or CARILLON_PG_DSN; close-day,\n"
	"close and fold write, and take CARILLON_PG_DSN.\n"
	"--at: a moment as Postgres reads it, \"2026-11-21 12:00:00+00\"; by default now.\n"
	"--archive: where closed days of the journal, and events of a pool, are exported to, by\n"
	"default archive in CARILLON_DATA; --retain: days kept in the database behind the newest (of\n"
	"events: behind today, at least 1), by default 0: all; of the journal at least 30.\n"
	"--since-last: proves what came after the last such proof; --state: where it keeps how far\n"
	"that was, by default verified.json in the folder of the heads.\n"
	"--heads: the wallets' signed heads of the chain, by default heads in CARILLON_DATA (or here);\n"
	"--public-key: what they are signed with, by default wallet-heads.pub in that folder.\n"
	"Every move is replayed by a carillon-spin-engine that has the key of the draws, by default the\n"
	"one beside jackpotctl; --engine: another program that is called as it is; --day: only moves of\n"
	"this day, YYYY-MM-DD (of reconcile: deposits booked then must be listed); --sample: of so many accounts, chosen by --seed; --no-replay: of none.\n";

static _Noreturn void wrong(const char *what, const char *found, const char *expected)
{
	fprintf(stderr, "jackpotctl: %s: found %s%s%s, expected %s\n%s", what,
		found == NULL ? "" : "'", found == NULL ? "nothing" : found,
		found == NULL ? "" : "'", expected, usage);
	exit(EXIT_USAGE);
}

/* True when argv[*i] is this option; then its value is taken. */
static bool option_take(
	int argc, char **argv, int *i, const char *name, const char *expected, const char **value_r)
{
	if (strcmp(argv[*i], name) != 0)
		return false;
	if (*i + 1 == argc)
		wrong(name, NULL, expected);
	*value_r = argv[++*i];
	return true;
}

static struct arguments arguments_read(int argc, char **argv)
{
	struct arguments arguments = { .words_n = 0 };

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			fputs(usage, stdout);
			exit(0);
		}
		if (strcmp(argv[i], "--json") == 0)
			arguments.json = true;
		else if (strcmp(argv[i], "--since-last") == 0)
			arguments.since_last = true;
		else if (strcmp(argv[i], "--now") == 0)
			arguments.now = true;
		else if (strcmp(argv[i], "--no-replay") == 0)
			arguments.no_replay = true;
		else if (option_take(argc, argv, &i, "--dsn",
				 "an address of Postgres, \"host=.. port=.. dbname=.. user=..\"",
				 &arguments.dsn) ||
			 option_take(argc, argv, &i, "--state", "a file", &arguments.state) ||
			 option_take(argc, argv, &i, "--archive", "a folder", &arguments.archive) ||
			 option_take(argc, argv, &i, "--retain", "a number of days",
				 &arguments.retain) ||
			 option_take(argc, argv, &i, "--at", "a moment, \"2026-11-21 12:00:00+00\"",
				 &arguments.at) ||
			 option_take(argc, argv, &i, "--heads", "a folder", &arguments.heads) ||
			 option_take(argc, argv, &i, "--engine", "a program", &arguments.engine) ||
			 option_take(
				 argc, argv, &i, "--day", "a date, YYYY-MM-DD", &arguments.day) ||
			 option_take(argc, argv, &i, "--sample", "a number of accounts",
				 &arguments.sample) ||
			 option_take(argc, argv, &i, "--seed", "a number", &arguments.seed) ||
			 option_take(
				 argc, argv, &i, "--public-key", "a file", &arguments.public_key))
			continue;
		else if (argv[i][0] == '-')
			wrong("option", argv[i],
				"--json, --dsn, --since-last, --state, --heads, --public-key, "
				"--archive, --retain, --now, --at, --no-replay, --engine, --day, "
				"--sample, --seed or --help");
		else if (arguments.words_n == WORDS_MAX)
			wrong("argument", argv[i], "no more of them");
		else
			arguments.words[arguments.words_n++] = argv[i];
	}
	return arguments;
}

static bool words_are(const struct arguments *arguments, const char *first, const char *second)
{
	int n = second == NULL ? 1 : 2;

	return arguments->words_n == n && strcmp(arguments->words[0], first) == 0 &&
	       (second == NULL || strcmp(arguments->words[1], second) == 0);
}

static PGconn *database_open(const char *dsn, bool writes)
{
	const char *given = dsn != NULL || writes ? dsn : getenv("CARILLON_PG_RO_DSN");
	PGconn *conn;

	if (given == NULL || given[0] == '\0')
		given = getenv("CARILLON_PG_DSN");
	if (given == NULL || given[0] == '\0')
		wrong("--dsn", NULL,
			writes ? "an address of Postgres there or in CARILLON_PG_DSN"
			       : "an address of Postgres there or in CARILLON_PG_RO_DSN");
	conn = PQconnectdb(given);
	if (PQstatus(conn) != CONNECTION_OK) {
		fprintf(stderr, "jackpotctl: Postgres: %s", PQerrorMessage(conn));
		exit(EXIT_USAGE);
	}
	return conn;
}

static uint64_t whole_number(const char *option, const char *text, uint64_t least)
{
	char *end;
	unsigned long long number;

	if (text == NULL)
		return 0;
	number = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || number < least || number > INT64_MAX)
		wrong(option, text, "a whole number");
	return number;
}

static int verify(const struct arguments *arguments, PGconn *conn)
{
	static struct verify_report report;
	static char heads[PATH_ROOM], state[PATH_ROOM];
	const char *data = getenv("CARILLON_DATA");
	struct verify_options options = { .heads = heads,
		.heads_given = arguments->heads != NULL,
		.public_key = arguments->public_key,
		.no_replay = arguments->no_replay,
		.engine = arguments->engine,
		.day = arguments->day,
		.sample = whole_number("--sample", arguments->sample, 1),
		.seed = whole_number("--seed", arguments->seed, 0) };

	if (arguments->heads != NULL)
		(void)snprintf(heads, sizeof(heads), "%s", arguments->heads);
	else
		(void)snprintf(heads, sizeof(heads), "%s/heads",
			data != NULL && data[0] != '\0' ? data : ".");
	(void)snprintf(state, sizeof(state), "%.4000s/verified.json", heads);
	if (arguments->since_last)
		options.state = arguments->state != NULL ? arguments->state : state;
	verify_run(conn, &options, &report);
	if (arguments->json)
		verify_print_json(&report);
	else
		verify_print(&report);
	return report.ledger_ok && report.pools_ok ? 0 : EXIT_BROKEN;
}

static long retain_of(const struct arguments *arguments, long least)
{
	char expected[48];
	char *end = NULL;
	long days = arguments->retain == NULL ? 0 : strtol(arguments->retain, &end, 10);

	(void)snprintf(expected, sizeof(expected), "a number of days, %ld or more", least);
	if (days < least || days > RETAIN_MAX ||
		(end != NULL && (*end != '\0' || end == arguments->retain)))
		wrong("--retain", arguments->retain, expected);
	return days;
}

/* RULE mystic-gem 8.5: players are shown 30 days. Installations for tests, whose days are made, may
 * keep fewer. */
#define RETAIN_PROMISED 30

static long retain_of_history(const struct arguments *arguments, PGconn *conn)
{
	long days = retain_of(arguments, 0);
	PGresult *kind;
	bool test;

	if (days == 0 || days >= RETAIN_PROMISED)
		return days;
	kind = PQexec(conn, "select kind from carillon.installation");
	test = PQntuples(kind) == 1 && strcmp(PQgetvalue(kind, 0, 0), "test") == 0;
	PQclear(kind);
	if (!test)
		wrong("--retain", arguments->retain,
			"30 days or more: the rules promise players a history of 30 days");
	return days;
}

static const char *archive_of(const struct arguments *arguments)
{
	static char folder[PATH_ROOM];
	const char *data = getenv("CARILLON_DATA");

	if (arguments->archive != NULL)
		return arguments->archive;
	if (data == NULL || data[0] == '\0')
		wrong("--archive", NULL, "a folder there, or CARILLON_DATA");
	(void)snprintf(folder, sizeof(folder), "%s/archive", data);
	return folder;
}

static int partitions(const struct arguments *arguments, PGconn *conn)
{
	struct partitions_options options = { .archive = archive_of(arguments),
		.retain_days = retain_of_history(arguments, conn) };

	return partitions_close(conn, &options) ? 0 : EXIT_BROKEN;
}

/* "pool" and the word, of a pool. */
static bool pool_word(const struct arguments *arguments, const char *second)
{
	return arguments->words_n == 3 && strcmp(arguments->words[0], "pool") == 0 &&
	       strcmp(arguments->words[1], second) == 0;
}

int main(int argc, char **argv)
{
	static const char commands[] =
		"'ledger verify', 'ledger close-day', 'ledger close', "
		"'pool replay POOL', 'pool fold POOL', 'reconcile FILE' or 'status'";
	struct arguments arguments = arguments_read(argc, argv);
	bool ledger = words_are(&arguments, "ledger", "verify");
	bool close_day = words_are(&arguments, "ledger", "close-day");
	bool close = words_are(&arguments, "ledger", "close");
	bool replay = pool_word(&arguments, "replay");
	bool fold = pool_word(&arguments, "fold");
	bool reconcile = arguments.words_n == 2 && strcmp(arguments.words[0], "reconcile") == 0;
	PGconn *conn;
	int status;

	if (arguments.words_n == 0)
		wrong("command", NULL, commands);
	if (arguments.at != NULL && !replay)
		wrong("--at", arguments.at, "it with 'pool replay' only");
	if (!ledger && !close_day && !close && !replay && !fold && !reconcile &&
		!words_are(&arguments, "status", NULL))
		wrong("command", arguments.words[arguments.words_n - 1], commands);
	if (close_day && !arguments.now)
		wrong("close-day", NULL, "--now: by itself the wallet closes at midnight, UTC");
	conn = database_open(arguments.dsn, close_day || close || fold);
	if (ledger)
		status = verify(&arguments, conn);
	else if (close)
		status = partitions(&arguments, conn);
	else if (replay)
		status = replay_run(conn, arguments.words[2], arguments.at, arguments.json);
	else if (fold)
		status = fold_run(
			conn, arguments.words[2], retain_of(&arguments, 1), archive_of(&arguments));
	else if (reconcile)
		status = reconcile_run(conn, arguments.words[1], arguments.day) ? 0 : EXIT_BROKEN;
	else if (close_day)
		status = close_day_run(conn) ? 0 : EXIT_BROKEN;
	else
		status = status_run(conn, arguments.json) ? 0 : EXIT_BROKEN;
	PQfinish(conn);
	return status;
}
