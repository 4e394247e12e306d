/* Archive, proof and end of the journal's leaves. The order is what makes it safe: a file is whole,
 * on the disk and compared with the rows before wallet.leaf says so; rows are carried over and
 * count as gone before their table is touched; a table goes only when its file has just been read
 * once more. */
#include "tools/jackpotctl/partitions.h"

#include "tools/jackpotctl/archive_file.h"
#include "tools/jackpotctl/rows_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SQL_ROOM 1024
#define DROP_TRIES_MAX 600
#define DROP_PAUSE_NS 100000000

struct partition {
	const char *shard, *day, *state, *table; /* of the result that lists them */
	const char *archive, *digest;		 /* "": none yet */
	const char *first_seq, *last_seq, *rows;
	bool old, there;
	json_t *document; /* gets what was done; NULL: that is printed */
};

static bool told(const struct partition *partition, const char *what, const char *why)
{
	fprintf(stderr, "jackpotctl: partition of shard %s, day %s: %s: %s\n", partition->shard,
		partition->day, what, why);
	return false;
}

static bool run(PGconn *conn, const struct partition *partition, const char *sql, int n,
	const char *const *parameters)
{
	PGresult *result = PQexecParams(conn, sql, n, NULL, parameters, NULL, NULL, 0);
	ExecStatusType status = PQresultStatus(result);
	bool done = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;

	if (!done)
		(void)told(partition, "Postgres", PQresultErrorMessage(result));
	PQclear(result);
	return done;
}

/* ---- the rows ---- */

/* The rows as they are now make the head that was kept when the leaf was closed. The same bytes as
 * chain_digest of the wallet. */
static bool chain_proven(PGconn *conn, const struct partition *partition)
{
	static const char sql[] =
		"with b as (select b.batch, b.first_seq, b.last_seq, b.digest, coalesce(lag(b.digest) "
		"over (order by b.batch), l.before) as before from wallet.leaf l join wallet.batch b "
		"on b.shard = l.shard and b.batch between l.first_batch and l.last_batch where "
		"l.shard = $1 and l.day = $2::date), "
		"made as (select b.*, sha256(b.before || (select string_agg("
		"int8send(seq) || int8send(player) || int8send(kind) || int8send(move) || "
		"int8send(round) || int8send(game) || int8send(mode) || int8send(refusal) || "
		"int8send(currency) || int8send(release) || int8send(stake) || "
		"int8send(win_balance) || int8send(win_pending) || int8send(forfeit) || "
		"int8send(amount) || int8send(balance_after) || int8send(pending_after) || "
		"int8send(prev_seq) || int8send(claims) || int8send(coalesce(last_move, move)) || "
		"timestamptz_send(time) || int4send(length(array_to_string(tallies, ','))) || "
		"convert_to(array_to_string(tallies, ','), 'UTF8') || "
		"int4send(coalesce(length(request_id), 0)) || coalesce(request_id, '') || "
		"int4send(coalesce(length(outside_id), 0)) || coalesce(outside_id, '') || "
		"int4send(coalesce(length(record), 0)) || coalesce(record, ''), ''::bytea order by "
		"seq) from wallet.journal j where j.shard = $1 and j.day = $2::date and j.seq between "
		"b.first_seq and b.last_seq)) as made from b) "
		"select count(*) filter (where digest is distinct from made), (select digest from b "
		"order by batch desc limit 1) is not distinct from (select head from wallet.leaf "
		"where shard = $1 and day = $2::date) from made";
	const char *parameters[] = { partition->shard, partition->day };
	PGresult *result = PQexecParams(conn, sql, 2, NULL, parameters, NULL, NULL, 0);
	bool proven = PQresultStatus(result) == PGRES_TUPLES_OK &&
		      strcmp(PQgetvalue(result, 0, 0), "0") == 0 &&
		      PQgetvalue(result, 0, 1)[0] == 't';

	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		(void)told(partition, "Postgres", PQresultErrorMessage(result));
	else if (!proven)
		(void)told(partition, "chain",
			"the digest of the rows differs from the stored head; run jackpotctl "
			"ledger verify");
	PQclear(result);
	return proven;
}

