/* From arguments to a row of the table. */
#include "tools/jackpotctl/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EXPECTED_ROOM 256

/* ---- words ---- */

size_t words_length(const char *words, int n)
{
	size_t length = 0;

	for (int i = 0; i < n; i++) {
		if (words[length] == '\0')
			return 0;
		length += words[length] == ' ';
		length += strcspn(words + length, " ");
	}
	return length;
}

bool words_begin(const struct command *row, const char *words, size_t length)
{
	return length == 0 || (strncmp(row->words, words, length) == 0 &&
				      (row->words[length] == '\0' || row->words[length] == ' '));
}

bool words_are_new(const struct command *row, size_t length)
{
	for (const struct command *at = command_rows; at < row; at++)
		if (words_begin(at, row->words, length))
			return false;
	return true;
}

/* How many of the row's words stand first among those given. */
static int words_common(const char *words, const char *const *given, int n)
{
	int common = 0;

	while (common < n && *words != '\0') {
		size_t length = strcspn(words, " ");
		if (strlen(given[common]) != length || strncmp(words, given[common], length) != 0)
			break;
		common++;
		words += length + (words[length] == ' ');
	}
	return common;
}

bool words_given(const struct command *row, const char *const *given, int n)
{
	return words_common(row->words, given, n) == n;
}

const struct command *command_of(const char *const *given, int n, int *used_r)
{
	const struct command *best = NULL;

	*used_r = 0;
	for (const struct command *row = command_rows; row->words != NULL; row++) {
		int common = words_common(row->words, given, n);
		if (common > *used_r && words_length(row->words, common + 1) == 0) {
			best = row;
			*used_r = common;
		}
	}
	return best;
}

/* ---- what is wrong ---- */

static void found_write(FILE *errors, const char *const *words, int n)
{
	fprintf(errors, "found %s", n == 0 ? "nothing" : "'");
	for (int i = 0; i < n; i++)
		fprintf(errors, "%s%s", i == 0 ? "" : " ", words[i]);
	fprintf(errors, "%s, expected ", n == 0 ? "" : "'");
}

/* All rows that begin with the first so many words of this one; of no words, all first words. */
static void commands_write(FILE *errors, const struct command *like, int depth)
{
	size_t begun = words_length(like->words, depth);
	const char *separator = "";

	for (const struct command *row = command_rows; row->words != NULL; row++) {
		size_t first = words_length(row->words, 1);
		if (!words_begin(row, like->words, begun) ||
			(depth == 0 && !words_are_new(row, first)))
			continue;
		fprintf(errors, "%s'%.*s%s%s'", separator,
			(int)(depth == 0 ? first : strlen(row->words)), row->words,
			depth == 0 || row->arguments[0] == '\0' ? "" : " ",
			depth == 0 ? "" : row->arguments);
		separator = " or ";
	}
}

bool command_refused(const char *const *given, int n, FILE *errors)
{
	const struct command *like = command_rows;
	int depth = 0;

	for (const struct command *row = command_rows; row->words != NULL; row++) {
		int common = words_common(row->words, given, n);
		if (common > depth) {
			like = row;
			depth = common;
		}
	}
	fputs("jackpotctl: command: ", errors);
	found_write(errors, given, n > depth ? depth + 1 : n);
	commands_write(errors, like, depth);
	fputs("\nSee: jackpotctl --help\n", errors);
	return false;
}

/* The end of a message about a command; false. */
static bool refused(const struct command *command, FILE *errors)
{
	fprintf(errors, "\nSee: jackpotctl %s --help\n", command->words);
	return false;
}

/* What the value of an option is, in words. */
static const char *expected_of(const struct command_option *option, char room[EXPECTED_ROOM])
{
	if (option->most == 0)
		return option->expected;
	if (option->most == INT64_MAX)
		(void)snprintf(room, EXPECTED_ROOM, "%s, %" PRId64 " or more", option->expected,
			option->least);
	else
		(void)snprintf(room, EXPECTED_ROOM, "%s from %" PRId64 " to %" PRId64,
			option->expected, option->least, option->most);
	return room;
}

static void value_refused(
	enum option_id option, const char *found, const char *expected, FILE *errors)
{
	char room[EXPECTED_ROOM];

	fprintf(errors, "jackpotctl: %s: ", command_options[option].name);
	found_write(errors, &found, found == NULL ? 0 : 1);
	fputs(expected != NULL ? expected : expected_of(&command_options[option], room), errors);
}

static bool option_refused(const struct command *command, const char *found, FILE *errors)
{
	bool several = (command->options & (command->options - 1)) != 0;
	const char *separator = several ? "one of " : "";

	fprintf(errors, "jackpotctl: %s: ", command->words);
	found_write(errors, &found, 1);
	for (size_t i = 0; i < OPTIONS_N; i++)
		if ((command->options >> i & 1) != 0) {
			fprintf(errors, "%s%s", separator, command_options[i].name);
			separator = ", ";
		}
	fputs(command->options == 0 ? "no options" : "", errors);
	return refused(command, errors);
}

/* ---- arguments ---- */

/* OPTIONS_N: it is none of ours. */
static enum option_id option_of(const char *argument)
{
	size_t i = 0;

	while (i < OPTIONS_N && strcmp(argument, command_options[i].name) != 0)
		i++;
	return (enum option_id)i;
}

