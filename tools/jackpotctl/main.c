/* jackpotctl: proves and tends an installation's ledger, pools, commands and users.
 *
 *     ledger verify ..           1: the books are not in order
 *     ledger close-day --now ..  1: a shard has not closed the day yet
 *     ledger close ..            1: something did not match
 *     pool replay POOL ..        1: the pool differs from its events
 *     pool fold POOL ..          1: something did not match
 *     reconcile FILE ..          1: the list differs from the ledger
 *     commands                   1: a command is quarantined
 *     commands release ID        1: no such command is quarantined
 *     user add|reset|list ..     1: the user exists already, or does not exist
 *     report PERIOD ..           1: the day has not begun
 *     report export ..           1: a file could not be written, or differs
 *     report verify FILE ..      1: the file is not what was signed
 *     rollups verify|rebuild ..  1: sums differ from the journal, or could not be made
 *     quarantine list            1: a player is quarantined
 *     quarantine show|release PLAYER  1: this player is not quarantined, or stays so
 *     keys rotate draw|heads     1: the key could not be replaced
 *     status ..                  1: a shard has no owner
 *
 * Exit status 0: none of that. 2: the arguments or the database are wrong. */
#include "tools/jackpotctl/close_day.h"
#include "tools/jackpotctl/commands.h"
#include "tools/jackpotctl/fold.h"
#include "tools/jackpotctl/keys.h"
#include "tools/jackpotctl/partitions.h"
#include "tools/jackpotctl/quarantine.h"
#include "tools/jackpotctl/reconcile.h"
#include "tools/jackpotctl/replay.h"
#include "tools/jackpotctl/report.h"
#include "tools/jackpotctl/rollups.h"
#include "tools/jackpotctl/status.h"
#include "tools/jackpotctl/user.h"
#include "tools/jackpotctl/webhooks.h"
#include "tools/jackpotctl/verify.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_BROKEN 1
#define EXIT_USAGE 2
#define WORDS_MAX 4
#define PATH_ROOM 4096
#define RETAIN_MAX 100000

struct arguments {
	const char *words[WORDS_MAX];
	int words_n;
	bool json, since_last, now, no_replay;
	const char *dsn, *state, *heads, *heads_copy, *public_key, *archive, *retain, *at;
	const char *engine, *cards, *day, *sample, *seed;
	const char *roles, *operator_text, *password_file;
	const char *csv, *folder, *in;
};