/* ---- steps ---- */

static bool noted(PGconn *conn, const struct partition *partition, const struct archive_file *file)
{
	char bytes[24];
	const char *parameters[] = { partition->shard, partition->day, file->path, bytes,
		file->digest };

	(void)snprintf(bytes, sizeof(bytes), "%" PRIu64, file->bytes);
	return run(conn, partition,
		"select wallet.leaf_archived($1, $2::date, $3, $4, decode($5, 'hex'))", 5,
		parameters);
}

static bool archive(PGconn *conn, const struct partition *partition, const char *folder)
{
	static struct archive_file file;
	char sql[SQL_ROOM];

	(void)snprintf(sql, sizeof(sql),
		"copy (select * from wallet.%s order by seq) to stdout (format binary)",
		partition->table);
	if (!run(conn, partition, "begin transaction isolation level repeatable read, read only", 0,
		    NULL))
		return false;
	bool good =
		(chain_proven(conn, partition) && archive_write(conn, sql, partition->rows, folder,
							  partition->table, &file)) ||
		told(partition, "archive", "was not written; the partition stays in the database");
	if (!run(conn, partition, "commit", 0, NULL) || !good)
		return false;
	if (!archive_settle(folder, &file) || !noted(conn, partition, &file))
		return false;
	if (partition->document != NULL)
		json_array_append_new(json_object_get(partition->document, "archived"),
			json_pack("{s:s,s:s,s:s,s:s,s:s,s:s}", "shard", partition->shard, "day",
				partition->day, "rows", partition->rows, "first_seq",
				partition->first_seq, "last_seq", partition->last_seq, "file",
				file.path));
	else
		printf("shard %s, day %s: %s rows (seq %s to %s) archived and proven: %s\n",
			partition->shard, partition->day, partition->rows, partition->first_seq,
			partition->last_seq, file.path);
	return true;
}

/* The file must be as good as on its first day. What is carried over counts from the moment on in
 * which the leaf counts as dropped. */
static bool carry(PGconn *conn, const struct partition *partition)
{
	const char *parameters[] = { partition->shard, partition->day };

	return archive_proven(partition->archive, partition->digest) &&
	       run(conn, partition, "select wallet.leaf_drop($1, $2::date)", 2, parameters);
}

/* The server waits for its lock for a moment only, so that the wallet, which writes other leaves of
 * the shard, never waits long behind us: whoever reads the leaf now is waited for here. */
static bool table_drop(PGconn *conn, const struct partition *partition)
{
	const char *parameters[] = { partition->shard, partition->day };

	for (int tries = 0;; tries++) {
		PGresult *result = PQexecParams(conn, "select wallet.leaf_remove($1, $2::date)", 2,
			NULL, parameters, NULL, NULL, 0);
		const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
		bool good = PQresultStatus(result) == PGRES_TUPLES_OK;
		bool busy = state != NULL && strcmp(state, "55P03") == 0 && tries < DROP_TRIES_MAX;

		if (!good && !busy)
			(void)told(partition, "drop", PQerrorMessage(conn));
		PQclear(result);
		if (good)
			break;
		if (!busy)
			return false;
		(void)nanosleep(&(struct timespec){ .tv_nsec = DROP_PAUSE_NS }, NULL);
	}
	if (partition->document != NULL)
		json_array_append_new(json_object_get(partition->document, "dropped"),
			json_pack("{s:s,s:s,s:s,s:s}", "shard", partition->shard, "day",
				partition->day, "rows", partition->rows, "file",
				partition->archive));
	else
		printf("shard %s, day %s: dropped, %s rows are in %s\n", partition->shard,
			partition->day, partition->rows, partition->archive);
	return true;
}

