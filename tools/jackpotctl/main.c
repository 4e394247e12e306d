/* jackpotctl: what an operator asks of an installation from a terminal.
 *
 *     jackpotctl ledger verify [--json] [--dsn DSN]   exit 0: the books are in order, 1: not so
 *     jackpotctl status [--json] [--dsn DSN]          exit 0: every shard has an owner, 1: not so
 *
 * 2: the arguments or the database are wrong. The DSN is CARILLON_PG_RO_DSN, or CARILLON_PG_DSN,
 * where none is given. */
#include "tools/jackpotctl/status.h"
#include "tools/jackpotctl/verify.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_BROKEN 1
#define EXIT_USAGE 2
#define WORDS_MAX 2

struct arguments {
	const char *words[WORDS_MAX];
	int words_n;
	bool json;
	const char *dsn;
};

static const char usage[] =
	"usage: jackpotctl ledger verify [--json] [--dsn DSN]\n"
	"       jackpotctl status [--json] [--dsn DSN]\n"
	"DSN: address of Postgres, by default CARILLON_PG_RO_DSN or CARILLON_PG_DSN.\n";

static _Noreturn void wrong(const char *what, const char *found, const char *expected)
{
	fprintf(stderr, "jackpotctl: %s: found %s%s%s, expected %s\n%s", what,
		found == NULL ? "" : "'", found == NULL ? "nothing" : found,
		found == NULL ? "" : "'", expected, usage);
	exit(EXIT_USAGE);
}

static struct arguments arguments_read(int argc, char **argv)
{
	struct arguments arguments = { .words_n = 0 };

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			fputs(usage, stdout);
			exit(0);
		} else if (strcmp(argv[i], "--json") == 0) {
			arguments.json = true;
		} else if (strcmp(argv[i], "--dsn") == 0) {
			if (i + 1 == argc)
				wrong("--dsn", NULL,
					"an address of Postgres, \"host=.. port=.. dbname=.. "
					"user=..\"");
			arguments.dsn = argv[++i];
		} else if (argv[i][0] == '-') {
			wrong("option", argv[i], "--json, --dsn or --help");
		} else if (arguments.words_n == WORDS_MAX) {
			wrong("argument", argv[i], "no more of them");
		} else {
			arguments.words[arguments.words_n++] = argv[i];
		}
	}
	return arguments;
}

static bool words_are(const struct arguments *arguments, const char *first, const char *second)
{
	int n = second == NULL ? 1 : 2;

	return arguments->words_n == n && strcmp(arguments->words[0], first) == 0 &&
	       (second == NULL || strcmp(arguments->words[1], second) == 0);
}

static PGconn *database_open(const char *dsn)
{
	const char *given = dsn != NULL ? dsn : getenv("CARILLON_PG_RO_DSN");
	PGconn *conn;

	if (given == NULL || given[0] == '\0')
		given = getenv("CARILLON_PG_DSN");
	if (given == NULL || given[0] == '\0')
		wrong("--dsn", NULL, "an address of Postgres there or in CARILLON_PG_RO_DSN");
	conn = PQconnectdb(given);
	if (PQstatus(conn) != CONNECTION_OK) {
		fprintf(stderr, "jackpotctl: Postgres: %s", PQerrorMessage(conn));
		exit(EXIT_USAGE);
	}
	return conn;
}

static int verify(const struct arguments *arguments, PGconn *conn)
{
	static struct verify_report report;

	verify_run(conn, &report);
	if (arguments->json)
		verify_print_json(&report);
	else
		verify_print(&report);
	return report.ledger_ok && report.pools_ok ? 0 : EXIT_BROKEN;
}

int main(int argc, char **argv)
{
	struct arguments arguments = arguments_read(argc, argv);
	bool ledger = words_are(&arguments, "ledger", "verify");
	PGconn *conn;
	int status;

	if (arguments.words_n == 0)
		wrong("command", NULL, "'ledger verify' or 'status'");
	if (!ledger && !words_are(&arguments, "status", NULL))
		wrong("command", arguments.words[arguments.words_n - 1],
			"'ledger verify' or 'status'");
	conn = database_open(arguments.dsn);
	status = ledger ? verify(&arguments, conn)
			: (status_run(conn, arguments.json) ? 0 : EXIT_BROKEN);
	PQfinish(conn);
	return status;
}
