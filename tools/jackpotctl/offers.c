#include "tools/jackpotctl/offers.h"

#include "services/gateway/core/offer.h"
#include "tools/jackpotctl/command.h"
#include "tools/jackpotctl/rows_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PGresult *ask(PGconn *conn, const char *sql, int n, const char *const *parameters)
{
	return rows_ask_with(conn, "the offers could not be read or written", sql, n, parameters);
}

static _Noreturn void wrong(const char *what, const char *found, const char *expected)
{
	fprintf(stderr, "jackpotctl: %s: found '%s', expected %s\n", what, found, expected);
	exit(EXIT_USAGE);
}

static bool set(PGconn *conn, const char *operator_id, const char *games, const char *currencies,
	const char *reason, bool json)
{
	char numbers[OFFER_NUMBERS_MAX];
	const char *const parameters[] = { operator_id, games, currencies, numbers, reason };
	PGresult *result;
	bool unknown;

	offer_numbers(currencies == NULL ? OFFER_ALL : currencies, numbers);
	result = ask(conn,
		"select missing, coalesce(games, 'all'), coalesce(currencies, 'all') from "
		"gateway.offer_set($1::integer, $2, $3, $4::integer[], 'jackpotctl', 'jackpotctl', "
		"'', $5)",
		5, parameters);
	unknown = !PQgetisnull(result, 0, 0);
	if (unknown)
		(void)outcome_print(json, false, NULL, "no game is called %s; nothing was changed",
			PQgetvalue(result, 0, 0));
	else
		(void)outcome_print(json, true, NULL,
			"operator %s offers games: %s; currencies: %s", operator_id,
			PQgetvalue(result, 0, 1), PQgetvalue(result, 0, 2));
	PQclear(result);
	return !unknown;
}

bool offer_games_set(
	PGconn *conn, const char *operator_id, const char *list, const char *reason, bool json)
{
	char found[OFFER_ENTRY_MAX + 1];

	if (strlen(list) > OFFER_LIST_MAX || !offer_games_read(list, found))
		wrong("LIST", list, "all, or ids of games, each once, separated by commas");
	return set(conn, operator_id, list, NULL, reason, json);
}

bool offer_currencies_set(
	PGconn *conn, const char *operator_id, const char *list, const char *reason, bool json)
{
	char found[OFFER_ENTRY_MAX + 1];

	if (strlen(list) > OFFER_LIST_MAX || !offer_currencies_read(list, found))
		wrong("LIST", list, "all, or ISO 4217 codes such as EUR,SEK, each once");
	return set(conn, operator_id, NULL, list, reason, json);
}

bool offers_list(PGconn *conn, bool json)
{
	PGresult *result = ask(conn,
		"select operator, coalesce(games, 'all') as games, coalesce(currencies, 'all') as "
		"currencies, changed, changed_by, reason from gateway.offer order by operator",
		0, NULL);

	if (json)
		json_print(json_pack("{s:o}", "offers", rows_json(result)));
	for (int i = 0; !json && i < PQntuples(result); i++)
		printf("operator %s offers games: %s; currencies: %s; since %s by %s: %s\n",
			PQgetvalue(result, i, 0), PQgetvalue(result, i, 1),
			PQgetvalue(result, i, 2), PQgetvalue(result, i, 3),
			PQgetvalue(result, i, 4), PQgetvalue(result, i, 5));
	if (!json)
		puts(PQntuples(result) == 0
				? "each operator offers all games and all currencies"
				: "each other operator offers all games and all currencies");
	PQclear(result);
	return true;
}
