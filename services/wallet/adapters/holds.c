#include "services/wallet/adapters/holds.h"

#include <string.h>

static void entry_read(void *into, const PGresult *result, int row)
{
	struct holds_entry *entry = into;
	struct wallet_hold *hold = &entry->hold;

	memcpy(hold->id, entry->head.id, WALLET_ID_BYTES);
	hold->player = pg_number(result, row, 2);
	hold->kind = (uint32_t)pg_number(result, row, 3);
	hold->currency = (uint32_t)pg_number(result, row, 4);
	hold->amount = pg_number(result, row, 5);
	hold->settled = pg_number(result, row, 6);
	hold->settled_kind = (uint32_t)pg_number(result, row, 7);
	entry->booked_seq = (uint64_t)pg_number(result, row, 8);
	entry->settled_seq = (uint64_t)pg_number(result, row, 9);
	entry->booked_us = (uint64_t)pg_number(result, row, 10);
	entry->settled_us = (uint64_t)pg_number(result, row, 11);
}

static const char upsert[] =
	"insert into wallet.hold as h (id, shard, player, kind, currency, amount, settled, "
	"settled_kind, booked_seq, settled_seq, booked, settled_at) values ($1, $2, $3, "
	"$4, $5, $6, $7, $8, $9, nullif($10::bigint, 0), '1970-01-01 "
	"00:00:00+00'::timestamptz + $11::bigint * interval '1 microsecond', case when "
	"$12::bigint > 0 then '1970-01-01 00:00:00+00'::timestamptz + $12::bigint * "
	"interval '1 microsecond' end) on conflict (id) do update set settled = "
	"excluded.settled, settled_kind = excluded.settled_kind, settled_seq = "
	"excluded.settled_seq, settled_at = excluded.settled_at where h.player = "
	"excluded.player and h.settled < excluded.settled";

static void entry_args(struct pg_args *args, const void *from)
{
	const struct holds_entry *entry = from;
	const struct wallet_hold *hold = &entry->hold;

	pg_args_int(args, entry->head.shard);
	pg_args_int(args, hold->player);
	pg_args_int(args, hold->kind);
	pg_args_int(args, hold->currency);
	pg_args_int(args, hold->amount);
	pg_args_int(args, hold->settled);
	pg_args_int(args, hold->settled_kind);
	pg_args_int(args, (int64_t)entry->booked_seq);
	pg_args_int(args, (int64_t)entry->settled_seq);
	pg_args_int(args, (int64_t)entry->booked_us);
	pg_args_int(args, (int64_t)entry->settled_us);
}

static const struct id_table_kind KIND = { "wallet.hold", sizeof(struct holds_entry),
	"select id, shard, player, kind, currency, amount, settled, settled_kind, booked_seq, "
	"coalesce(settled_seq, 0), (extract(epoch from booked) * 1000000)::bigint, "
	"coalesce((extract(epoch from settled_at) * 1000000)::bigint, 0) from wallet.hold where id "
	"= any($1::bytea[])",
	entry_read, upsert, entry_args };

void holds_want(struct id_table *table, const uint8_t id[WALLET_ID_BYTES])
{
	(void)id_table_place(table, &KIND, id);
}

void holds_load(struct id_table *table, PGconn *conn)
{
	id_table_load(table, &KIND, conn);
}

struct holds_entry *holds_find(struct id_table *table, const uint8_t id[WALLET_ID_BYTES])
{
	return id_table_find(table, &KIND, id);
}

void holds_take(struct id_table *table, struct holds_entry *settled, uint32_t shard,
	const struct wallet_row *row)
{
	struct holds_entry *entry = settled;

	if (settled == NULL) {
		entry = id_table_new(table, &KIND, row->outside_id, shard);
		entry->booked_seq = row->seq;
		entry->booked_us = row->time_us;
	} else {
		entry->settled_seq = row->seq;
		entry->settled_us = row->time_us;
	}
	wallet_hold_take(&entry->hold, row);
	entry->head.dirty = true;
}

void holds_write(struct id_table *table, PGconn *conn)
{
	id_table_write(table, &KIND, conn);
}

bool holds_dirty(const struct id_table *table)
{
	return id_table_dirty(table, &KIND);
}

void holds_clear(struct id_table *table)
{
	id_table_clear(table, &KIND);
}

void holds_drop_shard(struct id_table *table, uint32_t shard)
{
	id_table_drop_shard(table, &KIND, shard);
}
