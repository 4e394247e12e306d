#include "tools/jackpotctl/commands.h"

#include "tools/jackpotctl/rows_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char LIST_SQL[] =
	"select encode(id, 'hex') as id, service, shard, deaths, "
	"to_char(last_death, 'YYYY-MM-DD HH24:MI:SSOF') as last_death, "
	"coalesce(to_char(quarantined, 'YYYY-MM-DD HH24:MI:SSOF'), '') as quarantined, "
	"coalesce(encode(command, 'hex'), '') as command "
	"from carillon.command_death order by quarantined is null, last_death desc";

bool commands_list(PGconn *conn, bool json)
{
	PGresult *rows = rows_ask(conn, LIST_SQL);
	int column = PQfnumber(rows, "quarantined");
	bool none = true;

	for (int i = 0; i < PQntuples(rows); i++)
		none = none && PQgetvalue(rows, i, column)[0] == '\0';
	if (json)
		json_print(json_pack("{s:o}", "commands", rows_json(rows)));
	else
		rows_text(rows, "commands that were in hand when their service died");
	PQclear(rows);
	return none;
}

bool commands_release(PGconn *conn, const char *id, bool json)
{
	const char *parameters[] = { id };
	PGresult *result = PQexecParams(conn,
		"delete from carillon.command_death where encode(id, 'hex') = $1 and quarantined "
		"is not null",
		1, NULL, parameters, NULL, NULL, 0);
	bool released;

	if (PQresultStatus(result) != PGRES_COMMAND_OK) {
		fprintf(stderr, "jackpotctl: commands: %s", PQerrorMessage(conn));
		exit(2);
	}
	released = strcmp(PQcmdTuples(result), "0") != 0;
	PQclear(result);
	if (released)
		(void)outcome_print(json, true, NULL,
			"released: %s; the service takes the command when its sender repeats it",
			id);
	else
		fprintf(stderr,
			"jackpotctl: commands release: found '%s', expected the id of a "
			"quarantined command; list them with: jackpotctl commands\n",
			id);
	return released;
}
