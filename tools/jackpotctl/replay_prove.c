/* The end of a replay against the tables: the state of now, and each running total against the
 * wallet's own rows. */
#include "tools/jackpotctl/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char pool_sql[] =
	"select p.t_e18, p.state, p.hits, p.contributions_e27, p.jp_pool_e27, p.jp_reserve_e27, "
	"p.jp_seed_e27, p.house_seed_e27, p.paid_e27, p.received_e27, p.sent_e27, (select count(*) "
	"from pool.hit h where h.pool = p.pool), (select coalesce(max(h.hit), 0) from pool.hit h "
	"where h.pool = p.pool), (select format('event %s', e.event) from pool.event e where e.pool = "
	"p.pool and e.action is not null and not exists (select from pool.operator_action a where "
	"a.id = e.action and a.pool = e.pool and a.done) order by e.event limit 1) from pool.pool p "
	"where p.pool = $1::integer";

static const char rows_sql[] =
	"select currency, coin_minor, exponent, seed_minor, row_rate_nano, share_nano, w_e18, r_e27, "
	"hits, (next_seed_minor is not null)::integer, coalesce(next_seed_minor, 0), "
	"coalesce(next_row_rate_nano, 0), coalesce(next_share_nano, 0) from pool.row where pool = "
	"$1::integer";

static int64_t number(const PGresult *rows, int i, int column)
{
	return (int64_t)replay_int128(rows, i, column);
}

static void read_pool(const PGresult *row, uint32_t pool_number, struct pool *pool_r)
{
	pool_begin(pool_r, pool_number);
	pool_r->t_e18 = replay_int128(row, 0, 0);
	(void)pool_state_parse(PQgetvalue(row, 0, 1), &pool_r->state);
	pool_r->hits = (uint64_t)number(row, 0, 2);
	pool_r->books = (struct pool_books){
		.contributions = { replay_int128(row, 0, 3) },
		.jp_pool = { replay_int128(row, 0, 4) },
		.jp_reserve = { replay_int128(row, 0, 5) },
		.jp_seed = { replay_int128(row, 0, 6) },
		.house_seed = { replay_int128(row, 0, 7) },
		.paid = { replay_int128(row, 0, 8) },
		.received = { replay_int128(row, 0, 9) },
		.sent = { replay_int128(row, 0, 10) },
	};
}

static void read_rows(const PGresult *rows, struct pool *pool)
{
	for (int i = 0; i < PQntuples(rows) && pool->row_count < POOL_ROWS_MAX; i++)
		pool->row[pool->row_count++] = (struct pool_row){
			.currency = (uint32_t)number(rows, i, 0),
			.coin_minor = number(rows, i, 1),
			.exponent = (uint32_t)number(rows, i, 2),
			.terms = { number(rows, i, 3), number(rows, i, 4), number(rows, i, 5) },
			.w_e18 = replay_int128(rows, i, 6),
			.r = { replay_int128(rows, i, 7) },
			.hits = (uint64_t)number(rows, i, 8),
			.next_waits = number(rows, i, 9) != 0,
			.next = { number(rows, i, 10), number(rows, i, 11), number(rows, i, 12) },
		};
}

static bool tables_same(struct replay *replay)
{
	static struct pool stored;
	char pool[16], where[POOL_WHERE_MAX];
	const char *parameters[] = { pool };
	(void)snprintf(pool, sizeof(pool), "%u", replay->number);
	PGresult *row = replay_query(replay, pool_sql, 1, parameters);
	PGresult *rows = replay_query(replay, rows_sql, 1, parameters);
	bool good = true;
	if (PQntuples(row) == 0) {
		good = replay->events == 0 ||
		       replay_differs(replay, "no such pool", "the pool of these events",
			       "pool.pool %u", replay->number);
	} else {
		read_pool(row, replay->number, &stored);
		read_rows(rows, &stored);
		if (!pool_same(&stored, &replay->pool, where))
			good = replay_differs(replay, "another value",
				"the value that the events lead to",
				"pool.pool and pool.row %u, %s", replay->number, where);
		else if (number(row, 0, 11) != number(row, 0, 2) ||
			 number(row, 0, 12) != number(row, 0, 2))
			good = replay_differs(replay, PQgetvalue(row, 0, 11), PQgetvalue(row, 0, 2),
				"pool.hit %u, number of hits", replay->number);
		else if (!PQgetisnull(row, 0, 13))
			good = replay_differs(replay, "no such action, or one that was refused",
				"an action that was done", "pool.operator_action, %s",
				PQgetvalue(row, 0, 13));
	}
	PQclear(row);
	PQclear(rows);
	return good;
}

