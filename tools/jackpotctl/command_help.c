/* Help as text. */
#include "tools/jackpotctl/command_help.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 100
#define NAME_COLUMN 32
#define TEXT_COLUMN 25

/* Up to the next blank that is not between brackets, so that [--day DATE] stays on one line. */
static size_t piece_length(const char *text)
{
	size_t n = 0;
	int depth = 0;

	for (; text[n] != '\0' && (text[n] != ' ' || depth > 0); n++)
		depth += (text[n] == '[') - (text[n] == ']');
	return n;
}

/* The text in lines, of which the first begins in a column and the others are indented. */
static void wrap(const char *text, size_t column, size_t indent)
{
	for (const char *begin = text; *text != '\0'; text += *text == ' ') {
		size_t length = piece_length(text);
		if (text != begin && column + 1 + length > WIDTH) {
			printf("\n%*s", (int)indent, "");
			column = indent;
		} else if (text != begin) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)length, text);
		column += length;
		text += length;
	}
	putchar('\n');
}

void option_name_write(FILE *out, enum option_id option)
{
	const char *value = command_options[option].value;

	fprintf(out, "%s%s%s", command_options[option].name, value == NULL ? "" : " ",
		value == NULL ? "" : value);
}

void option_help_write(FILE *out, enum option_id option, const struct command *command)
{
	fputs(command_options[option].help, out);
	if (option == OPTION_DSN && command != NULL)
		fprintf(out, " Default: %s, else %s.", command_addresses[command->database][0],
			command_addresses[command->database][1]);
	else if (option == OPTION_DSN)
		fputs(" Default: the address that each command names.", out);
	else if (command_options[option].standard != NULL)
		fprintf(out, " Default: %s.", command_options[option].standard);
}

/* ---- one command ---- */

static void usage_print(const struct command *command)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (out == NULL)
		abort();
	fprintf(out, "usage: jackpotctl %s%s%s", command->words,
		command->arguments[0] == '\0' ? "" : " ", command->arguments);
	for (size_t i = 0; i < OPTIONS_N; i++) {
		bool needed = (command->needs >> i & 1) != 0;
		if ((command->options >> i & 1) == 0)
			continue;
		fputs(needed ? " " : " [", out);
		option_name_write(out, (enum option_id)i);
		fputs(needed ? "" : "]", out);
	}
	(void)fclose(out);
	wrap(text, 0, strlen("usage: jackpotctl "));
	free(text);
}

static void option_print(enum option_id option, const struct command *command)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	const char *value = command_options[option].value;

	if (out == NULL)
		abort();
	option_help_write(out, option, command);
	(void)fclose(out);
	printf("  %s %-*s ", command_options[option].name,
		TEXT_COLUMN - 4 - (int)strlen(command_options[option].name),
		value == NULL ? "" : value);
	wrap(text, TEXT_COLUMN, TEXT_COLUMN);
	free(text);
}

static void command_print(const struct command *command)
{
	usage_print(command);
	putchar('\n');
	wrap(command->help, 0, 0);
	if (command->more != NULL)
		wrap(command->more, 0, 0);
	if (command->request.path != NULL)
		printf("Asks: %s %s\n", command->request.post ? "POST" : "GET",
			command->request.path);
	if (command->options != 0)
		puts("\nOptions:");
	for (size_t i = 0; i < OPTIONS_N; i++)
		if ((command->options >> i & 1) != 0)
			option_print((enum option_id)i, command);
	puts("\nExit status:");
	puts("  0  it is done, or all is in order");
	if (command->broken != NULL)
		printf("  1  %s\n", command->broken);
	puts("  2  the arguments are wrong, or the database or the gateway failed");
	if (command->request.waits)
		puts("  3  nothing is done yet: it waits for another user or key");
}

/* ---- several ---- */

/* Those whose words begin so; a title before each group. */
static void overview_print(const char *words, size_t length)
{
	const char *group = "";

	puts("usage: jackpotctl COMMAND [OPTION ..]");
	for (const struct command *row = command_rows; row->words != NULL; row++) {
		int column;
		if (!words_begin(row, words, length))
			continue;
		if (row->group != group)
			printf("\n%s:\n", row->group);
		group = row->group;
		column = printf("  %s %s", row->words, row->arguments);
		printf("%*s", column < NAME_COLUMN ? NAME_COLUMN - column : 2, "");
		puts(row->help);
	}
	puts("\njackpotctl COMMAND --help says more of one. Exit status: 0: it is done, or all is "
	     "in order;\n1: it is not: see the command's help; 2: the arguments are wrong, or the "
	     "database or the gateway\nfailed; 3: it waits for another user or key.");
}

int help_run(const struct call *call)
{
	int used;
	const struct command *command = command_of(call->arguments, call->arguments_n, &used);

	if (call->arguments_n == 0) {
		overview_print("", 0);
		return 0;
	}
	if (command != NULL) {
		command_print(command);
		return 0;
	}
	for (command = command_rows; command->words != NULL; command++) {
		size_t length = words_length(command->words, call->arguments_n);
		if (!words_given(command, call->arguments, call->arguments_n))
			continue;
		overview_print(command->words, length);
		return 0;
	}
	(void)command_refused(call->arguments, call->arguments_n, stderr);
	return EXIT_USAGE;
}