static const char usage[] =
	"usage: jackpotctl ledger verify [--json] [--dsn DSN] [--since-last [--state FILE]]\n"
	"                                [--heads FOLDER] [--heads-copy FOLDER] [--public-key FILE]\n"
	"                                [--no-replay | [--engine PATH] [--cards PATH] [--day DATE]\n"
	"                                                [--sample N [--seed N]]]\n"
	"       jackpotctl ledger close-day --now [--dsn DSN]\n"
	"       jackpotctl ledger close [--archive DIR] [--retain DAYS] [--dsn DSN]\n"
	"       jackpotctl pool replay POOL [--at TIME] [--json] [--dsn DSN]\n"
	"       jackpotctl pool fold POOL --retain DAYS [--archive DIR] [--dsn DSN]\n"
	"       jackpotctl reconcile FILE [--day DATE] [--dsn DSN]\n"
	"       jackpotctl commands [--json] [--dsn DSN]\n"
	"       jackpotctl commands release ID [--dsn DSN]\n"
	"       jackpotctl user add NAME --roles ROLES [--operator N] [--password-file FILE] [--dsn DSN]\n"
	"       jackpotctl user reset NAME [--operator N] [--password-file FILE] [--dsn DSN]\n"
	"       jackpotctl user list [--operator N] [--dsn DSN]\n"
	"       jackpotctl quarantine list | show PLAYER | release PLAYER [--dsn DSN]\n"
	"       jackpotctl report day|month|year|life [--day DATE] [--operator N] [--json | --csv LIST] [--dsn DSN]\n"
	"       jackpotctl report export --folder DIR [--operator N] [--dsn DSN]\n"
	"       jackpotctl report verify FILE [--public-key FILE]\n"
	"       jackpotctl rollups verify|rebuild [--day DATE] [--dsn DSN]\n"
	"       jackpotctl webhooks list | test ID | dead ID | resend ID EVENT|all [--operator N] [--dsn DSN]\n"
	"       jackpotctl keys rotate draw [--in SECONDS] | heads [--heads FOLDER]\n"
	"       jackpotctl status [--json] [--dsn DSN]\n"
	"--dsn: the address of Postgres. Default: CARILLON_PG_RO_DSN or CARILLON_PG_DSN. close-day,\n"
	"  close, fold and release write: their default is CARILLON_PG_ARCHIVE_DSN or CARILLON_PG_DSN.\n"
	"  user, webhooks and rollups write too: their default is CARILLON_PG_DSN.\n"
	"--in: after so many seconds (default 10) engines use the new key of the draws.\n"
	"--csv: one list of the report: totals, games, returns, jackpots, unfinished, hits, large_wins or\n"
	"  adjustments. --folder: where export writes the sealed reports, each once.\n"
	"--roles: one or more of viewer, support, finance, jackpots, administrator, separated by\n"
	"  commas. --operator: default 1. --password-file: if FILE exists, its first line is the\n"
	"  password; if not, a new password is written there. Without this option, a new password is\n"
	"  printed, and must be changed at the first login.\n"
	"--at: a time as Postgres reads it, such as \"2026-11-21 12:00:00+00\". Default: now.\n"
	"--archive: the folder to which close and fold export. Default: archive in CARILLON_DATA.\n"
	"--retain: ledger close keeps this many days before the newest in the database (at least 30;\n"
	"  default 0: all); pool fold keeps the events of this many days before today (at least 1).\n"
	"--since-last: proves only what came after the last such proof. --state: the file that says how\n"
	"  far that proof went. Default: verified.json in the folder of the heads.\n"
	"--heads: the folder of the signed heads. Default: heads in CARILLON_DATA, or in the current\n"
	"  folder. --heads-copy: the folder of their copy, which is compared with them. Default:\n"
	"  heads-copy beside it, if there is one. --public-key: the keys that check them. Default:\n"
	"  wallet-heads.pub of the copy, or of that folder.\n"
	"--engine: the carillon-spin-engine that replays the moves; it needs the key of the draws.\n"
	"  Default: the one beside jackpotctl. --cards: the carillon-jackpot-cards that deals the card\n"
	"  rounds again, likewise. --day YYYY-MM-DD: replays only the moves of this day (with\n"
	"  reconcile: only deposits booked on this day must be listed). --sample: replays only N\n"
	"  accounts, chosen by --seed. --no-replay: replays nothing.\n";

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
			 option_take(argc, argv, &i, "--heads-copy", "a folder",
				 &arguments.heads_copy) ||
			 option_take(argc, argv, &i, "--engine", "a program", &arguments.engine) ||
			 option_take(argc, argv, &i, "--cards", "a program", &arguments.cards) ||
			 option_take(
				 argc, argv, &i, "--day", "a date, YYYY-MM-DD", &arguments.day) ||
			 option_take(argc, argv, &i, "--sample", "a number of accounts",
				 &arguments.sample) ||
			 option_take(argc, argv, &i, "--seed", "a number", &arguments.seed) ||
			 option_take(
				 argc, argv, &i, "--roles", "names of roles", &arguments.roles) ||
			 option_take(argc, argv, &i, "--operator", "a number",
				 &arguments.operator_text) ||
			 option_take(argc, argv, &i, "--csv", "a list", &arguments.csv) ||
			 option_take(argc, argv, &i, "--folder", "a folder", &arguments.folder) ||
			 option_take(
				 argc, argv, &i, "--in", "a number of seconds", &arguments.in) ||
			 option_take(argc, argv, &i, "--password-file", "a file",
				 &arguments.password_file) ||
			 option_take(
				 argc, argv, &i, "--public-key", "a file", &arguments.public_key))
			continue;
		else if (argv[i][0] == '-')
			wrong("option", argv[i],
				"--json, --dsn, --since-last, --state, --heads, --heads-copy, --public-key, "
				"--archive, --retain, --now, --at, --no-replay, --engine, --cards, --day, "
				"--sample, --seed, --roles, --operator, --password-file, "
				"--csv, --folder, --in or --help");
		else if (arguments.words_n == WORDS_MAX)
			wrong("argument", argv[i], "no further arguments");
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
	const char *given =
		dsn != NULL ? dsn
			    : getenv(writes ? "CARILLON_PG_ARCHIVE_DSN" : "CARILLON_PG_RO_DSN");
	PGconn *conn;

	if (given == NULL || given[0] == '\0')
		given = getenv("CARILLON_PG_DSN");
	if (given == NULL || given[0] == '\0')
		wrong("--dsn", NULL,
			writes ? "an address of Postgres in --dsn or in CARILLON_PG_ARCHIVE_DSN"
			       : "an address of Postgres in --dsn or in CARILLON_PG_RO_DSN");
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

