#include "tools/jackpotctl/close_day.h"

#include "tools/jackpotctl/rows_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WAIT_TURNS 200
#define WAIT_TURN_NS 50000000L

static PGresult *ask(PGconn *conn, const char *sql, const char *parameter)
{
	const char *const parameters[] = { parameter };
	PGresult *result =
		PQexecParams(conn, sql, parameter == NULL ? 0 : 1, NULL, parameters, NULL, NULL, 0);

	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		return result;
	fprintf(stderr, "jackpotctl: close-day: %s", PQerrorMessage(conn));
	exit(2);
}

/* Shards that have rows and have not answered. */
static PGresult *query_missing_shards(PGconn *conn, const char *request)
{
	return ask(conn,
		"select distinct b.shard from wallet.batch b where not exists (select from "
		"wallet.close_run r where r.shard = b.shard and r.request >= $1::bigint) order by 1",
		request);
}

/* What the shards that have answered closed. */
static void closes_print(PGconn *conn, const char *request, const PGresult *missing, bool json)
{
	PGresult *result = ask(conn,
		"select count(distinct r.shard) as shards, count(c.pool) as accounts, "
		"coalesce(sum(c.moved_minor), 0) as moved_minor from wallet.close_run r left join wallet.close c using (shard, number) where "
		"r.request = $1::bigint",
		request);

	if (json)
		json_print(json_pack("{s:b,s:o,s:o}", "closed", PQntuples(missing) == 0, "missing",
			rows_json(missing), "closes", rows_json(result)));
	else
		printf("closed: %s shards, %s accounts, %s minor units moved\n",
			PQgetvalue(result, 0, 0), PQgetvalue(result, 0, 1),
			PQgetvalue(result, 0, 2));
	PQclear(result);
}

bool close_day_run(PGconn *conn, bool json)
{
	const struct timespec turn = { 0, WAIT_TURN_NS };
	PGresult *result =
		ask(conn, "insert into wallet.close_request (reason) values ($1) returning id",
			"jackpotctl ledger close-day --now");
	char request[32];
	PGresult *missing;

	(void)snprintf(request, sizeof(request), "%s", PQgetvalue(result, 0, 0));
	PQclear(result);
	missing = query_missing_shards(conn, request);
	for (int i = 0; i < WAIT_TURNS && PQntuples(missing) > 0; i++) {
		(void)nanosleep(&turn, NULL);
		PQclear(missing);
		missing = query_missing_shards(conn, request);
	}
	for (int i = 0; i < PQntuples(missing); i++)
		fprintf(stderr,
			"jackpotctl: close-day: shard %s has not closed the day yet. Is its wallet "
			"running? The shard closes the day as soon as the wallet runs.\n",
			PQgetvalue(missing, i, 0));
	bool all = PQntuples(missing) == 0;
	if (all || json)
		closes_print(conn, request, missing, json);
	PQclear(missing);
	return all;
}
