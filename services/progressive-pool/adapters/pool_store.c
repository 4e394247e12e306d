/* Pools in Postgres. */
#include "services/progressive-pool/adapters/pool_store.h"

#include "libcommon/jackpot/io/jackpot_pg.h"
#include "libcommon/io/pg_args.h"
#include "libcommon/io/stored.h"
#include "services/progressive-pool/adapters/created_pool.h"
#include "services/progressive-pool/adapters/pool_batch.h"
#include "services/progressive-pool/adapters/transfers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct defined_terms *pool_defined(
	struct pool_instance *instance, uint32_t currency, int64_t coin_minor)
{
	for (uint32_t i = 0; i < instance->defined_count; i++)
		if (instance->defined[i].currency == currency &&
			instance->defined[i].coin_minor == coin_minor)
			return &instance->defined[i];
	return NULL;
}

/* ---- loading ---- */

static void load_rows(struct pool_instance *instance, PGconn *conn)
{
	struct pool *pool = &instance->pool;
	struct pg_args args = { 0 };
	pg_args_int(&args, pool->number);
	PGresult *rows = pg_args_query(&args, conn,
		"select currency, coin_minor, exponent, " JACKPOT_ROW_READ
		", defined_seed_minor, defined_row_rate_nano, defined_share_nano"
		" from pool.row where pool = $1 order by launched, currency, coin_minor");
	int n = PQntuples(rows);
	if (n > POOL_ROWS_MAX) {
		stored_wrong("pool.row: found %d rows of pool %u, expected at most %d", n,
			pool->number, POOL_ROWS_MAX);
		n = 0;
	}
	for (int i = 0; i < n; i++) {
		struct pool_row row = {
			.currency = pg_u32(rows, i, 0),
			.coin_minor = pg_number(rows, i, 1),
			.exponent = pg_u32(rows, i, 2),
		};
		jackpot_pg_row(rows, i, 3, &row);
		struct defined_terms defined = { row.currency, row.coin_minor,
			{ pg_number(rows, i, 13), pg_number(rows, i, 14),
				pg_number(rows, i, 15) } };
		pool->row[pool->row_count++] = row;
		instance->defined[instance->defined_count++] = defined;
	}
	PQclear(rows);
}

static bool load_pool(struct pool_instance *instance, PGconn *conn)
{
	struct pool *pool = &instance->pool;
	struct pg_args args = { 0 };
	pg_args_int(&args, pool->number);
	PGresult *row = pg_args_query(&args, conn,
		"select state, t_e18, " JACKPOT_BOOKS
		", hits, version, fact_seq, received_e27, sent_e27, id from pool.pool where pool = $1");
	bool known = PQntuples(row) == 1;
	if (known) {
		if (!pool_state_parse(PQgetvalue(row, 0, 0), &pool->state))
			stored_wrong("pool.pool %u: found state '%s', expected live, pausing, "
				     "paused or retired",
				pool->number, PQgetvalue(row, 0, 0));
		pool->t_e18 = pg_int128(row, 0, 1);
		pool->books = jackpot_books(row, 0, 2);
		(void)snprintf(instance->id, sizeof(instance->id), "%s", PQgetvalue(row, 0, 13));
		pool->books.received.e27 = pg_int128(row, 0, 11);
		pool->books.sent.e27 = pg_int128(row, 0, 12);
		pool->hits = pg_u64(row, 0, 8);
		instance->version = pg_u64(row, 0, 9);
		instance->fact_seq = pg_u64(row, 0, 10);
	}
	PQclear(row);
	return known;
}

/* Nothing may be paid from books that do not add up, or from a row that is not of this pool. */
static void check(const struct pool_instance *instance)
{
	const struct pool *pool = &instance->pool;
	const char *broken;
	char row[POOL_WHERE_MAX];
	if (!pool_rows_valid(pool, row))
		stored_wrong("pool %u: the stored rows are not valid: %s", pool->number, row);
	else if (!pool_identities_hold(pool, &broken))
		stored_wrong(
			"pool %u: the stored books violate the identity %s", pool->number, broken);
	if (instance->source.vector.t_e18 != pool->t_e18)
		stored_wrong("pool %u: the stored vector and the stored T differ", pool->number);
}

bool pool_store_load(struct pool_instance *instance, PGconn *conn)
{
	struct pool *pool = &instance->pool;
	bool known = load_pool(instance, conn);
	load_rows(instance, conn);
	transfers_load(instance, conn);
	pool_source_load(&instance->source, conn, "pool", pool->number);
	check(instance);
	return known;
}

/* ---- saving ---- */

static void rest(struct pg_args *args, const struct transfer_place *place)
{
	if (place->pool == 0) {
		for (int i = 0; i < 3; i++)
			pg_args_text(args, NULL);
		return;
	}
	pg_args_int(args, place->pool);
	pg_args_int(args, place->currency);
	pg_args_int(args, place->coin_minor);
}