/* For carillon-watch: proof-good has the time of the last whole proof; proof-broken is there from a
 * breach until the next whole proof. Who may not write there has read the result anyway. */
static void verify_note(const char *heads, bool good, bool whole)
{
	char broken[PATH_ROOM + 16], path[PATH_ROOM + 16];
	FILE *file = NULL;

	(void)snprintf(broken, sizeof(broken), "%s/proof-broken", heads);
	(void)snprintf(path, sizeof(path), "%s/proof-good", heads);
	if (!good || whole)
		file = fopen(good ? path : broken, "we");
	if (file != NULL)
		(void)fclose(file);
	if (good && whole)
		(void)remove(broken);
}

static int verify(const struct arguments *arguments, PGconn *conn)
{
	static struct verify_report report;
	static char heads[PATH_ROOM], copy[PATH_ROOM], state[PATH_ROOM];
	const char *data = getenv("CARILLON_DATA");
	struct verify_options options = { .heads = heads,
		.heads_given = arguments->heads != NULL,
		.copy = copy,
		.copy_given = arguments->heads_copy != NULL,
		.public_key = arguments->public_key,
		.no_replay = arguments->no_replay,
		.engine = arguments->engine,
		.cards = arguments->cards,
		.day = arguments->day,
		.sample = whole_number("--sample", arguments->sample, 1),
		.seed = whole_number("--seed", arguments->seed, 0) };

	if (arguments->heads != NULL)
		(void)snprintf(heads, sizeof(heads), "%s", arguments->heads);
	else
		(void)snprintf(heads, sizeof(heads), "%s/heads",
			data != NULL && data[0] != '\0' ? data : ".");
	if (arguments->heads_copy != NULL)
		(void)snprintf(copy, sizeof(copy), "%s", arguments->heads_copy);
	else if (arguments->heads == NULL) /* other heads than its own have other copies */
		(void)snprintf(copy, sizeof(copy), "%s/heads-copy",
			data != NULL && data[0] != '\0' ? data : ".");
	(void)snprintf(state, sizeof(state), "%.4000s/verified.json", heads);
	if (arguments->since_last)
		options.state = arguments->state != NULL ? arguments->state : state;
	verify_run(conn, &options, &report);
	if (arguments->json)
		verify_print_json(&report);
	else
		verify_print(&report);
	verify_note(heads, report.ledger_ok && report.pools_ok,
		!arguments->no_replay && arguments->day == NULL && arguments->sample == NULL);
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
		wrong("--archive", NULL, "a folder in --archive, or CARILLON_DATA");
	(void)snprintf(folder, sizeof(folder), "%s/archive", data);
	return folder;
}

static int partitions(const struct arguments *arguments, PGconn *conn)
{
	struct partitions_options options = { .archive = archive_of(arguments),
		.json = arguments->json,
		.retain_days = retain_of_history(arguments, conn) };

	return partitions_close(conn, &options) ? 0 : EXIT_BROKEN;
}

/* "pool" and the word, of a pool. */
static bool pool_word(const struct arguments *arguments, const char *second)
{
	return arguments->words_n == 3 && strcmp(arguments->words[0], "pool") == 0 &&
	       strcmp(arguments->words[1], second) == 0;
}

static bool is_user(const struct arguments *arguments)
{
	const char *word = arguments->words_n < 2 ? "" : arguments->words[1];

	return arguments->words_n >= 2 && strcmp(arguments->words[0], "user") == 0 &&
	       ((arguments->words_n == 3 &&
			(strcmp(word, "add") == 0 || strcmp(word, "reset") == 0)) ||
		       (arguments->words_n == 2 && strcmp(word, "list") == 0));
}

static const char *operator_of(const struct arguments *arguments)
{
	const char *text = arguments->operator_text == NULL ? "1" : arguments->operator_text;
	char *end;
	long number = strtol(text, &end, 10);

	if (*end != '\0' || number < 1 || number > 32767)
		wrong("--operator", text, "a number from 1 to 32767");
	return text;
}

static int user(const struct arguments *arguments, PGconn *conn)
{
	struct user_options options = { .name = arguments->words[2],
		.roles = arguments->roles,
		.operator_id = operator_of(arguments),
		.password_file = arguments->password_file,
		.json = arguments->json };
	bool done = arguments->words[1][0] == 'a'   ? user_add(conn, &options)
		    : arguments->words[1][0] == 'r' ? user_reset(conn, &options)
						    : user_list(conn, &options);

	return done ? 0 : EXIT_BROKEN;
}