/* What is no option and no value of one. Options wait until the command is known. */
static bool words_take(
	int argc, char **argv, const char *words[COMMAND_WORDS_MAX], int *n_r, bool *help_r)
{
	*help_r = false;
	*n_r = 0;
	for (int i = 1; i < argc; i++) {
		enum option_id option = option_of(argv[i]);
		if (option != OPTIONS_N)
			i += command_options[option].value != NULL;
		else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			*help_r = true;
		else if (argv[i][0] != '-' && *n_r == COMMAND_WORDS_MAX)
			return false;
		else if (argv[i][0] != '-')
			words[(*n_r)++] = argv[i];
	}
	return true;
}

static bool value_good(const struct command_option *option, const char *value)
{
	char *end;
	unsigned long long number = strtoull(value, &end, 10);

	return option->most == 0 || (value[0] >= '0' && value[0] <= '9' && *end == '\0' &&
					    number >= (unsigned long long)option->least &&
					    number <= (unsigned long long)option->most);
}

static bool given_twice(const struct command *command, enum option_id option, FILE *errors)
{
	fprintf(errors, "jackpotctl: %s: found it twice, expected it once",
		command_options[option].name);
	return refused(command, errors);
}

static bool options_take(int argc, char **argv, struct call *call, FILE *errors)
{
	for (int i = 1; i < argc; i++) {
		enum option_id option = option_of(argv[i]);
		const char *value = argv[i];
		if (option == OPTIONS_N && argv[i][0] != '-')
			continue;
		if (option == OPTIONS_N || (call->command->options >> option & 1) == 0)
			return option_refused(call->command, argv[i], errors);
		if (command_options[option].value != NULL)
			value = ++i < argc ? argv[i] : NULL;
		if (value == NULL || !value_good(&command_options[option], value)) {
			value_refused(option, value, NULL, errors);
			return refused(call->command, errors);
		}
		if (call->values[option] != NULL && command_options[option].value != NULL)
			return given_twice(call->command, option, errors);
		call->values[option] = value;
	}
	return true;
}

static bool needs_met(const struct call *call, FILE *errors)
{
	for (size_t i = 0; i < OPTIONS_N; i++) {
		if ((call->command->needs >> i & 1) == 0 || call->values[i] != NULL)
			continue;
		if (command_options[i].value != NULL)
			value_refused((enum option_id)i, NULL, NULL, errors);
		else
			fprintf(errors, "jackpotctl: %s: found nothing, expected %s",
				call->command->words, command_options[i].name);
		return refused(call->command, errors);
	}
	return true;
}

/* As many arguments as the row names. */
static bool arguments_fit(const struct call *call, FILE *errors)
{
	const char *names = call->command->arguments;
	int n = 0;

	if (names[0] == '[')
		return true;
	while (words_length(names, n + 1) > 0)
		n++;
	if (call->arguments_n == n)
		return true;
	fprintf(errors, "jackpotctl: %s: ", call->command->words);
	if (call->arguments_n > n) {
		found_write(errors, call->arguments + n, 1);
		fputs("no further arguments", errors);
	} else {
		found_write(errors, call->arguments, call->arguments_n);
		fputs(names, errors);
	}
	return refused(call->command, errors);
}

/* Words behind a command that has none, such as "commands", may be meant for another. */
static bool is_other(const struct command *command, int arguments_n)
{
	const struct command *next = command + 1;

	return arguments_n > 0 && command->arguments[0] == '\0' && next->words != NULL &&
	       words_begin(next, command->words, strlen(command->words));
}

bool command_read(int argc, char **argv, struct call *call_r, FILE *errors)
{
	const char *words[COMMAND_WORDS_MAX] = { NULL };
	int n, used = 0;
	bool help;

	memset(call_r, 0, sizeof(*call_r));
	if (!words_take(argc, argv, words, &n, &help)) {
		fputs("jackpotctl: found more arguments than any command takes, expected fewer\n",
			errors);
		return false;
	}
	call_r->command = help ? command_of((const char *const[]){ "help" }, 1, &used)
			       : command_of(words, n, &used);
	if (call_r->command == NULL && n == 0 && argc > 1)
		words[n++] = argv[1]; /* an option alone is no command */
	used = help ? 0 : used;
	if (call_r->command == NULL || is_other(call_r->command, n - used))
		return command_refused(words, n, errors);
	call_r->arguments_n = n - used;
	memcpy(call_r->arguments, words + used, (size_t)(n - used) * sizeof(words[0]));
	return help || (options_take(argc, argv, call_r, errors) && arguments_fit(call_r, errors) &&
			       needs_met(call_r, errors));
}

/* ---- what was given ---- */

bool call_has(const struct call *call, enum option_id option)
{
	return call->values[option] != NULL;
}

int64_t call_number(const struct call *call, enum option_id option, int64_t standard)
{
	return call->values[option] == NULL ? standard : strtoll(call->values[option], NULL, 10);
}

_Noreturn void call_wrong(const struct call *call, enum option_id option, const char *expected)
{
	value_refused(option, call->values[option], expected, stderr);
	(void)refused(call->command, stderr);
	exit(EXIT_USAGE);
}

_Noreturn void call_wrong_argument(const struct call *call, int argument, const char *expected)
{
	fprintf(stderr, "jackpotctl: %s: ", call->command->words);
	found_write(stderr, call->arguments + argument, 1);
	fputs(expected, stderr);
	(void)refused(call->command, stderr);
	exit(EXIT_USAGE);
}

const char *call_operator(const struct call *call)
{
	if (call_number(call, OPTION_OPERATOR, 1) < 1)
		call_wrong(call, OPTION_OPERATOR, "a number from 1 to 32767");
	return call_has(call, OPTION_OPERATOR) ? call->values[OPTION_OPERATOR] : "1";
}
