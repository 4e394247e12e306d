#include "tools/jackpotctl/webhooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2

/* ---- what is printed ---- */

static bool list_print(const PGresult *result)
{
	for (int i = 0; i < PQntuples(result); i++)
		printf("%s %s [%s]: %s sent, %s waiting, %s dead; last: %s\n",
			PQgetvalue(result, i, 0), PQgetvalue(result, i, 1),
			PQgetvalue(result, i, 2), PQgetvalue(result, i, 3),
			PQgetvalue(result, i, 4), PQgetvalue(result, i, 5),
			PQgetvalue(result, i, 6));
	if (PQntuples(result) == 0)
		puts("the operator has no webhooks");
	return true;
}

static bool test_print(const PGresult *result)
{
	if (PQntuples(result) == 0) {
		puts("the operator has no such webhook");
		return false;
	}
	printf("%s waits to be sent\n", PQgetvalue(result, 0, 0));
	return true;
}

static bool dead_print(const PGresult *result)
{
	for (int i = 0; i < PQntuples(result); i++)
		printf("%s dead since %s after %s attempts, %s: %s\n", PQgetvalue(result, i, 0),
			PQgetvalue(result, i, 1), PQgetvalue(result, i, 2),
			PQgetvalue(result, i, 3), PQgetvalue(result, i, 4));
	if (PQntuples(result) == 0)
		puts("no dead events");
	return true;
}

static bool resend_print(const PGresult *result)
{
	const char *n = PQgetvalue(result, 0, 0);

	printf("%s event%s will be sent again\n", n, strcmp(n, "1") == 0 ? "" : "s");
	return strcmp(n, "0") != 0;
}

/* ---- the commands; $1 is the operator, then come the words ---- */

static const struct {
	const char *word;
	int words; /* with "webhooks" */
	const char *sql;
	bool (*print)(const PGresult *result);
} commands[] = {
	{ "list", 2,
		"select id, url, kinds, sent, waiting, dead, coalesce(last_answer, 'nothing sent "
		"yet') from gateway.webhook_list($1::integer)",
		list_print },
	{ "test", 3, "select gateway.webhook_test($1::integer, $2::integer)", test_print },
	{ "dead", 3,
		"select event, dead, attempts, coalesce(answer, ''), body from "
		"gateway.webhook_dead($1::integer, $2::integer, 0, 1000)",
		dead_print },
	{ "resend", 4, "select gateway.webhook_resend($1::integer, $2::integer, $3)",
		resend_print },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static size_t command_of(const char *const *words, int words_n)
{
	size_t i = 0;

	if (words_n < 2 || strcmp(words[0], "webhooks") != 0)
		return COMMANDS;
	while (i < COMMANDS &&
		(strcmp(commands[i].word, words[1]) != 0 || commands[i].words != words_n))
		i++;
	return i;
}

bool webhooks_words(const char *const *words, int words_n)
{
	return command_of(words, words_n) < COMMANDS;
}

bool webhooks_run(PGconn *conn, const char *const *words, int words_n, const char *operator_text)
{
	size_t command = command_of(words, words_n);
	const char *parameters[] = { operator_text == NULL ? "1" : operator_text,
		words_n > 2 ? words[2] : NULL, words_n > 3 ? words[3] : NULL };
	PGresult *result = PQexecParams(
		conn, commands[command].sql, words_n - 1, NULL, parameters, NULL, NULL, 0);
	bool done;

	if (PQresultStatus(result) != PGRES_TUPLES_OK) {
		fprintf(stderr, "jackpotctl: the webhooks could not be read or written: %s",
			PQerrorMessage(conn));
		exit(EXIT_USAGE);
	}
	done = commands[command].print(result);
	PQclear(result);
	return done;
}
