#include "tools/jackpotctl/dead.h"

#include "tools/jackpotctl/rows_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 18

static PGresult *ask(PGconn *conn, const char *sql, int n, const char *const *parameters)
{
	return rows_ask_with(
		conn, "the dead letters could not be read or written", sql, n, parameters);
}

bool dead_list(PGconn *conn, bool json)
{
	PGresult *result = ask(conn,
		"select id, status, written, service, topic, partition, position, what, case when "
		"player = 0 then '' else (player >> 48) || '-' || (player & 281474976710655) end as "
		"player, pool, coalesce(amount_minor::text, '') as amount_minor, coalesce(why_not, "
		"case when status = 'waiting' and written < now() - interval '7 days' then 'old' "
		"end, '') as why_not, reason, coalesce(outcome, '') as outcome from gateway.dead_letter "
		"where status in ('waiting', 'sending') order by id",
		0, NULL);
	bool none = PQntuples(result) == 0;

	if (json)
		json_print(json_pack("{s:o}", "letters", rows_json(result)));
	for (int i = 0; !json && i < PQntuples(result); i++) {
		const char *why_not = PQgetvalue(result, i, 11);
		const char *outcome = PQgetvalue(result, i, 13);
		printf("%s %s %s %s: %s partition %s offset %s %s%s%s: %s; %s%s%s%s\n",
			PQgetvalue(result, i, 0), PQgetvalue(result, i, 1),
			PQgetvalue(result, i, 2), PQgetvalue(result, i, 3),
			PQgetvalue(result, i, 4), PQgetvalue(result, i, 5),
			PQgetvalue(result, i, 6), PQgetvalue(result, i, 7),
			PQgetvalue(result, i, 8)[0] == '\0' ? "" : " of ", PQgetvalue(result, i, 8),
			PQgetvalue(result, i, 12),
			why_not[0] == '\0' ? "may be sent again" : "is not sent again: ", why_not,
			outcome[0] == '\0' ? "" : "; sent, and ", outcome);
	}
	if (!json && none)
		puts("no message waits");
	PQclear(result);
	return none;
}

static bool is_number(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits > 0 && digits <= DIGITS_MAX && text[digits] == '\0';
}

static void say(
	bool json, const char *what, const char *letter, const char *code, const char *why_not)
{
	if (code[0] == '\0' && strcmp(what, "send") == 0)
		(void)outcome_print(json, true, NULL,
			"letter %s is sent again; 'jackpotctl dead list' shows it until its service "
			"has answered",
			letter);
	else if (code[0] == '\0')
		(void)outcome_print(json, true, NULL, "letter %s is settled", letter);
	else if (strcmp(code, "letter_not_sent") == 0)
		(void)outcome_print(json, false, NULL,
			"letter %s is not sent again (%s); nothing was changed", letter, why_not);
	else if (strcmp(code, "letter_sending") == 0)
		(void)outcome_print(json, false, NULL,
			"letter %s is being sent at this moment; nothing was changed", letter);
	else if (strcmp(code, "letter_done") == 0)
		(void)outcome_print(json, false, NULL,
			"letter %s was already sent again or settled; nothing was changed", letter);
	else
		(void)outcome_print(
			json, false, NULL, "there is no letter %s; nothing was changed", letter);
}

bool dead_act(PGconn *conn, const char *what, const char *operator_id, const char *letter,
	const char *reason, bool json)
{
	const char *const parameters[] = { letter, what, operator_id, reason };
	PGresult *result;
	bool done;

	if (!is_number(letter)) {
		fprintf(stderr,
			"jackpotctl: dead %s: found '%s', expected the number of a letter; list "
			"them with: jackpotctl dead list\n",
			what, letter);
		return false;
	}
	result = ask(conn,
		"select http, coalesce(code, ''), coalesce((result).why_not, '') from "
		"gateway.dead_act($1::bigint, $2, $3::integer, 'jackpotctl', 'jackpotctl', '', $4, "
		"null, true)",
		4, parameters);
	done = strcmp(PQgetvalue(result, 0, 0), "200") == 0;
	say(json, what, letter, PQgetvalue(result, 0, 1), PQgetvalue(result, 0, 2));
	PQclear(result);
	return done;
}