static void save_pool(const struct pool_instance *instance, PGconn *conn)
{
	const struct pool *pool = &instance->pool;
	struct pg_args args = { 0 };
	pg_args_int(&args, pool->number);
	pg_args_text(&args, instance->id);
	pg_args_int(&args, instance->link.shard);
	pg_args_text(&args, pool_state_text(pool->state));
	pg_args_int128(&args, pool->t_e18);
	jackpot_args_books(&args, &pool->books);
	pg_args_int(&args, (int64_t)pool->hits);
	pg_args_int(&args, (int64_t)instance->version);
	pg_args_int(&args, (int64_t)instance->fact_seq);
	pg_args_int128(&args, pool->books.received.e27);
	pg_args_int128(&args, pool->books.sent.e27);
	rest(&args, &instance->transfers.rest);
	pg_args_run(&args, conn,
		"insert into pool.pool (pool, id, shard, state, t_e18, " JACKPOT_BOOKS
		", hits, version, fact_seq, received_e27, sent_e27,"
		" rest_pool, rest_currency, rest_coin_minor)"
		" values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, "
		"$17, $18, $19)"
		" on conflict (pool) do update set id = excluded.id, shard = excluded.shard, state "
		"= excluded.state,"
		" t_e18 = excluded.t_e18, " JACKPOT_BOOKS_SET
		", hits = excluded.hits, version = excluded.version,"
		" fact_seq = excluded.fact_seq, received_e27 = excluded.received_e27,"
		" sent_e27 = excluded.sent_e27, rest_pool = excluded.rest_pool, rest_currency = "
		"excluded.rest_currency,"
		" rest_coin_minor = excluded.rest_coin_minor, updated = now()");
}

static void save_row(struct pool_instance *instance, const struct pool_row *row, PGconn *conn)
{
	struct pg_args args = { 0 };
	const struct defined_terms *defined =
		pool_defined(instance, row->currency, row->coin_minor);
	const struct pool_terms *terms = defined != NULL ? &defined->terms : &row->terms;
	pg_args_int(&args, instance->pool.number);
	pg_args_int(&args, row->currency);
	pg_args_int(&args, row->coin_minor);
	pg_args_int(&args, row->exponent);
	jackpot_args_row(&args, row);
	pg_args_int(&args, terms->seed_minor);
	pg_args_int(&args, terms->row_rate_nano);
	pg_args_int(&args, terms->share_nano);
	pg_args_run(&args, conn,
		"insert into pool.row (pool, currency, coin_minor, exponent, " JACKPOT_ROW
		", defined_seed_minor, defined_row_rate_nano, defined_share_nano)"
		" values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, "
		"$17)"
		" on conflict (pool, currency, coin_minor) do update set exponent = "
		"excluded.exponent, " JACKPOT_ROW_SET
		", defined_seed_minor = excluded.defined_seed_minor,"
		" defined_row_rate_nano = excluded.defined_row_rate_nano,"
		" defined_share_nano = excluded.defined_share_nano");
}

static void time_us(struct pg_args *args, uint64_t us)
{
	pg_args_int(args, (int64_t)us);
}

static void save_hit(uint32_t pool, const struct hit_record *record, PGconn *conn)
{
	const struct pool_hit *hit = &record->hit;
	const struct jackpot_price price = { &hit->price, hit->seed, hit->next_seed, &hit->reseed,
		hit->t_e18, hit->w_before_e18 };
	struct pg_args args = { 0 };
	pg_args_int(&args, pool);
	pg_args_int(&args, (int64_t)hit->number);
	pg_args_int(&args, hit->claim.id.player);
	pg_args_int(&args, (int64_t)hit->claim.id.move);
	pg_args_int(&args, hit->claim.id.index);
	pg_args_int(&args, hit->claim.currency);
	pg_args_int(&args, hit->claim.coin_minor);
	pg_args_int(&args, record->stake_minor);
	jackpot_args_price(&args, &price);
	pg_args_int(&args, record->wallet_shard);
	pg_args_int(&args, (int64_t)record->wallet_seq);
	pg_args_int(&args, (int64_t)record->fact_seq);
	pg_args_int(&args, (int64_t)record->version);
	pg_args_int(&args, record->next_value_minor);
	pg_args_int(&args, record->next_seed_minor);
	pg_args_int(&args, (int64_t)record->row_hits);
	time_us(&args, record->claimed_us);
	time_us(&args, record->time_us);
	pg_args_run(&args, conn,
		"insert into pool.hit (pool, hit, player, move, index, currency, coin_minor, "
		"stake_minor, " JACKPOT_PRICE ", wallet_shard, wallet_seq, fact_seq, version, "
		"next_value_minor, next_seed_minor, row_hits, claimed, time)"
		" values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, "
		"$17, $18, $19, $20,"
		" $21, $22, $23, $24, $25, 'epoch'::timestamptz + $26 * interval '1 microsecond',"
		" 'epoch'::timestamptz + $27 * interval '1 microsecond')");
}

