#include "tools/jackpotctl/rollups.h"

#include "tools/jackpotctl/archive_file.h"
#include "tools/jackpotctl/rows_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define EXIT_USAGE 2
#define CHUNK_BYTES 65536

struct leaf {
	const char *shard, *day, *table, *archive, *digest;
	bool dropped;
	json_t *differing; /* gets a leaf whose sums differed; NULL: that is printed */
};

static bool told(const struct leaf *leaf, const char *why)
{
	fprintf(stderr, "jackpotctl: rollups: shard %s, day %s: %s\n", leaf->shard, leaf->day, why);
	return false;
}

static bool run(PGconn *conn, const struct leaf *leaf, const char *sql)
{
	PGresult *result = PQexec(conn, sql);
	bool good = PQresultStatus(result) == PGRES_COMMAND_OK;

	if (!good)
		(void)told(leaf, PQresultErrorMessage(result));
	PQclear(result);
	return good;
}

/* ---- rows that are only in the archive ---- */

static bool chunks_send(PGconn *conn, gzFile in)
{
	static char chunk[CHUNK_BYTES];
	int n;

	while ((n = gzread(in, chunk, CHUNK_BYTES)) > 0)
		if (PQputCopyData(conn, chunk, n) != 1)
			return false;
	return n == 0 && PQputCopyEnd(conn, NULL) == 1;
}

static bool copy_ended(PGconn *conn, const struct leaf *leaf)
{
	PGresult *result;
	bool good = true;

	while ((result = PQgetResult(conn)) != NULL) {
		if (PQresultStatus(result) != PGRES_COMMAND_OK)
			good = told(leaf, PQresultErrorMessage(result));
		PQclear(result);
	}
	return good;
}

/* The file, once it is proven, as a table that ends with the transaction. */
static bool archive_read(PGconn *conn, const struct leaf *leaf)
{
	PGresult *result;
	gzFile in;
	bool good;

	if (!archive_proven(leaf->archive, leaf->digest) ||
		!run(conn, leaf,
			"create temp table rollup_source (like wallet.journal) on commit drop"))
		return false;
	in = gzopen(leaf->archive, "rb");
	if (in == NULL)
		return told(leaf, "the archived file cannot be opened");
	result = PQexec(conn, "copy pg_temp.rollup_source from stdin (format binary)");
	good = PQresultStatus(result) == PGRES_COPY_IN;
	PQclear(result);
	good = good && chunks_send(conn, in);
	(void)gzclose(in);
	if (!good)
		return told(leaf, PQerrorMessage(conn));
	return copy_ended(conn, leaf) &&
	       run(conn, leaf, "create index on pg_temp.rollup_source (shard, seq)");
}

/* ---- a partition ---- */

static bool sums_made(PGconn *conn, const struct leaf *leaf, bool *differs_r)
{
	char source[128];
	const char *parameters[] = { source, leaf->shard, leaf->day };
	PGresult *result;
	bool good;

	(void)snprintf(source, sizeof(source), "%s",
		leaf->dropped ? "pg_temp.rollup_source" : leaf->table);
	result = PQexecParams(conn,
		"select rows, differs from gateway.rollup_rebuild($1, $2::integer, $3::date)", 3,
		NULL, parameters, NULL, NULL, 0);
	good = PQresultStatus(result) == PGRES_TUPLES_OK;
	*differs_r = good && PQgetvalue(result, 0, 1)[0] == 't';
	if (!good)
		(void)told(leaf, PQresultErrorMessage(result));
	else if (*differs_r && leaf->differing != NULL)
		json_array_append_new(
			leaf->differing, json_pack("{s:s,s:s,s:s}", "shard", leaf->shard, "day",
						 leaf->day, "rows", PQgetvalue(result, 0, 0)));
	else if (*differs_r)
		printf("shard %s, day %s: the sums of %s rows differed\n", leaf->shard, leaf->day,
			PQgetvalue(result, 0, 0));
	PQclear(result);
	return good;
}

/* In one transaction, so that a reader sees either all old sums or all new ones. */
static bool leaf_run(PGconn *conn, const struct leaf *leaf, bool keep, bool *differs_r)
{
	bool good;

	*differs_r = false;
	if (!run(conn, leaf, "begin"))
		return false;
	good = (!leaf->dropped || archive_read(conn, leaf)) && sums_made(conn, leaf, differs_r);
	return run(conn, leaf, good && keep ? "commit" : "rollback") && good;
}

static PGresult *leaves_list(PGconn *conn, const char *day)
{
	const char *parameters[] = { day };
	PGresult *result = PQexecParams(conn,
		"select l.shard, l.day, 'wallet.' || wallet.leaf_name(l.shard, l.day), "
		"coalesce(l.archive, ''), coalesce(encode(l.archive_digest, 'hex'), ''), "
		"l.state = 'dropped' from wallet.leaf l where $1::date is null or l.day = "
		"$1::date order by l.day, l.shard",
		1, NULL, parameters, NULL, NULL, 0);

	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		return result;
	fprintf(stderr, "jackpotctl: rollups: %s", PQerrorMessage(conn));
	exit(EXIT_USAGE);
}

bool rollups_run(PGconn *conn, const char *day, bool keep, bool json)
{
	json_t *list = json ? json_array() : NULL;
	PGresult *result = leaves_list(conn, day);
	int differing = 0, failed = 0;

	for (int i = 0; i < PQntuples(result); i++) {
		bool differs;
		struct leaf leaf = { .shard = PQgetvalue(result, i, 0),
			.day = PQgetvalue(result, i, 1),
			.table = PQgetvalue(result, i, 2),
			.archive = PQgetvalue(result, i, 3),
			.digest = PQgetvalue(result, i, 4),
			.dropped = PQgetvalue(result, i, 5)[0] == 't',
			.differing = list };
		failed += !leaf_run(conn, &leaf, keep, &differs);
		differing += differs;
	}
	if (json)
		json_print(json_pack("{s:i,s:o,s:b,s:i}", "partitions", PQntuples(result),
			"differing", list, "rebuilt", keep, "failed", failed));
	else
		printf("%d partitions: the sums of %d differed%s, those of %d could not be "
		       "computed\n",
			PQntuples(result), differing, keep ? " and were computed again" : "",
			failed);
	PQclear(result);
	return failed == 0 && (keep || differing == 0);
}
