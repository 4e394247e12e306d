#include "tools/jackpotctl/webhooks.h"

#include "tools/jackpotctl/rows_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PGresult *ask(PGconn *conn, const char *sql, int n, const char *const *parameters)
{
	return rows_ask_with(conn, "the webhooks could not be read or written", sql, n, parameters);
}

bool webhooks_list(PGconn *conn, const char *operator_id, bool json)
{
	PGresult *result = ask(conn,
		"select id, url, kinds, sent, waiting, dead, coalesce(last_answer, 'nothing sent "
		"yet') as last_answer from gateway.webhook_list($1::integer)",
		1, &operator_id);

	if (json)
		json_print(json_pack("{s:o}", "webhooks", rows_json(result)));
	for (int i = 0; !json && i < PQntuples(result); i++)
		printf("%s %s [%s]: %s sent, %s waiting, %s dead; last: %s\n",
			PQgetvalue(result, i, 0), PQgetvalue(result, i, 1),
			PQgetvalue(result, i, 2), PQgetvalue(result, i, 3),
			PQgetvalue(result, i, 4), PQgetvalue(result, i, 5),
			PQgetvalue(result, i, 6));
	if (!json && PQntuples(result) == 0)
		puts("the operator has no webhooks");
	PQclear(result);
	return true;
}

bool webhooks_test(PGconn *conn, const char *operator_id, const char *webhook, bool json)
{
	const char *const parameters[] = { operator_id, webhook };
	PGresult *result =
		ask(conn, "select gateway.webhook_test($1::integer, $2::integer)", 2, parameters);
	bool sent = PQntuples(result) > 0;

	if (sent)
		(void)outcome_print(json, true,
			json_pack("{s:s}", "event", PQgetvalue(result, 0, 0)),
			"%s waits to be sent", PQgetvalue(result, 0, 0));
	else
		(void)outcome_print(json, false, NULL, "the operator has no such webhook");
	PQclear(result);
	return sent;
}

bool webhooks_dead(PGconn *conn, const char *operator_id, const char *webhook, bool json)
{
	const char *const parameters[] = { operator_id, webhook };
	PGresult *result = ask(conn,
		"select event, dead, attempts, coalesce(answer, '') as answer, body from "
		"gateway.webhook_dead($1::integer, $2::integer, 0, 1000)",
		2, parameters);

	if (json)
		json_print(json_pack("{s:o}", "events", rows_json(result)));
	for (int i = 0; !json && i < PQntuples(result); i++)
		printf("%s dead since %s after %s attempts, %s: %s\n", PQgetvalue(result, i, 0),
			PQgetvalue(result, i, 1), PQgetvalue(result, i, 2),
			PQgetvalue(result, i, 3), PQgetvalue(result, i, 4));
	if (!json && PQntuples(result) == 0)
		puts("no dead events");
	PQclear(result);
	return true;
}

bool webhooks_resend(
	PGconn *conn, const char *operator_id, const char *webhook, const char *event, bool json)
{
	const char *const parameters[] = { operator_id, webhook, event };
	PGresult *result = ask(
		conn, "select gateway.webhook_resend($1::integer, $2::integer, $3)", 3, parameters);
	const char *n = PQgetvalue(result, 0, 0);
	bool some = strcmp(n, "0") != 0;

	(void)outcome_print(json, some, json_pack("{s:s}", "events", n),
		"%s event%s will be sent again", n, strcmp(n, "1") == 0 ? "" : "s");
	PQclear(result);
	return some;
}
