#include "tools/jackpotctl/game_stops.h"
#include "tools/jackpotctl/run.h"

#include "tools/jackpotctl/backend_key.h"
#include "tools/jackpotctl/close_day.h"
#include "tools/jackpotctl/commands.h"
#include "tools/jackpotctl/dead.h"
#include "tools/jackpotctl/fold.h"
#include "tools/jackpotctl/keys.h"
#include "tools/jackpotctl/offers.h"
#include "tools/jackpotctl/partitions.h"
#include "tools/jackpotctl/player_export.h"
#include "tools/jackpotctl/quarantine.h"
#include "tools/jackpotctl/reconcile.h"
#include "tools/jackpotctl/replay.h"
#include "tools/jackpotctl/report.h"
#include "tools/jackpotctl/rollups.h"
#include "tools/jackpotctl/status.h"
#include "tools/jackpotctl/trace.h"
#include "tools/jackpotctl/user.h"
#include "tools/jackpotctl/verify.h"
#include "tools/jackpotctl/webhooks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 4096

/* ---- the database ---- */

static PGconn *database_open(const struct call *call)
{
	const char *const *variables = command_addresses[call->command->database];
	const char *given = call->values[OPTION_DSN];
	char expected[128];
	PGconn *conn;

	for (int i = 0; i < 2 && (given == NULL || given[0] == '\0'); i++)
		given = getenv(variables[i]);
	(void)snprintf(expected, sizeof(expected),
		"an address of Postgres in --dsn, or in %s or %s", variables[0], variables[1]);
	if (given == NULL || given[0] == '\0')
		call_wrong(call, OPTION_DSN, expected);
	conn = PQconnectdb(given);
	if (PQstatus(conn) != CONNECTION_OK) {
		fprintf(stderr, "jackpotctl: Postgres: %s", PQerrorMessage(conn));
		exit(EXIT_USAGE);
	}
	return conn;
}

static int ended(PGconn *conn, bool good)
{
	PQfinish(conn);
	return good ? 0 : EXIT_BROKEN;
}

static bool json(const struct call *call)
{
	return call_has(call, OPTION_JSON);
}

/* ---- folders ---- */

/* The option's folder, or that of this name in CARILLON_DATA, or in the current folder. */
static void folder_of(
	const struct call *call, enum option_id option, const char *name, char path_r[PATH_ROOM])
{
	const char *data = getenv("CARILLON_DATA");

	if (call_has(call, option))
		(void)snprintf(path_r, PATH_ROOM, "%s", call->values[option]);
	else
		(void)snprintf(path_r, PATH_ROOM, "%.4000s/%s",
			data != NULL && data[0] != '\0' ? data : ".", name);
}

static void archive_of(const struct call *call, char path_r[PATH_ROOM])
{
	const char *data = getenv("CARILLON_DATA");

	if (!call_has(call, OPTION_ARCHIVE) && (data == NULL || data[0] == '\0'))
		call_wrong(call, OPTION_ARCHIVE, "a folder in --archive, or CARILLON_DATA");
	folder_of(call, OPTION_ARCHIVE, "archive", path_r);
}

/* ---- the operator ---- */

static const char *operator_of(const struct call *call)
{
	return call_has(call, OPTION_OPERATOR) ? call->values[OPTION_OPERATOR] : "1";
}

/* ---- the books ---- */

/* The folder is the wallet's: a link that it put there is not followed. */
#define MARK_FLAGS (O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)

/* For carillon-watch: proof-good has the time of the last whole proof; proof-broken is there from a
 * breach until the next whole proof. Who may not write there has read the result anyway. */
static void verify_note(const char *heads, bool good, bool whole)
{
	char broken[PATH_ROOM + 16], path[PATH_ROOM + 16];
	int fd = -1;

	(void)snprintf(broken, sizeof(broken), "%s/proof-broken", heads);
	(void)snprintf(path, sizeof(path), "%s/proof-good", heads);
	if (!good || whole)
		fd = open(good ? path : broken, MARK_FLAGS, 0644);
	if (fd >= 0)
		(void)close(fd);
	if (good && whole)
		(void)remove(broken);
}

static bool verify(const struct call *call, PGconn *conn, const struct verify_options *options)
{
	static struct verify_report report;
	bool whole = !options->no_replay && options->day == NULL && options->sample == 0;
	bool good;

	verify_run(conn, options, &report);
	if (json(call))
		verify_print_json(&report);
	else
		verify_print(&report);
	good = report.ledger_ok && report.pools_ok;
	verify_note(options->heads, good, whole);
	proof_note_keep(conn, &report, whole, options->state != NULL, &report.note);
	return good;
}