static int quarantine(const struct arguments *arguments)
{
	const char *verb = arguments->words_n > 1 ? arguments->words[1] : NULL;
	bool list = words_are(arguments, "quarantine", "list");
	bool release = verb != NULL && strcmp(verb, "release") == 0;
	PGconn *conn;
	bool good;

	if (!list && (arguments->words_n != 3 || (!release && strcmp(verb, "show") != 0)))
		wrong("quarantine", verb, "'list', 'show PLAYER' or 'release PLAYER'");
	conn = database_open(arguments->dsn, release);
	good = list	 ? quarantine_list(conn, arguments->json)
	       : release ? quarantine_release(conn, arguments->words[2])
			 : quarantine_show(conn, arguments->words[2], arguments->json);
	PQfinish(conn);
	return good ? 0 : EXIT_BROKEN;
}

static int keys(const struct arguments *arguments)
{
	const char *data = getenv("CARILLON_DATA");
	const char *which = arguments->words_n == 3 ? arguments->words[2] : NULL;
	static char heads[PATH_ROOM];

	if (which == NULL || strcmp(arguments->words[1], "rotate") != 0 ||
		(strcmp(which, "draw") != 0 && strcmp(which, "heads") != 0))
		wrong("keys", which, "'rotate draw' or 'rotate heads'");
	if (strcmp(which, "draw") == 0)
		return keys_rotate_draw(arguments->in == NULL
						? KEYS_WAIT_S
						: whole_number("--in", arguments->in, 2))
			       ? 0
			       : EXIT_BROKEN;
	if (arguments->heads != NULL)
		(void)snprintf(heads, sizeof(heads), "%s", arguments->heads);
	else
		(void)snprintf(heads, sizeof(heads), "%.4000s/heads",
			data != NULL && data[0] != '\0' ? data : ".");
	return keys_rotate_heads(heads) ? 0 : EXIT_BROKEN;
}

static int report(const struct arguments *arguments)
{
	const char *verb = arguments->words_n > 1 ? arguments->words[1] : NULL;
	bool export = words_are(arguments, "report", "export");
	struct report_options options = { .period = verb,
		.day = arguments->day,
		.operator_id = operator_of(arguments),
		.list = arguments->csv,
		.json = arguments->json };
	PGconn *conn;
	bool good;

	if (arguments->words_n == 3 && strcmp(verb, "verify") == 0)
		return report_verify(arguments->words[2], arguments->public_key) ? 0 : EXIT_BROKEN;
	if (arguments->words_n != 2 || (!export && !report_period_known(verb)))
		wrong("report", verb, "'day', 'month', 'year', 'life', 'export' or 'verify FILE'");
	if (export && arguments->folder == NULL)
		wrong("--folder", NULL, "a folder");
	if (arguments->csv != NULL && !report_list_known(arguments->csv))
		wrong("--csv", arguments->csv,
			"totals, games, returns, jackpots, unfinished, hits, large_wins or "
			"adjustments");
	conn = database_open(arguments->dsn, false);
	good = export ? report_export(conn, &options, arguments->folder)
		      : report_print(conn, &options);
	PQfinish(conn);
	return good ? 0 : EXIT_BROKEN;
}

static int rollups(const struct arguments *arguments)
{
	bool keep = words_are(arguments, "rollups", "rebuild");
	const char *dsn = arguments->dsn != NULL ? arguments->dsn : getenv("CARILLON_PG_DSN");
	PGconn *conn;
	bool good;

	if (!keep && !words_are(arguments, "rollups", "verify"))
		wrong("rollups", arguments->words_n > 1 ? arguments->words[1] : NULL,
			"'verify' or 'rebuild'");
	conn = database_open(dsn, true);
	good = rollups_run(conn, arguments->day, keep, arguments->json);
	PQfinish(conn);
	return good ? 0 : EXIT_BROKEN;
}

static int webhooks(struct arguments *arguments)
{
	const char *operator_id = arguments->operator_text == NULL ? "1" : arguments->operator_text;
	const char *verb = arguments->words_n > 1 ? arguments->words[1] : "";
	const char *id = arguments->words[2];
	bool list = words_are(arguments, "webhooks", "list");
	bool test = arguments->words_n == 3 && strcmp(verb, "test") == 0;
	bool dead = arguments->words_n == 3 && strcmp(verb, "dead") == 0;
	PGconn *conn;
	bool done;

	if (!list && !test && !dead && (arguments->words_n != 4 || strcmp(verb, "resend") != 0))
		wrong("webhooks", arguments->words_n > 1 ? verb : NULL,
			"'list', 'test ID', 'dead ID', 'resend ID EVENT' or 'resend ID all'");
	if (arguments->dsn == NULL)
		arguments->dsn = getenv("CARILLON_PG_DSN"); /* the owner's, not the archiver's */
	conn = database_open(arguments->dsn, true);
	done = list   ? webhooks_list(conn, operator_id, arguments->json)
	       : test ? webhooks_test(conn, operator_id, id)
	       : dead ? webhooks_dead(conn, operator_id, id, arguments->json)
		      : webhooks_resend(conn, operator_id, id, arguments->words[3]);
	PQfinish(conn);
	return done ? 0 : EXIT_BROKEN;
}

