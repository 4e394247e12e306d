#include "tools/jackpotctl/status.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PGresult *ask(PGconn *conn, const char *sql)
{
	PGresult *result = PQexec(conn, sql);

	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		return result;
	fprintf(stderr, "jackpotctl: the database could not be read: %s", PQerrorMessage(conn));
	exit(2);
}

static void print_text(const PGresult *result, const char *title)
{
	PQprintOpt options;
	char separator[] = "  ";

	memset(&options, 0, sizeof(options));
	options.header = 1;
	options.align = 1;
	options.fieldSep = separator;
	printf("%s\n", title);
	PQprint(stdout, result, &options);
	putchar('\n');
}

static json_t *as_json(const PGresult *result)
{
	json_t *rows = json_array();

	for (int i = 0; i < PQntuples(result); i++) {
		json_t *row = json_object();
		for (int j = 0; j < PQnfields(result); j++)
			json_object_set_new(
				row, PQfname(result, j), json_string(PQgetvalue(result, i, j)));
		json_array_append_new(rows, row);
	}
	return rows;
}

bool status_run(PGconn *conn, bool json)
{
	PGresult *shards = ask(conn,
		"select service, shard, coalesce(owner, '') as owner, epoch, incarnation, "
		"(lease_until > now())::text as alive, "
		"offset_1, seq_1, offset_2, seq_2 from carillon.shard order by service, shard");
	PGresult *journals =
		ask(conn, "select b.shard, b.last_seq as journal, b.checkpoint, b.batch, "
			  "to_char(now() - b.time, 'HH24:MI:SS') as last_row_ago, "
			  "(select count(*) from wallet.claim c where c.shard = b.shard and "
			  "c.closed_seq is null) as claims_open "
			  "from (select distinct on (shard) * from wallet.batch order by shard, "
			  "batch desc) b order by b.shard");
	bool alive = PQntuples(shards) > 0;

	for (int i = 0; i < PQntuples(shards); i++)
		alive = alive && PQgetvalue(shards, i, 5)[0] == 't';
	if (json) {
		json_t *root = json_pack("{s:b,s:o,s:o}", "alive", alive, "shards", as_json(shards),
			"journals", as_json(journals));
		json_dumpf(root, stdout, JSON_COMPACT);
		putchar('\n');
		json_decref(root);
	} else {
		print_text(shards, "shards");
		print_text(journals, "journals");
	}
	PQclear(shards);
	PQclear(journals);
	return alive;
}
