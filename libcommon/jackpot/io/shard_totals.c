#include "libcommon/jackpot/io/shard_totals.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg_args.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_AT_ONCE 10000

/* One tally of the pool: its stored total, then with the rows behind that. */
struct total {
	uint32_t tally;
	uint64_t minor, seq;
	bool told; /* goes into the message */
};

struct totals {
	struct total *at;
	size_t n, room;
	uint64_t seq; /* of the newest row that is included */
};

static PGresult *look(struct pg_args *args, PGconn *conn, const char *sql)
{
	PGresult *result = pg_try(conn, sql, args->n, args->value);
	args->n = 0;
	if (PQstatus(conn) != CONNECTION_OK)
		pg_fatal(conn, result, "the connection was lost");
	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		return result;
	log_error_as("jackpot.totals.query_failed", "the wallet's totals cannot be read: %s",
		PQresultErrorMessage(result));
	PQclear(result);
	return NULL;
}

static struct total *find(struct totals *totals, uint32_t tally)
{
	for (size_t i = 0; i < totals->n; i++)
		if (totals->at[i].tally == tally)
			return &totals->at[i];
	return NULL;
}

static void add(struct totals *totals, struct total total)
{
	if (totals->n == totals->room) {
		totals->room = totals->room == 0 ? 64 : totals->room * 2;
		totals->at = realloc(totals->at, totals->room * sizeof(*totals->at));
		if (totals->at == NULL)
			fatal("out of memory: %zu totals", totals->room);
	}
	totals->at[totals->n++] = total;
}

/* The wallet's own starting point after a crash: rows up to it are in wallet.tally_total. */
static bool read_checkpoint(PGconn *conn, uint32_t shard, uint64_t *seq_r)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, shard);
	PGresult *row = look(&args, conn,
		"select checkpoint from wallet.batch where shard = $1 order by batch desc limit 1");
	if (row == NULL)
		return false;
	*seq_r = PQntuples(row) == 1 ? pg_u64(row, 0, 0) : 0;
	PQclear(row);
	return true;
}

static bool read_stored(
	const struct pool_source *source, PGconn *conn, uint32_t shard, struct totals *totals)
{
	struct pg_args args = { 0 };
	char sql[400];
	(void)snprintf(sql, sizeof(sql),
		"select w.tally, w.total, w.seq, (w.total > greatest(0, (select max(total) from "
		"%s.vector v where v.pool = $2 and v.shard = w.shard and v.tally = w.tally)))"
		"::integer from wallet.tally_total w join pool.tally t on t.id = w.tally "
		"where w.shard = $1 and t.pool = $2",
		source->schema);
	pg_args_int(&args, shard);
	pg_args_int(&args, source->pool);
	PGresult *rows = look(&args, conn, sql);
	for (int i = 0; rows != NULL && i < PQntuples(rows); i++) {
		struct total total = { pg_u32(rows, i, 0), pg_u64(rows, i, 1), pg_u64(rows, i, 2),
			pg_number(rows, i, 3) != 0 };
		total.told = total.told || pool_vector_tally(&source->vector, total.tally) != NULL;
		if (total.seq > totals->seq)
			totals->seq = total.seq;
		add(totals, total);
	}
	bool read = rows != NULL;
	PQclear(rows);
	return read;
}

/* Tallies of the pool that have no stored total yet: their stakes are all behind the checkpoint. */
static bool add_new(
	const struct pool_source *source, PGconn *conn, uint64_t checkpoint, struct totals *totals)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, source->pool);
	PGresult *rows = look(&args, conn, "select id from pool.tally where pool = $1");
	for (int i = 0; rows != NULL && i < PQntuples(rows); i++) {
		uint32_t id = pg_u32(rows, i, 0);
		if (find(totals, id) == NULL)
			add(totals, (struct total){ .tally = id, .seq = checkpoint });
	}
	bool read = rows != NULL;
	PQclear(rows);
	return read;
}