int main(int argc, char **argv)
{
	static const char commands[] =
		"'ledger verify', 'ledger close-day', 'ledger close', "
		"'pool replay POOL', 'pool fold POOL', 'reconcile FILE', 'commands', "
		"'commands release ID', 'quarantine list', 'quarantine show PLAYER', "
		"'quarantine release PLAYER', 'report PERIOD', 'report export', 'report verify FILE', "
		"'rollups verify', 'rollups rebuild', 'keys rotate draw', 'keys rotate heads', 'user add NAME', "
		"'user reset NAME', 'user list', 'webhooks list' or 'status'";
	struct arguments arguments = arguments_read(argc, argv);
	bool ledger = words_are(&arguments, "ledger", "verify");
	bool close_day = words_are(&arguments, "ledger", "close-day");
	bool close = words_are(&arguments, "ledger", "close");
	bool replay = pool_word(&arguments, "replay");
	bool fold = pool_word(&arguments, "fold");
	bool reconcile = arguments.words_n == 2 && strcmp(arguments.words[0], "reconcile") == 0;
	bool commands_all = words_are(&arguments, "commands", NULL);
	bool release = arguments.words_n == 3 && strcmp(arguments.words[0], "commands") == 0 &&
		       strcmp(arguments.words[1], "release") == 0;
	PGconn *conn;
	int status;

	if (arguments.words_n > 0 && strcmp(arguments.words[0], "quarantine") == 0)
		return quarantine(&arguments);
	if (arguments.words_n > 0 && strcmp(arguments.words[0], "report") == 0)
		return report(&arguments);
	if (arguments.words_n > 0 && strcmp(arguments.words[0], "rollups") == 0)
		return rollups(&arguments);
	if (arguments.words_n > 0 && strcmp(arguments.words[0], "webhooks") == 0)
		return webhooks(&arguments);
	if (arguments.words_n > 0 && strcmp(arguments.words[0], "keys") == 0)
		return keys(&arguments);
	if (arguments.words_n == 0)
		wrong("command", NULL, commands);
	if (arguments.at != NULL && !replay)
		wrong("--at", arguments.at, "no such option: it is only for 'pool replay'");
	if (!ledger && !close_day && !close && !replay && !fold && !reconcile && !commands_all &&
		!release && !is_user(&arguments) && !words_are(&arguments, "status", NULL))
		wrong("command", arguments.words[arguments.words_n - 1], commands);
	if (close_day && !arguments.now)
		wrong("close-day", NULL,
			"--now (the wallet closes each day by itself at midnight UTC)");
	if (is_user(&arguments) && arguments.dsn == NULL)
		arguments.dsn = getenv("CARILLON_PG_DSN"); /* the owner's, not the archiver's */
	conn = database_open(
		arguments.dsn, close_day || close || fold || release || is_user(&arguments));
	if (ledger)
		status = verify(&arguments, conn);
	else if (close)
		status = partitions(&arguments, conn);
	else if (replay)
		status = replay_run(conn, arguments.words[2], arguments.at, arguments.json);
	else if (fold)
		status = fold_run(conn, &(struct fold_options){ .pool = arguments.words[2],
						.retain_days = retain_of(&arguments, 1),
						.archive = archive_of(&arguments),
						.json = arguments.json });
	else if (reconcile)
		status = reconcile_run(conn, arguments.words[1], arguments.day, arguments.json)
				 ? 0
				 : EXIT_BROKEN;
	else if (commands_all)
		status = commands_list(conn, arguments.json) ? 0 : EXIT_BROKEN;
	else if (release)
		status = commands_release(conn, arguments.words[2]) ? 0 : EXIT_BROKEN;
	else if (is_user(&arguments))
		status = user(&arguments, conn);
	else if (close_day)
		status = close_day_run(conn, arguments.json) ? 0 : EXIT_BROKEN;
	else
		status = status_run(conn, arguments.json) ? 0 : EXIT_BROKEN;
	PQfinish(conn);
	return status;
}
