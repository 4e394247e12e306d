#include "services/wallet/adapters/bonus_spins.h"

#include "libcommon/io/pg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS                                                                                    \
	"id, shard, player, game, currency, coin_minor, lines, coins, spins, used, "               \
	"(extract(epoch from expires) * 1000000)::bigint, given_seq, coalesce(ended_seq, 0)"

static void entry_read(void *into, const PGresult *result, int row)
{
	struct bonus_spins_entry *entry = into;
	struct wallet_bonus_spins *spins = &entry->spins;

	memcpy(spins->id, entry->head.id, WALLET_ID_BYTES);
	spins->player = pg_number(result, row, 2);
	spins->game = (uint32_t)pg_number(result, row, 3);
	spins->currency = (uint32_t)pg_number(result, row, 4);
	spins->coin_minor = pg_number(result, row, 5);
	spins->lines = (uint32_t)pg_number(result, row, 6);
	spins->coins = (uint32_t)pg_number(result, row, 7);
	spins->spins = (uint32_t)pg_number(result, row, 8);
	spins->used = (uint32_t)pg_number(result, row, 9);
	spins->expires_us = (uint64_t)pg_number(result, row, 10);
	entry->given_seq = (uint64_t)pg_number(result, row, 11);
	entry->ended_seq = (uint64_t)pg_number(result, row, 12);
	spins->ended = entry->ended_seq != 0;
}

static const char upsert[] =
	"insert into wallet.spin_grant as g (id, shard, player, game, currency, "
	"coin_minor, lines, coins, spins, used, expires, given_seq, ended_seq) values "
	"($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '1970-01-01 00:00:00+00'::timestamptz + "
	"$11::bigint * interval '1 microsecond', $12, nullif($13::bigint, 0)) on conflict "
	"(id) do update set used = excluded.used, ended_seq = excluded.ended_seq "
	"where g.player = excluded.player and g.used <= excluded.used";

static void entry_args(struct pg_args *args, const void *from)
{
	const struct bonus_spins_entry *entry = from;
	const struct wallet_bonus_spins *spins = &entry->spins;

	pg_args_int(args, entry->head.shard);
	pg_args_int(args, spins->player);
	pg_args_int(args, spins->game);
	pg_args_int(args, spins->currency);
	pg_args_int(args, spins->coin_minor);
	pg_args_int(args, spins->lines);
	pg_args_int(args, spins->coins);
	pg_args_int(args, spins->spins);
	pg_args_int(args, spins->used);
	pg_args_int(args, (int64_t)spins->expires_us);
	pg_args_int(args, (int64_t)entry->given_seq);
	pg_args_int(args, (int64_t)entry->ended_seq);
}

static const struct id_table_kind KIND = { "wallet.spin_grant", sizeof(struct bonus_spins_entry),
	"select " COLUMNS " from wallet.spin_grant where id = any($1::bytea[])", entry_read, upsert,
	entry_args };

void bonus_spins_want(struct id_table *table, const uint8_t id[WALLET_ID_BYTES])
{
	(void)id_table_place(table, &KIND, id);
}

void bonus_spins_load(struct id_table *table, PGconn *conn)
{
	id_table_load(table, &KIND, conn);
}

void bonus_spins_load_player(struct id_table *table, PGconn *conn, player_id player)
{
	char number[24];
	const char *parameters[] = { number };

	(void)snprintf(number, sizeof(number), "%" PRId64, player);
	id_table_take(table, &KIND,
		pg_query(conn,
			"select " COLUMNS " from wallet.spin_grant where player = $1 and used < "
			"spins and ended_seq is null and expires > now()",
			1, parameters));
}

struct bonus_spins_entry *bonus_spins_find(
	struct id_table *table, const uint8_t id[WALLET_ID_BYTES])
{
	return id_table_find(table, &KIND, id);
}

void bonus_spins_add(struct id_table *table, const struct wallet_bonus_spins *spins, uint32_t shard,
	uint64_t given_seq)
{
	struct bonus_spins_entry *entry = id_table_new(table, &KIND, spins->id, shard);

	entry->spins = *spins;
	entry->given_seq = given_seq;
}

uint32_t bonus_spins_live(const struct id_table *table, player_id player, uint64_t now_us)
{
	uint32_t live = 0;

	for (size_t i = 0; i < table->room; i++) {
		const struct bonus_spins_entry *entry = id_table_at(table, &KIND, i);
		live += entry != NULL && entry->spins.player == player &&
			!wallet_bonus_spins_over(&entry->spins, now_us);
	}
	return live;
}

void bonus_spins_write(struct id_table *table, PGconn *conn)
{
	id_table_write(table, &KIND, conn);
}

bool bonus_spins_dirty(const struct id_table *table)
{
	return id_table_dirty(table, &KIND);
}

void bonus_spins_clear(struct id_table *table)
{
	id_table_clear(table, &KIND);
}

void bonus_spins_drop_shard(struct id_table *table, uint32_t shard)
{
	id_table_drop_shard(table, &KIND, shard);
}