static bool leaf_close(
	PGconn *conn, const struct partition *partition, const struct partitions_options *options)
{
	if (strcmp(partition->state, "closed") == 0)
		return archive(conn, partition, options->archive);
	if (strcmp(partition->state, "archived") == 0 && partition->old)
		return carry(conn, partition) && table_drop(conn, partition);
	if (strcmp(partition->state, "dropped") == 0 && partition->there)
		return table_drop(conn, partition);
	return true;
}

/* Oldest first: a leaf may be dropped only when none before it is left. */
static PGresult *partitions_list(PGconn *conn, const struct partitions_options *options)
{
	static const char sql[] =
		"select l.shard, l.day, l.state, n.name, coalesce(l.archive, ''), "
		"coalesce(encode(l.archive_digest, 'hex'), ''), l.first_seq, l.last_seq, l.rows, "
		"$1::integer > 0 and l.day < m.newest - $1::integer, "
		"to_regclass('wallet.' || n.name) is not null "
		"from wallet.leaf l join (select shard, max(day) as newest from wallet.leaf group by "
		"shard) m using (shard), lateral (select format('journal_%s_%s', l.shard, "
		"to_char(l.day, 'YYYYMMDD')) as name) n where l.state <> 'open' order by l.shard, "
		"l.day";
	char days[24];
	const char *parameters[] = { days };

	(void)snprintf(days, sizeof(days), "%ld", options->retain_days);
	return PQexecParams(conn, sql, 1, NULL, parameters, NULL, NULL, 0);
}

static bool pass(PGconn *conn, const struct partitions_options *options, json_t *document)
{
	PGresult *result = partitions_list(conn, options);
	bool good = PQresultStatus(result) == PGRES_TUPLES_OK;

	if (!good)
		fprintf(stderr, "jackpotctl: %s", PQerrorMessage(conn));
	for (int i = 0; good && i < PQntuples(result); i++) {
		const char *values[9];
		for (int j = 0; j < 9; j++)
			values[j] = PQgetvalue(result, i, j);
		struct partition partition = { .shard = values[0],
			.day = values[1],
			.state = values[2],
			.table = values[3],
			.archive = values[4],
			.digest = values[5],
			.first_seq = values[6],
			.last_seq = values[7],
			.rows = values[8],
			.old = PQgetvalue(result, i, 9)[0] == 't',
			.there = PQgetvalue(result, i, 10)[0] == 't',
			.document = document };
		good = leaf_close(conn, &partition, options);
	}
	PQclear(result);
	return good;
}

/* Partitions of days that are over, which only their wallet can close. */
static void open_told(PGconn *conn, json_t *document)
{
	PGresult *result = PQexec(conn,
		"select count(*) as partitions, min(day) as first_day from wallet.leaf l where state = "
		"'open' and exists (select from wallet.leaf n where n.shard = l.shard and n.day > "
		"l.day)");
	bool known = PQresultStatus(result) == PGRES_TUPLES_OK;

	if (known && document != NULL)
		json_object_set_new(document, "waiting", rows_json(result));
	else if (known && strcmp(PQgetvalue(result, 0, 0), "0") != 0)
		printf("%s partitions, from day %s on, wait for their wallet to close them\n",
			PQgetvalue(result, 0, 0), PQgetvalue(result, 0, 1));
	PQclear(result);
}

bool partitions_close(PGconn *conn, const struct partitions_options *options)
{
	json_t *document = options->json ? json_pack("{s:[],s:[]}", "archived", "dropped") : NULL;
	/* What the first pass archives, the second may drop. */
	bool good = archive_folder(options->archive) && pass(conn, options, document) &&
		    (options->retain_days == 0 || pass(conn, options, document));

	if (good)
		open_told(conn, document);
	if (document != NULL)
		json_print(document);
	return good;
}
