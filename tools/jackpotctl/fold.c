/* Old events of a pool. What goes has just been applied by the core and compared with everything
 * that was recorded beside it; the file is on the disk and read back before a row is deleted; and
 * the table itself lets only rows go that a fold covers (pool.event_leaves). */
#include "tools/jackpotctl/fold.h"

#include "tools/jackpotctl/archive_file.h"
#include "tools/jackpotctl/replay.h"
#include "tools/jackpotctl/rows_print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_BROKEN 1
#define EXIT_USAGE 2
#define SQL_ROOM 256

struct fold {
	char first[24], last[24], rows[24]; /* events that go */
	struct archive_file file;
};

/* Which events are old. False: none. */
static bool find_old(struct replay *replay, const char *pool, long retain_days, struct fold *fold)
{
	char days[24];
	const char *parameters[] = { pool, days };
	(void)snprintf(days, sizeof(days), "%ld", retain_days);
	PGresult *row = replay_query(replay,
		"select min(event), max(event), count(*) from pool.event where pool = $1::integer "
		"and event < (select max(event) from pool.event where pool = $1::integer) and event "
		"< coalesce((select min(event) from pool.event where pool = $1::integer and time >= "
		"(date_trunc('day', now() at time zone 'UTC') - $2::integer * interval '1 day') at "
		"time zone 'UTC'), 9223372036854775807)",
		2, parameters);
	bool found = strcmp(PQgetvalue(row, 0, 2), "0") != 0;
	(void)snprintf(fold->first, sizeof(fold->first), "%s", PQgetvalue(row, 0, 0));
	(void)snprintf(fold->last, sizeof(fold->last), "%s", PQgetvalue(row, 0, 1));
	(void)snprintf(fold->rows, sizeof(fold->rows), "%s", PQgetvalue(row, 0, 2));
	PQclear(row);
	return found;
}

static json_t *terms_json(const struct pool_terms *terms)
{
	return json_pack("{s:I, s:I, s:I}", "seed_minor", (json_int_t)terms->seed_minor,
		"row_rate_nano", (json_int_t)terms->row_rate_nano, "share_nano",
		(json_int_t)terms->share_nano);
}

/* As the service writes down the rows of a snapshot. To be freed. */
static char *rows_write(const struct pool *pool)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < pool->row_count; i++) {
		const struct pool_row *row = &pool->row[i];
		char w[AMOUNT_TEXT_MAX], r[AMOUNT_TEXT_MAX];
		json_t *json = terms_json(&row->terms);
		(void)int128_format(row->w_e18, w);
		(void)int128_format(row->r.e27, r);
		(void)json_object_update_new(json,
			json_pack("{s:I, s:I, s:I, s:I, s:s, s:s, s:o}", "currency",
				(json_int_t)row->currency, "coin_minor",
				(json_int_t)row->coin_minor, "exponent", (json_int_t)row->exponent,
				"hits", (json_int_t)row->hits, "w_e18", w, "r_e27", r, "next",
				row->next_waits ? terms_json(&row->next) : json_null()));
		(void)json_array_append_new(list, json);
	}
	char *text = json_dumps(list, JSON_COMPACT);
	json_decref(list);
	return text;
}

static void take(struct replay *replay, const char *sql, int n, const char *const *parameters,
	const char *rows)
{
	PGresult *result = replay_query(replay, sql, n, parameters);
	if (strcmp(PQcmdTuples(result), rows) != 0) {
		fprintf(stderr, "jackpotctl: pool fold: found %s rows to change, expected %s\n",
			PQcmdTuples(result), rows);
		exit(EXIT_BROKEN);
	}
	PQclear(result);
}