/* ---- totals
 * -------------------------------------------------------------------------------------------------------
 */

struct text {
	char *bytes;
	size_t n, room;
};

static void add(struct text *text, uint64_t value)
{
	if (text->room - text->n < 32) {
		text->room = text->room * 2 + 256;
		text->bytes = realloc(text->bytes, text->room);
		if (text->bytes == NULL)
			exit(2);
	}
	text->n += (size_t)snprintf(text->bytes + text->n, text->room - text->n, "%c%" PRIu64,
		text->n == 0 ? '{' : ',', value);
}

static void close_array(struct text *text)
{
	if (text->n == 0)
		add(text, 0);
	text->bytes[text->n++] = '}';
	text->bytes[text->n] = '\0';
}

/* The recorded totals as arrays of SQL. */
void replay_arrays(const struct replay *replay, char *arrays_r[4])
{
	struct text arrays[4] = { { 0 } };
	for (size_t i = 0; i < replay->totals_n; i++) {
		const struct replay_total *total = &replay->totals[i];
		add(&arrays[0], total->shard);
		add(&arrays[1], total->tally);
		add(&arrays[2], total->total);
		add(&arrays[3], total->seq);
	}
	for (int k = 0; k < 4; k++) {
		close_array(&arrays[k]);
		arrays_r[k] = arrays[k].bytes;
	}
}

/* Stakes in the wallet's rows up to the one after which the total was told. A journal whose first
 * rows have left the database can only be looked at from there on: then it may say less, never
 * more. */
static const char journal_sql[] =
	"with v as (select * from unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[]) as "
	"v(shard, tally, total, seq) where tally <> 0), "
	"begins as (select s.shard, (select min(j.seq) from wallet.journal j where j.shard = s.shard) "
	"as first from (select distinct shard from v) s), "
	"sums as (select v.shard, v.tally, sum(j.stake) as stakes from wallet.journal j cross join "
	"lateral unnest(j.tallies) t(tally) join v on v.shard = j.shard and v.tally = t.tally and "
	"j.seq <= v.seq where j.refusal = 0 group by 1, 2) "
	"select format('shard %s, tally %s, up to row %s', v.shard, v.tally, v.seq), v.total, "
	"coalesce(s.stakes, 0) from v join begins b using (shard) left join sums s using (shard, "
	"tally) where case when b.first > 1 then v.total < coalesce(s.stakes, 0) else v.total <> "
	"coalesce(s.stakes, 0) end order by 1 limit 1";

static const char vector_sql[] =
	"with v as (select * from unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[]) as "
	"v(shard, tally, total, seq) where tally <> 0) select format('shard %s, tally %s', "
	"coalesce(v.shard, p.shard), coalesce(v.tally, p.tally)), format('%s at row %s', p.total, "
	"p.seq), format('%s at row %s', v.total, v.seq) from v full join (select * from pool.vector "
	"where pool = $5::integer) p using (shard, tally) where (v.total, v.seq) is distinct from "
	"(p.total, p.seq) order by 1 limit 1";

static bool compared(struct replay *replay, const char *sql, int n, const char *const *parameters,
	const char *what)
{
	PGresult *rows = replay_query(replay, sql, n, parameters);
	bool good = PQntuples(rows) == 0 ||
		    replay_differs(replay, PQgetvalue(rows, 0, 1), PQgetvalue(rows, 0, 2), "%s, %s",
			    what, PQgetvalue(rows, 0, 0));
	PQclear(rows);
	return good;
}

bool replay_prove(struct replay *replay, bool whole)
{
	char *arrays[4];
	char pool[16];
	replay_arrays(replay, arrays);
	(void)snprintf(pool, sizeof(pool), "%u", replay->number);
	const char *parameters[] = { arrays[0], arrays[1], arrays[2], arrays[3], pool };
	bool good =
		compared(replay, journal_sql, 4, parameters, "total against the wallet's journal");
	if (good && whole)
		good = compared(replay, vector_sql, 5, parameters, "pool.vector") &&
		       tables_same(replay);
	for (int k = 0; k < 4; k++)
		free(arrays[k]);
	return good;
}
