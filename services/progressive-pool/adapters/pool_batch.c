/* Contributions to many pools, written at once. */
#include "services/progressive-pool/adapters/pool_batch.h"

#include "libcommon/io/pg_rows.h"

enum { P_POOL, P_STATE, P_T, P_CONTRIBUTIONS, P_JP_POOL, P_JP_RESERVE, P_VERSION, P_FACT_SEQ, P_N };
enum { V_POOL, V_SHARD, V_TALLY, V_TOTAL, V_SEQ, V_INCARNATION, V_N };

static struct pg_rows pools = { .columns = P_N };
static struct pg_rows vectors = { .columns = V_N };

/* Changes of a row's terms, hits, seeds and transfers set rows_dirty or queue something else to
 * write. Without those the other accounts have not changed. */
static bool quiet(const struct pool_instance *instance)
{
	return instance->stored && !instance->rows_dirty && instance->hit_count == 0 &&
	       instance->removed_count == 0 && instance->actions.n == 0 &&
	       instance->transfers.out_n == 0 && instance->transfers.in_n == 0 &&
	       !instance->created.fresh && instance->part_n == 0;
}

static void take_vector(struct pool_source *source)
{
	for (uint32_t i = 0; i < source->vector.entry_count; i++) {
		struct pool_vector_entry *entry = &source->vector.entry[i];
		if (!entry->dirty)
			continue;
		pg_rows_begin(&vectors);
		pg_rows_int(&vectors, V_POOL, source->pool);
		pg_rows_int(&vectors, V_SHARD, entry->shard);
		pg_rows_int(&vectors, V_TALLY, entry->tally);
		pg_rows_int(&vectors, V_TOTAL, (int64_t)entry->total_minor);
		pg_rows_int(&vectors, V_SEQ, (int64_t)entry->seq);
		pg_rows_int(&vectors, V_INCARNATION, source->incarnation[entry->shard]);
		pg_rows_end(&vectors);
		entry->dirty = false;
	}
}

bool pool_batch_take(struct pool_instance *instance)
{
	const struct pool *pool = &instance->pool;
	if (!quiet(instance))
		return false;
	pg_rows_begin(&pools);
	pg_rows_int(&pools, P_POOL, pool->number);
	pg_rows_text(&pools, P_STATE, pool_state_text(pool->state));
	pg_rows_int128(&pools, P_T, pool->t_e18);
	pg_rows_int128(&pools, P_CONTRIBUTIONS, pool->books.contributions.e27);
	pg_rows_int128(&pools, P_JP_POOL, pool->books.jp_pool.e27);
	pg_rows_int128(&pools, P_JP_RESERVE, pool->books.jp_reserve.e27);
	pg_rows_int(&pools, P_VERSION, (int64_t)instance->version);
	pg_rows_int(&pools, P_FACT_SEQ, (int64_t)instance->fact_seq);
	pg_rows_end(&pools);
	take_vector(&instance->source);
	instance->dirty = false;
	return true;
}

void pool_batch_save(PGconn *conn)
{
	pg_rows_run(&pools, conn,
		"update pool.pool p set state = e.state, t_e18 = e.t_e18, contributions_e27 = "
		"e.contributions_e27, jp_pool_e27 = e.jp_pool_e27, jp_reserve_e27 = "
		"e.jp_reserve_e27, version = e.version, fact_seq = e.fact_seq, updated = now() "
		"from unnest($1::integer[], $2::text[], $3::numeric[], $4::numeric[], "
		"$5::numeric[], $6::numeric[], $7::bigint[], $8::bigint[]) as e(pool, state, t_e18, "
		"contributions_e27, jp_pool_e27, jp_reserve_e27, version, fact_seq) where p.pool = "
		"e.pool");
	pg_rows_run(&vectors, conn,
		"insert into pool.vector (pool, shard, tally, total, seq, incarnation) select "
		"e.pool, e.shard, e.tally, e.total, e.seq, e.incarnation from unnest($1::integer[], "
		"$2::integer[], $3::integer[], $4::bigint[], $5::bigint[], $6::integer[]) as e(pool, "
		"shard, tally, total, seq, incarnation) on conflict (pool, shard, tally) do update "
		"set total = excluded.total, seq = excluded.seq, incarnation = excluded.incarnation");
}
