#include "tools/jackpotctl/game_stops.h"

#include "tools/jackpotctl/rows_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PGresult *ask(PGconn *conn, const char *sql, int n, const char *const *parameters)
{
	return rows_ask_with(conn, "the stops could not be read or written", sql, n, parameters);
}

bool game_stop(
	PGconn *conn, const char *operator_id, const char *game, const char *reason, bool json)
{
	const char *const parameters[] = { game, operator_id, reason };
	PGresult *result = ask(conn,
		"select gateway.game_stop($1, $2::integer, 'jackpotctl', 'jackpotctl', '', $3)", 3,
		parameters);
	const char *code = PQgetvalue(result, 0, 0);
	bool stopped = strcmp(code, "stopped") == 0;

	if (stopped)
		(void)outcome_print(
			json, true, NULL, "%s is stopped; open rounds can be finished", game);
	else if (strcmp(code, "unknown") == 0)
		(void)outcome_print(
			json, false, NULL, "no game is called %s; nothing was changed", game);
	else
		(void)outcome_print(
			json, false, NULL, "%s is stopped already; nothing was changed", game);
	PQclear(result);
	return stopped;
}

bool game_start(
	PGconn *conn, const char *operator_id, const char *game, const char *reason, bool json)
{
	const char *const parameters[] = { game, operator_id, reason };
	PGresult *result = ask(conn,
		"select gateway.game_resume($1, $2::integer, 'jackpotctl', 'jackpotctl', '', $3)",
		3, parameters);
	bool started = !PQgetisnull(result, 0, 0);

	if (started)
		(void)outcome_print(json, true, NULL, "%s takes bets again; it was stopped: %s",
			game, PQgetvalue(result, 0, 0));
	else
		(void)outcome_print(
			json, false, NULL, "%s is not stopped; nothing was changed", game);
	PQclear(result);
	return started;
}

bool game_stops_list(PGconn *conn, bool json)
{
	PGresult *result = ask(conn,
		"select case when s.game = 0 then 'all' else coalesce((select g.id from "
		"carillon.game g where g.number = s.game limit 1), s.game::text) end as game, s.by, "
		"s.reason, s.actor, s.since from (select game, 'engine' as by, reason, '' as actor, "
		"since from engine.stopped_game e where not exists (select from gateway.game_start t "
		"where t.game = e.game and t.time >= e.since) union all select game, 'operator', "
		"reason, actor, since from wallet.switch) s order by s.game, s.by",
		0, NULL);
	bool none = PQntuples(result) == 0;

	if (json)
		json_print(json_pack("{s:o}", "stopped", rows_json(result)));
	for (int i = 0; !json && i < PQntuples(result); i++)
		printf("%s is stopped by the %s since %s: %s%s%s\n", PQgetvalue(result, i, 0),
			PQgetvalue(result, i, 1), PQgetvalue(result, i, 4),
			PQgetvalue(result, i, 2),
			PQgetvalue(result, i, 3)[0] == '\0' ? "" : ", by ",
			PQgetvalue(result, i, 3));
	if (!json && none)
		puts("no game is stopped");
	PQclear(result);
	return none;
}