/* "{7,12}" */
static void count_row(struct totals *totals, uint64_t seq, uint64_t stake, const char *tallies)
{
	for (const char *at = tallies + 1; *at != '\0' && *at != '}';) {
		char *end;
		struct total *total = find(totals, (uint32_t)strtoul(at, &end, 10));
		if (total != NULL && seq > total->seq) {
			total->minor += stake;
			total->told = true;
		}
		at = *end == ',' ? end + 1 : end;
	}
}

/* Rows are committed in order and without a gap, so the last one read says how far the totals
 * go. */
static bool count_rows(PGconn *conn, uint32_t shard, uint64_t checkpoint, struct totals *totals)
{
	uint64_t next = checkpoint + 1;
	for (int n = ROWS_AT_ONCE; n == ROWS_AT_ONCE;) {
		struct pg_args args = { 0 };
		pg_args_int(&args, shard);
		pg_args_int(&args, (int64_t)next);
		pg_args_int(&args, INT64_MAX);
		pg_args_int(&args, ROWS_AT_ONCE);
		PGresult *rows = look(&args, conn,
			"select j.seq, j.stake, j.tallies from wallet.rows_between($1, $2, $3, $4) "
			"j");
		if (rows == NULL)
			return false;
		n = PQntuples(rows);
		for (int i = 0; i < n; i++) {
			uint64_t seq = pg_u64(rows, i, 0);
			count_row(totals, seq, pg_u64(rows, i, 1), PQgetvalue(rows, i, 2));
			next = seq + 1;
			if (seq > totals->seq)
				totals->seq = seq;
		}
		PQclear(rows);
	}
	return true;
}

static bool read_incarnation(PGconn *conn, uint32_t shard, uint32_t *incarnation_r)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, shard);
	PGresult *row = look(&args, conn,
		"select incarnation from carillon.shard where service = 'wallet' and shard = $1");
	bool found = row != NULL && PQntuples(row) == 1;
	if (found)
		*incarnation_r = pg_u32(row, 0, 0);
	PQclear(row);
	return found;
}

static void *grab(size_t bytes)
{
	void *memory = malloc(bytes);
	if (memory == NULL)
		fatal("out of memory: %zu bytes of totals", bytes);
	return memory;
}

static Carillon__JackpotFeed *message(const struct pool_source *source, uint32_t shard,
	uint32_t incarnation, const struct totals *totals)
{
	Carillon__JackpotFeed *feed = grab(sizeof(*feed));
	carillon__jackpot_feed__init(feed);
	feed->envelope = grab(sizeof(*feed->envelope));
	carillon__envelope__init(feed->envelope);
	feed->envelope->schema = 1;
	feed->envelope->incarnation = incarnation;
	feed->envelope->seq = totals->seq;
	feed->pool = source->pool;
	feed->shard = shard;
	feed->totals = grab((totals->n + 1) * sizeof(Carillon__TallyTotal *));
	for (size_t i = 0; i < totals->n; i++) {
		if (!totals->at[i].told)
			continue;
		Carillon__TallyTotal *total = grab(sizeof(*total));
		carillon__tally_total__init(total);
		total->tally = totals->at[i].tally;
		total->total_minor = totals->at[i].minor;
		feed->totals[feed->n_totals++] = total;
	}
	return feed;
}

/* The order matters: the checkpoint is read first, the rows last. What is committed in between is
 * then counted once: a total says by its seq which rows it holds. */
Carillon__JackpotFeed *shard_totals_read(
	const struct pool_source *source, PGconn *conn, uint32_t shard)
{
	Carillon__JackpotFeed *feed = NULL;
	struct totals totals = { 0 };
	uint64_t checkpoint;
	uint32_t incarnation;

	if (read_checkpoint(conn, shard, &checkpoint) &&
		read_stored(source, conn, shard, &totals) &&
		add_new(source, conn, checkpoint, &totals) &&
		count_rows(conn, shard, checkpoint, &totals) &&
		read_incarnation(conn, shard, &incarnation)) {
		if (checkpoint > totals.seq)
			totals.seq = checkpoint;
		feed = message(source, shard, incarnation, &totals);
	}
	free(totals.at);
	return feed;
}
