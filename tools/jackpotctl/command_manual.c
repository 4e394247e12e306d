/* The manual page, in man(7), and the completion of commands for bash. */
#include "tools/jackpotctl/command_help.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *help;
} variables[] = {
	{ "CARILLON_PG_RO_DSN", "The address of Postgres for commands that only read." },
	{ "CARILLON_PG_ARCHIVE_DSN",
		"The address of Postgres for commands that archive, close and release." },
	{ "CARILLON_PG_DSN",
		"The address of Postgres for users, webhooks and the sums of reports, and where the "
		"other address is not set." },
	{ "JACKPOTCTL_GATEWAY",
		"The address of the gateway: https://HOST, or http://127.0.0.1:PORT on this "
		"machine. Default: http://127.0.0.1:8080. No proxy is used." },
	{ "JACKPOTCTL_KEY",
		"A file that only its owner may read, with the operator's key in its first line. "
		"Default: "
		"$CARILLON_KEYS/gateway/operator-N.key, N being the operator." },
	{ "CARILLON_DATA", "The folder of the installation's data." },
	{ "CARILLON_KEYS", "The folder of the keys. Default: keys in CARILLON_DATA." },
}, files[] = {
	{ "$CARILLON_DATA/heads/", "The signed heads, and wallet-heads.pub, which checks them." },
	{ "$CARILLON_DATA/heads-copy/", "Their copy." },
	{ "$CARILLON_DATA/heads/verified.json", "How far the last proof with --since-last went." },
	{ "$CARILLON_DATA/heads/proof-good", "Has the time of the last whole proof." },
	{ "$CARILLON_DATA/heads/proof-broken", "Is there from a breach until the next whole proof." },
	{ "$CARILLON_DATA/log/", "The logs of the services." },
	{ "$CARILLON_DATA/archive/", "Archived days of the journal and events of pools." },
	{ "$CARILLON_KEYS/spin-engine/spin-engine.key", "The keys of the draws." },
	{ "$CARILLON_KEYS/jackpot-cards/jackpot-cards.key", "The keys of the cards." },
	{ "$CARILLON_KEYS/wallet/wallet-heads.key", "The key of the heads." },
	{ "$CARILLON_KEYS/ledger-verify.key, ledger-verify.last",
		"The key of the marks that --since-last leaves, and the last mark." },
};

/* ---- man(7) ---- */

/* Never at the beginning of a line, where a point or an apostrophe would be a request. */
static void roff(const char *text)
{
	for (; *text != '\0'; text++)
		switch (*text) {
		case '-':
			fputs("\\-", stdout);
			break;
		case '\\':
			fputs("\\e", stdout);
			break;
		case '\'':
			fputs("\\(aq", stdout);
			break;
		default:
			putchar(*text);
		}
}

static void bold(const char *text)
{
	fputs("\\fB", stdout);
	roff(text);
	fputs("\\fR", stdout);
}

static void option_roff(enum option_id option)
{
	bold(command_options[option].name);
	if (command_options[option].value != NULL)
		printf("\\ \\fI%s\\fR", command_options[option].value);
}

static void command_roff(const struct command *row)
{
	fputs(".TP\n", stdout);
	bold(row->words);
	if (row->arguments[0] != '\0')
		printf(" \\fI%s\\fR", row->arguments);
	for (size_t i = 0; i < OPTIONS_N; i++) {
		bool needed = (row->needs >> i & 1) != 0;
		if ((row->options >> i & 1) == 0)
			continue;
		fputs(needed ? " " : " [", stdout);
		option_roff((enum option_id)i);
		fputs(needed ? "" : "]", stdout);
	}
	putchar('\n');
	roff(row->help);
	putchar('\n');
	if (row->more != NULL) {
		roff(row->more);
		putchar('\n');
	}
	if (row->broken != NULL) {
		fputs("Exit status 1: ", stdout);
		roff(row->broken);
		puts(".");
	}
	if (row->database != DATABASE_NONE)
		printf("Address: %s, else %s.\n", command_addresses[row->database][0],
			command_addresses[row->database][1]);
	if (row->request.path != NULL) {
		printf("Asks: %s ", row->request.post ? "POST" : "GET");
		roff(row->request.path);
		putchar('\n');
	}
	if (row->request.waits)
		puts("Exit status 3: it waits for another user or key.");
}

static void commands_roff(void)
{
	const char *group = "";

	puts(".SH COMMANDS");
	for (const struct command *row = command_rows; row->words != NULL; row++) {
		if (row->group != group)
			printf(".SS %s\n", row->group);
		group = row->group;
		command_roff(row);
	}
}