/* One transaction: the state is there, and the events are not. */
static void replace(struct replay *replay, const char *pool, const struct fold *fold)
{
	const struct pool *made = &replay->pool;
	const int128 amounts[] = { made->t_e18, made->books.jp_pool.e27, made->books.jp_reserve.e27,
		made->books.jp_seed.e27, made->books.house_seed.e27, made->books.paid.e27,
		made->books.received.e27, made->books.sent.e27 };
	char text[8][AMOUNT_TEXT_MAX], hits[24], bytes[24];
	char *arrays[4];
	char *rows = rows_write(made);
	for (int i = 0; i < 8; i++)
		(void)int128_format(amounts[i], text[i]);
	(void)snprintf(hits, sizeof(hits), "%" PRIu64, made->hits);
	(void)snprintf(bytes, sizeof(bytes), "%" PRIu64, fold->file.bytes);
	replay_arrays(replay, arrays);
	for (int k = 0; k < 4 && replay->totals_n == 0; k++)
		(void)snprintf(arrays[k], 3, "{}"); /* they hold a place for SQL that needs one */
	const char *parameters[] = { pool, fold->last, fold->first, replay->last_time, text[0],
		pool_state_text(made->state), hits, text[1], text[2], text[3], text[4], text[5],
		text[6], text[7], rows, arrays[0], arrays[1], arrays[2], arrays[3], fold->file.path,
		bytes, fold->file.digest };
	const char *gone[] = { pool, fold->last };
	PQclear(replay_query(replay, "begin", 0, NULL));
	take(replay,
		"insert into pool.event_fold (pool, event, first_event, time, t_e18, state, hits, "
		"jp_pool_e27, jp_reserve_e27, jp_seed_e27, house_seed_e27, paid_e27, received_e27, "
		"sent_e27, rows, shards, tallies, totals, seqs, archive, archive_bytes, "
		"archive_digest) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, "
		"$15, $16, $17, $18, $19, $20, $21, decode($22, 'hex'))",
		22, parameters, "1");
	take(replay, "delete from pool.event where pool = $1::integer and event <= $2::bigint", 2,
		gone, fold->rows);
	PQclear(replay_query(replay, "commit", 0, NULL));
	free(rows);
	for (int k = 0; k < 4; k++)
		free(arrays[k]);
}

static bool export(struct replay *replay, const char *pool, const char *archive, struct fold *fold)
{
	char sql[SQL_ROOM], name[64];
	(void)snprintf(name, sizeof(name), "event_%" PRIu32 "_%s", replay->number, fold->last);
	(void)snprintf(sql, sizeof(sql),
		"copy (select * from pool.event where pool = %s and event <= %s order by event) to "
		"stdout (format binary)",
		pool, fold->last);
	return archive_folder(archive) &&
	       archive_write(replay->conn, sql, fold->rows, archive, name, &fold->file);
}

static void fold_print(const struct fold *fold, const struct fold_options *options)
{
	bool none = fold->file.path[0] == '\0';

	if (options->json)
		json_print(json_pack("{s:s,s:s,s:s?,s:s?,s:s?}", "pool", options->pool, "events",
			fold->rows, "first", none ? NULL : fold->first, "last",
			none ? NULL : fold->last, "file", none ? NULL : fold->file.path));
	else if (none)
		printf("pool %s: nothing to fold: --retain keeps every event\n", options->pool);
	else
		printf("pool %s: %s events (%s to %s) folded, they are in %s\n", options->pool,
			fold->rows, fold->first, fold->last, fold->file.path);
}

int fold_run(PGconn *conn, const struct fold_options *options)
{
	const char *pool = options->pool;
	static struct replay replay;
	static struct fold fold;
	if (!replay_begin(&replay, conn, pool))
		return EXIT_USAGE;
	if (!find_old(&replay, pool, options->retain_days, &fold)) {
		fold_print(&fold, options);
		return 0;
	}
	bool good = replay_events(&replay, pool, NULL, fold.last) && replay_prove(&replay, false);
	if (!good)
		fprintf(stderr, "jackpotctl: pool fold: %s: found %s, expected %s\n", replay.where,
			replay.found, replay.expected);
	good = good && export(&replay, pool, options->archive, &fold);
	PQclear(replay_query(&replay, "commit", 0, NULL));
	if (!good || !archive_settle(options->archive, &fold.file))
		return EXIT_BROKEN;
	replace(&replay, pool, &fold);
	fold_print(&fold, options);
	return 0;
}