int run_verify(const struct call *call)
{
	static char heads[PATH_ROOM], copy[PATH_ROOM], state[PATH_ROOM];
	struct verify_options options = { .heads = heads,
		.heads_given = call_has(call, OPTION_HEADS),
		.copy = copy,
		.copy_given = call_has(call, OPTION_HEADS_COPY),
		.public_key = call->values[OPTION_PUBLIC_KEY],
		.archive = call->values[OPTION_ARCHIVE],
		.no_replay = call_has(call, OPTION_NO_REPLAY),
		.engine = call->values[OPTION_ENGINE],
		.definitions = call->values[OPTION_DEFINITIONS],
		.cards = call->values[OPTION_CARDS],
		.day = call->values[OPTION_DAY],
		.sample = (uint64_t)call_number(call, OPTION_SAMPLE, 0),
		.seed = (uint64_t)call_number(call, OPTION_SEED, 0) };
	PGconn *conn = database_open(call);

	folder_of(call, OPTION_HEADS, "heads", heads);
	if (options.copy_given || !options.heads_given) /* other heads have other copies */
		folder_of(call, OPTION_HEADS_COPY, "heads-copy", copy);
	(void)snprintf(state, sizeof(state), "%.4000s/verified.json", heads);
	if (call_has(call, OPTION_SINCE_LAST))
		options.state = call_has(call, OPTION_STATE) ? call->values[OPTION_STATE] : state;
	return ended(conn, verify(call, conn, &options));
}

int run_close_day(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, close_day_run(conn, json(call)));
}

/* RULE mystic-gem 8.5: players are shown 30 days. Installations for tests, whose days are made, may
 * keep fewer. */
#define RETAIN_PROMISED 30

static long retain_of_history(const struct call *call, PGconn *conn)
{
	long days = (long)call_number(call, OPTION_RETAIN, 0);
	PGresult *kind;
	bool test;

	if (days == 0 || days >= RETAIN_PROMISED)
		return days;
	kind = PQexec(conn, "select kind from carillon.installation");
	test = PQntuples(kind) == 1 && strcmp(PQgetvalue(kind, 0, 0), "test") == 0;
	PQclear(kind);
	if (!test)
		call_wrong(call, OPTION_RETAIN,
			"30 days or more: the rules promise players a history of 30 days");
	return days;
}

int run_close(const struct call *call)
{
	static char archive[PATH_ROOM];
	struct partitions_options options = { .archive = archive, .json = json(call) };
	PGconn *conn;

	archive_of(call, archive);
	conn = database_open(call);
	options.retain_days = retain_of_history(call, conn);
	return ended(conn, partitions_close(conn, &options));
}

int run_reconcile(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn,
		reconcile_run(conn, call->arguments[0], call->values[OPTION_DAY], json(call)));
}

static int rollups(const struct call *call, bool keep)
{
	PGconn *conn = database_open(call);

	return ended(conn, rollups_run(conn, call->values[OPTION_DAY], keep, json(call)));
}

int run_rollups_verify(const struct call *call)
{
	return rollups(call, false);
}

int run_rollups_rebuild(const struct call *call)
{
	return rollups(call, true);
}

/* ---- pools ---- */

int run_replay(const struct call *call)
{
	PGconn *conn = database_open(call);
	int status = replay_run(conn, call->arguments[0], call->values[OPTION_AT], json(call));

	PQfinish(conn);
	return status;
}

int run_fold(const struct call *call)
{
	static char archive[PATH_ROOM];
	struct fold_options options = { .pool = call->arguments[0],
		.retain_days = (long)call_number(call, OPTION_RETAIN, 0),
		.archive = archive,
		.json = json(call) };
	PGconn *conn;
	int status;

	if (options.retain_days < 1)
		call_wrong(call, OPTION_RETAIN, "a number of days, 1 or more");
	archive_of(call, archive);
	conn = database_open(call);
	status = fold_run(conn, &options);
	PQfinish(conn);
	return status;
}

/* ---- reports ---- */

static struct report_options report_options_of(const struct call *call)
{
	return (struct report_options){ .period = strchr(call->command->words, ' ') + 1,
		.day = call->values[OPTION_DAY],
		.operator_id = call_operator(call),
		.list = call->values[OPTION_CSV],
		.json = json(call) };
}

int run_report(const struct call *call)
{
	struct report_options options = report_options_of(call);
	PGconn *conn;

	if (options.list != NULL && !report_list_known(options.list))
		call_wrong(call, OPTION_CSV, NULL);
	if (options.list != NULL && options.json)
		call_wrong(call, OPTION_CSV, "only one of --csv and --json");
	conn = database_open(call);
	return ended(conn, report_print(conn, &options));
}

int run_export(const struct call *call)
{
	struct report_options options = report_options_of(call);
	PGconn *conn = database_open(call);

	return ended(conn, report_export(conn, &options, call->values[OPTION_FOLDER]));
}

int run_report_verify(const struct call *call)
{
	return report_verify(call->arguments[0], call->values[OPTION_PUBLIC_KEY], json(call))
		       ? 0
		       : EXIT_BROKEN;
}

/* ---- services and players ---- */

int run_status(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, status_run(conn, json(call)));
}

int run_commands(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, commands_list(conn, json(call)));
}

int run_commands_release(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, commands_release(conn, call->arguments[0], json(call)));
}