static void options_roff(void)
{
	puts(".SH OPTIONS\nOptions and arguments may stand in any order.");
	for (size_t i = 0; i < OPTIONS_N; i++) {
		char *text = NULL;
		size_t length;
		FILE *out = open_memstream(&text, &length);
		if (out == NULL)
			abort();
		option_help_write(out, (enum option_id)i, NULL);
		(void)fclose(out);
		fputs(".TP\n", stdout);
		option_roff((enum option_id)i);
		putchar('\n');
		roff(text);
		putchar('\n');
		free(text);
	}
	puts(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nExplains the command, or lists all.");
}

static void term_roff(const char *name, const char *help)
{
	fputs(".TP\n", stdout);
	bold(name);
	putchar('\n');
	roff(help);
	putchar('\n');
}

int manual_run(const struct call *call)
{
	(void)call;
	puts(".TH JACKPOTCTL 1 \"\" Carillon Carillon\n.nh\n.ad l\n.SH NAME\n"
	     "jackpotctl \\- proves and tends an installation of Carillon\n.SH SYNOPSIS\n"
	     "\\fBjackpotctl\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR ..]\n.br\n"
	     "\\fBjackpotctl help\\fR [\\fICOMMAND\\fR]");
	commands_roff();
	options_roff();
	puts(".SH ENVIRONMENT");
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		term_roff(variables[i].name, variables[i].help);
	puts(".SH EXIT STATUS\n.TP\n\\fB0\\fR\nIt is done, or all is in order.\n"
	     ".TP\n\\fB1\\fR\nIt is not: each command says more.\n"
	     ".TP\n\\fB2\\fR\nThe arguments are wrong, or the database or the gateway failed.\n"
	     ".TP\n\\fB3\\fR\nNothing is done yet: it waits for another user or key.\n"
	     ".SH FILES");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		term_roff(files[i].name, files[i].help);
	return 0;
}

/* ---- bash ---- */

/* Options of the row, for everything that begins with its words. */
static void options_bash(const struct command *row)
{
	printf("\t[[ $words != '%s '* ]] || next='--help", row->words);
	for (size_t i = 0; i < OPTIONS_N; i++)
		if ((row->options >> i & 1) != 0)
			printf(" %s", command_options[i].name);
	puts("'");
}

/* The words that may follow the first n of this row, if it is the first row that goes on. */
static void words_bash(const struct command *row, int n)
{
	size_t begun = words_length(row->words, n);

	if (words_length(row->words, n + 1) == 0)
		return;
	for (const struct command *at = command_rows; at < row; at++)
		if (words_begin(at, row->words, begun) && words_length(at->words, n + 1) > 0)
			return;
	printf("\t[[ $words != '%.*s%s' ]] || next+='", (int)begun, row->words, n == 0 ? "" : " ");
	for (const struct command *at = row; at->words != NULL; at++) {
		size_t end = words_length(at->words, n + 1);
		if (end > 0 && words_begin(at, row->words, begun) && words_are_new(at, end))
			printf(" %.*s", (int)(end - begun - (n > 0)), at->words + begun + (n > 0));
	}
	puts("'");
}

int completion_run(const struct call *call)
{
	const char *separator = "\t\t";

	(void)call;
	puts("# bash: . <(jackpotctl completion)\n_jackpotctl() {\n\tlocal at words= next=--help\n"
	     "\tCOMPREPLY=()\n\tfor ((at = 1; at < COMP_CWORD; at++)); do\n"
	     "\t\tcase ${COMP_WORDS[at]} in");
	for (size_t i = 0; i < OPTIONS_N; i++)
		if (command_options[i].value != NULL) {
			printf("%s%s", separator, command_options[i].name);
			separator = " | ";
		}
	puts(") at=$((at + 1)) ;;\n\t\t-*) ;;\n\t\t*) words+=\"${COMP_WORDS[at]} \" ;;\n"
	     "\t\tesac\n\tdone\n\t# The value of an option may be a file.\n"
	     "\t[ \"$at\" = \"$COMP_CWORD\" ] || return 0\n\twords=${words#help }");
	for (const struct command *row = command_rows; row->words != NULL; row++)
		options_bash(row);
	for (const struct command *row = command_rows; row->words != NULL; row++)
		for (int n = 0; n < COMMAND_WORDS_MAX; n++)
			words_bash(row, n);
	puts("\tmapfile -t COMPREPLY < <(compgen -W \"$next\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n}\n"
	     "complete -o default -F _jackpotctl jackpotctl");
	return 0;
}