static void remove_rows(struct pool_instance *instance, PGconn *conn)
{
	for (uint32_t i = 0; i < instance->removed_count; i++) {
		struct pg_args args = { 0 };
		pg_args_int(&args, instance->pool.number);
		pg_args_int(&args, instance->removed[i].currency);
		pg_args_int(&args, instance->removed[i].coin_minor);
		pg_args_run(&args, conn,
			"delete from pool.row where pool = $1 and currency = $2 and coin_minor = "
			"$3");
	}
}

void pool_store_save(struct pool_instance *instance, PGconn *conn)
{
	if (pool_batch_take(instance))
		return;
	uint32_t pool = instance->pool.number;
	save_pool(instance, conn);
	pool_source_save(&instance->source, conn, "pool");
	/* Only hits, operators and definitions change rows; contributions do not. */
	if (instance->rows_dirty) {
		remove_rows(instance, conn);
		for (uint32_t i = 0; i < instance->pool.row_count; i++)
			save_row(instance, &instance->pool.row[i], conn);
	}
	for (size_t i = 0; i < instance->hit_count; i++)
		save_hit(pool, &instance->hits[i], conn);
	action_list_save(&instance->actions, conn, "pool", pool);
	transfers_save(instance, conn);
	created_pool_save(instance, conn);
	instance->hit_count = 0;
	instance->removed_count = 0;
	instance->rows_dirty = false;
	instance->dirty = false;
	instance->stored = true;
}

/* ---- looking up ---- */

#define HIT_COLUMNS                                                                                \
	"pool, hit, player, move, index, currency, coin_minor, stake_minor, paid_minor, "          \
	"wallet_shard, wallet_seq,"                                                                \
	" fact_seq, version, next_value_minor, next_seed_minor, row_hits,"                         \
	" (extract(epoch from claimed) * 1000000)::bigint, (extract(epoch from time) * "           \
	"1000000)::bigint"

static struct hit_record read_hit(const PGresult *rows, int i)
{
	if (pg_number(rows, i, 8) < 0 || pg_number(rows, i, 7) < 0)
		stored_wrong("pool.hit %" PRIu64 ": found a payout or a stake below 0",
			pg_u64(rows, i, 1));
	return (struct hit_record){
		.hit = { .number = pg_u64(rows, i, 1),
			.claim = { { pg_number(rows, i, 2), pg_u64(rows, i, 3),
					   pg_u32(rows, i, 4) },
				pg_u32(rows, i, 5), pg_number(rows, i, 6) },
			.price = { .paid_minor = pg_number(rows, i, 8) } },
		.stake_minor = pg_number(rows, i, 7),
		.wallet_shard = pg_u32(rows, i, 9),
		.wallet_seq = pg_u64(rows, i, 10),
		.fact_seq = pg_u64(rows, i, 11),
		.version = pg_u64(rows, i, 12),
		.next_value_minor = pg_number(rows, i, 13),
		.next_seed_minor = pg_number(rows, i, 14),
		.row_hits = pg_u64(rows, i, 15),
		.claimed_us = pg_u64(rows, i, 16),
		.time_us = pg_u64(rows, i, 17),
	};
}

bool pool_store_hit_find(
	PGconn *conn, const struct claim_id *id, struct hit_record *record_r, uint32_t *pool_r)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, id->player);
	pg_args_int(&args, (int64_t)id->move);
	pg_args_int(&args, id->index);
	PGresult *rows = pg_args_query(&args, conn,
		"select " HIT_COLUMNS
		" from pool.hit where player = $1 and move = $2 and index = $3");
	bool found = PQntuples(rows) == 1;
	if (found) {
		*record_r = read_hit(rows, 0);
		*pool_r = pg_u32(rows, 0, 0);
	}
	PQclear(rows);
	return found;
}

size_t pool_store_hits_newest(PGconn *conn, uint32_t pool, struct hit_record *records, size_t max)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, pool);
	pg_args_int(&args, (int64_t)max);
	PGresult *rows = pg_args_query(&args, conn,
		"select " HIT_COLUMNS " from pool.hit where pool = $1 order by hit desc limit $2");
	int n = PQntuples(rows);
	for (int i = 0; i < n; i++)
		records[n - 1 - i] = read_hit(rows, i);
	PQclear(rows);
	return (size_t)n;
}

int64_t pool_store_claims_open(PGconn *conn, uint32_t pool)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, pool);
	PGresult *row = pg_try(conn,
		"select count(*) from wallet.claim where pool = $1 and closed_seq is null", args.n,
		args.value);
	int64_t open = PQresultStatus(row) == PGRES_TUPLES_OK ? pg_number(row, 0, 0) : -1;
	PQclear(row);
	return open;
}
