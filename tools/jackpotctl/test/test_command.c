/* The command line: arguments to a row and its values, or to what was found and expected. */
#include "tools/jackpotctl/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MAX 16
#define LINE_ROOM 256

/* Splits at blanks, as there are none in the arguments of these tables. */
static bool read_line(const char *line, char *room, struct call *call_r, char **errors_r)
{
	char *argv[ARGUMENTS_MAX] = { (char *)"jackpotctl" }, *rest = NULL;
	int argc = 1;
	size_t length;
	FILE *errors = open_memstream(errors_r, &length);
	bool good;

	(void)snprintf(room, LINE_ROOM, "%s", line);
	for (char *word = strtok_r(room, " ", &rest); word != NULL;
		word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	good = command_read(argc, argv, call_r, errors);
	(void)fclose(errors);
	return good;
}

static void test_command_rows_are_read(void **state)
{
	static const struct {
		const char *line, *words, *first, *second;
		enum option_id option;
		const char *value;
	} rows[] = {
		{ "status", "status", NULL, NULL, OPTION_JSON, NULL },
		{ "--json status", "status", NULL, NULL, OPTION_JSON, "--json" },
		{ "ledger verify --day 2026-11-22", "ledger verify", NULL, NULL, OPTION_DAY,
			"2026-11-22" },
		{ "ledger --seed 0 verify", "ledger verify", NULL, NULL, OPTION_SEED, "0" },
		{ "ledger verify --state --json", "ledger verify", NULL, NULL, OPTION_STATE,
			"--json" },
		{ "ledger verify --json --json", "ledger verify", NULL, NULL, OPTION_JSON,
			"--json" },
		{ "ledger close", "ledger close", NULL, NULL, OPTION_RETAIN, NULL },
		{ "ledger close-day --now", "ledger close-day", NULL, NULL, OPTION_NOW, "--now" },
		{ "pool replay 1", "pool replay", "1", NULL, OPTION_AT, NULL },
		{ "pool fold 7 --retain 1", "pool fold", "7", NULL, OPTION_RETAIN, "1" },
		{ "commands", "commands", NULL, NULL, OPTION_DSN, NULL },
		{ "commands release ab --dsn x", "commands release", "ab", NULL, OPTION_DSN, "x" },
		{ "webhooks resend 3 all --operator 2", "webhooks resend", "3", "all",
			OPTION_OPERATOR, "2" },
		{ "keys rotate draw --in 600", "keys rotate draw", NULL, NULL, OPTION_IN, "600" },
		{ "keys rotate cards", "keys rotate cards", NULL, NULL, OPTION_IN, NULL },
		{ "player limit 17 loss --currency EUR --amount -1", "player limit", "17", "loss",
			OPTION_AMOUNT, "-1" },
		{ "player history 17 --wins --limit 2", "player history", "17", NULL, OPTION_LIMIT,
			"2" },
		{ "report series --by game", "report series", NULL, NULL, OPTION_BY, "game" },
		{ "approvals --cursor q3Jx", "approvals", NULL, NULL, OPTION_CURSOR, "q3Jx" },
		{ "--key x approve pool 1 ab", "approve pool", "1", "ab", OPTION_KEY, "x" },
		{ "approvals", "approvals", NULL, NULL, OPTION_GATEWAY, NULL },
		{ "help", "help", NULL, NULL, OPTION_JSON, NULL },
		{ "help ledger verify", "help", "ledger", "verify", OPTION_JSON, NULL },
		{ "ledger verify --help", "help", "ledger", "verify", OPTION_JSON, NULL },
		{ "--nothing ledger -h", "help", "ledger", NULL, OPTION_JSON, NULL },
		{ "--help", "help", NULL, NULL, OPTION_JSON, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char room[LINE_ROOM], *errors = NULL;
		const char *wanted[] = { rows[i].first, rows[i].second };
		struct call call;
		if (!read_line(rows[i].line, room, &call, &errors))
			fail_msg("%s: %s", rows[i].line, errors);
		assert_string_equal(errors, "");
		assert_string_equal(call.command->words, rows[i].words);
		for (int j = 0; j < 2; j++)
			if (wanted[j] == NULL)
				assert_null(call.arguments[j]);
			else
				assert_string_equal(call.arguments[j], wanted[j]);
		if (rows[i].value == NULL)
			assert_false(call_has(&call, rows[i].option));
		else
			assert_string_equal(call.values[rows[i].option], rows[i].value);
		free(errors);
	}
}

static void test_command_wrong_lines_are_told(void **state)
{
	static const struct {
		const char *line, *told;
	} rows[] = {
		{ "", "command: found nothing, expected 'ledger' or 'reconcile' or " },
		{ "nothing", "command: found 'nothing', expected 'ledger' or " },
		{ "--nothing", "command: found '--nothing', expected 'ledger' or " },
		{ "ledger",
			"command: found 'ledger', expected 'ledger verify' or 'ledger close-day' "
			"or 'ledger close' or 'ledger show' or 'ledger postings' or 'ledger proof'\nSee: jackpotctl "
			"--help\n" },
		{ "ledger clos", "found 'ledger clos', expected 'ledger verify' or " },
		{ "ledgers verify", "found 'ledgers', expected 'ledger' or " },
		{ "keys rotate bus",
			"found 'keys rotate bus', expected 'keys rotate draw' or 'keys "
			"rotate cards' or 'keys rotate heads'\n" },
		{ "commands lift 1", "found 'commands lift', expected 'commands' or 'commands "
				     "release ID'\n" },
		{ "commands --at 1", "commands: found '--at', expected one of --json, --dsn\nSee: "
				     "jackpotctl commands --help\n" },
		{ "commands release", "commands release: found nothing, expected ID\n" },
		{ "status more", "status: found 'more', expected no further arguments\n" },
		{ "status --", "status: found '--', expected one of --json, --dsn\n" },
		{ "status --json=1", "status: found '--json=1', expected one of --json, --dsn\n" },
		{ "status --dsn", "--dsn: found nothing, expected an address of Postgres" },
		{ "ledger verify --day 1 --day 2",
			"--day: found it twice, expected it once\nSee: jackpotctl "
			"ledger verify --help\n" },
		{ "keys rotate heads --in 2", "found '--in', expected one of --heads, --json\n" },
		{ "manual --json", "manual: found '--json', expected no options\n" },
		{ "webhooks resend 1", "webhooks resend: found '1', expected ID EVENT|all\n" },
		{ "ledger close-day", "ledger close-day: found nothing, expected --now\n" },
		{ "pool fold 1", "--retain: found nothing, expected a number of days from 0 to "
				 "100000\n" },
		{ "user add x", "--roles: found nothing, expected viewer, support, " },
		{ "ledger verify --sample 0", "--sample: found '0', expected a number of accounts, "
					      "1 or more\n" },
		{ "ledger verify --sample -1", "--sample: found '-1', expected a number" },
		{ "ledger verify --sample 1x", "--sample: found '1x', expected a number" },
		{ "ledger verify --sample 99999999999999999999", "expected a number of accounts" },
		{ "webhooks list --operator 32768", "--operator: found '32768', expected a number "
						    "from 0 to 32767\n" },
		{ "keys rotate cards --in 2592001", "--in: found '2592001', expected a number of "
						    "seconds from 2 to 2592000\n" },
		{ "keys rotate draw --in 1", "--in: found '1', expected a number of seconds from 2 "
					     "to 2592000\n" },
		{ "rate set SEK", "rate set: found 'SEK', expected CURRENCY RATE\n" },
		{ "player block 17", "--reason: found nothing, expected why, in a few words\n" },
		{ "audit --limit 0", "--limit: found '0', expected a number of entries from 1 to "
				     "2000\n" },
		{ "audit --request x", "audit: found '--request', expected one of --operator, " },
		{ "approve", "found 'approve', expected 'approve amount ID' or 'approve pool POOL "
			     "ID' or " },
		{ "a b c d e f g h i", "found more arguments than any command takes" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char room[LINE_ROOM], *errors = NULL;
		struct call call;
		if (read_line(rows[i].line, room, &call, &errors))
			fail_msg("%s: was taken", rows[i].line);
		if (strncmp(errors, "jackpotctl: ", 12) != 0 ||
			strstr(errors, rows[i].told) == NULL)
			fail_msg("%s: told %s", rows[i].line, errors);
		free(errors);
	}
}

static int times(const char *text, const char *part)
{
	int n = 0;

	while (text != NULL && (text = strstr(text, part)) != NULL) {
		text += strlen(part);
		n++;
	}
	return n;
}

/* Options of every request. */
static bool is_common(size_t option)
{
	return option == OPTION_OPERATOR || option == OPTION_GATEWAY || option == OPTION_KEY ||
	       option == OPTION_REQUEST || option == OPTION_JSON;
}

/* Each argument of a request stands in its path or in its body, and each option of its own has a
 * name there. */
static void test_command_requests_use_their_arguments(void **state)
{
	(void)state;
	for (const struct command *row = command_rows; row->words != NULL; row++) {
		const struct command_request *request = &row->request;
		char end[] = "$1\"", number[] = "#1\"";
		int used = times(request->path, "{}"), n = 0;
		if (request->path == NULL)
			continue;
		while (words_length(row->arguments, n + 1) > 0)
			n++;
		for (int i = 0; i < n; i++, end[1]++, number[1]++)
			used += times(request->body, end) + times(request->body, number);
		if (used < n || (request->body != NULL && !request->post))
			fail_msg("%s: %d of %d arguments", row->words, used, n);
		for (size_t i = 0; i < OPTIONS_N; i++)
			if ((row->options >> i & 1) != 0 && !is_common(i) &&
				command_options[i].field == NULL)
				fail_msg(
					"%s: %s has no field", row->words, command_options[i].name);
	}
}

/* What parsing and help rely on. */
static void test_command_table_is_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < OPTIONS_N; i++) {
		const struct command_option *option = &command_options[i];
		assert_true(strncmp(option->name, "--", 2) == 0 && option->help != NULL);
		assert_true((option->value == NULL) == (option->expected == NULL));
		assert_true(option->most == 0 || option->value != NULL);
	}
	for (const struct command *row = command_rows; row->words != NULL; row++) {
		bool opens = row->database != DATABASE_NONE;
		bool stands_alone = row == command_rows || words_are_new(row, strlen(row->words));
		assert_true(stands_alone && row->run != NULL && row->group != NULL);
		assert_int_equal(row->needs & ~row->options, 0);
		assert_int_equal(row->options >> OPTION_DSN & 1, opens);
		assert_true(row->help[strlen(row->help) - 1] == '.');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command_rows_are_read),
		cmocka_unit_test(test_command_wrong_lines_are_told),
		cmocka_unit_test(test_command_requests_use_their_arguments),
		cmocka_unit_test(test_command_table_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