int run_trace(const struct call *call)
{
	struct trace_sought sought;
	char logs[PATH_ROOM];

	if (!trace_sought_read(call->arguments[0], &sought)) {
		fprintf(stderr,
			"jackpotctl: trace: found '%.100s', expected a trace of 32 hexadecimal "
			"digits, or a round such as 1-17/42\n",
			call->arguments[0]);
		return EXIT_USAGE;
	}
	folder_of(call, OPTION_LOGS, "log", logs);
	PGconn *conn = database_open(call);
	return ended(conn, trace_run(conn, &sought, logs, json(call)));
}

int run_quarantine_list(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, quarantine_list(conn, json(call)));
}

int run_quarantine_show(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, quarantine_show(conn, call->arguments[0], json(call)));
}

int run_quarantine_release(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, quarantine_release(conn, call->arguments[0], json(call)));
}

int run_dead_list(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, dead_list(conn, json(call)));
}

static int letter(const struct call *call, const char *what)
{
	PGconn *conn = database_open(call);

	return ended(conn, dead_act(conn, what, call_operator(call), call->arguments[0],
				   call->values[OPTION_REASON], json(call)));
}

int run_dead_send(const struct call *call)
{
	return letter(call, "send");
}

int run_dead_settle(const struct call *call)
{
	return letter(call, "settle");
}

/* ---- users and back ends ---- */

static int user(
	const struct call *call, bool (*done)(PGconn *conn, const struct user_options *options))
{
	struct user_options options = { .name = call->arguments[0],
		.roles = call->values[OPTION_ROLES],
		.reason = call->values[OPTION_REASON],
		.operator_id = call_operator(call),
		.password_file = call->values[OPTION_PASSWORD_FILE],
		.json = json(call) };
	PGconn *conn = database_open(call);

	return ended(conn, done(conn, &options));
}

int run_user_add(const struct call *call)
{
	return user(call, user_add);
}

int run_user_reset(const struct call *call)
{
	return user(call, user_reset);
}

int run_user_roles(const struct call *call)
{
	return user(call, user_roles);
}

int run_user_list(const struct call *call)
{
	return user(call, user_list);
}

int run_game_stop(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, game_stop(conn, call_operator(call), call->arguments[0],
				   call->values[OPTION_REASON], json(call)));
}

int run_game_start(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, game_start(conn, call_operator(call), call->arguments[0],
				   call->values[OPTION_REASON], json(call)));
}

int run_player_export(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, player_export(conn, call->arguments[0]));
}

int run_game_list(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, game_stops_list(conn, json(call)));
}

int run_offer_games(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, offer_games_set(conn, call_operator(call), call->arguments[0],
				   call->values[OPTION_REASON], json(call)));
}

int run_offer_currencies(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, offer_currencies_set(conn, call_operator(call), call->arguments[0],
				   call->values[OPTION_REASON], json(call)));
}

int run_offer_list(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, offers_list(conn, json(call)));
}

static int backend_key(const struct call *call,
	bool (*done)(PGconn *conn, const struct backend_key_options *options))
{
	struct backend_key_options options = { .operator_id = call_operator(call),
		.name = call->arguments[0],
		.id = call->arguments[0],
		.read_only = call_has(call, OPTION_READ_ONLY),
		.scopes = call->values[OPTION_SCOPES],
		.amounts = call->values[OPTION_AMOUNTS],
		.pools = call->values[OPTION_POOLS],
		.days = call->values[OPTION_DAYS],
		.file = call->values[OPTION_KEY_FILE],
		.json = json(call) };
	PGconn *conn = database_open(call);

	return ended(conn, done(conn, &options));
}

int run_key_add(const struct call *call)
{
	return backend_key(call, backend_key_add);
}

int run_key_rotate(const struct call *call)
{
	return backend_key(call, backend_key_rotate);
}

int run_key_end(const struct call *call)
{
	return backend_key(call, backend_key_end);
}

int run_key_list(const struct call *call)
{
	return backend_key(call, backend_key_list);
}

int run_webhooks_list(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, webhooks_list(conn, operator_of(call), json(call)));
}

int run_webhooks_test(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, webhooks_test(conn, operator_of(call), call->arguments[0], json(call)));
}

int run_webhooks_dead(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, webhooks_dead(conn, operator_of(call), call->arguments[0], json(call)));
}

int run_webhooks_resend(const struct call *call)
{
	PGconn *conn = database_open(call);

	return ended(conn, webhooks_resend(conn, operator_of(call), call->arguments[0],
				   call->arguments[1], json(call)));
}

/* ---- keys ---- */

static int status_of(bool good)
{
	return good ? 0 : EXIT_BROKEN;
}

int run_keys_draw(const struct call *call)
{
	return status_of(
		keys_rotate_draw((uint64_t)call_number(call, OPTION_IN, KEYS_WAIT_S), json(call)));
}

int run_keys_cards(const struct call *call)
{
	return status_of(
		keys_rotate_cards((uint64_t)call_number(call, OPTION_IN, KEYS_WAIT_S), json(call)));
}

int run_keys_heads(const struct call *call)
{
	char heads[PATH_ROOM];

	folder_of(call, OPTION_HEADS, "heads", heads);
	return status_of(keys_rotate_heads(heads, json(call)));
}
