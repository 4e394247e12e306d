#include "services/wallet/adapters/holds.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "services/wallet/adapters/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 256

static struct holds_entry *slot_of(const struct holds_table *table, const uint8_t *id)
{
	uint64_t hash;
	size_t at;

	memcpy(&hash, id, sizeof(hash)); /* the ids are hashes */
	hash *= UINT64_C(0x9e3779b97f4a7c15);
	for (at = (size_t)(hash >> 20) & (table->room - 1); table->entries[at].state != HOLDS_EMPTY;
		at = (at + 1) & (table->room - 1))
		if (memcmp(table->entries[at].hold.id, id, WALLET_ID_BYTES) == 0)
			break;
	return &table->entries[at];
}

static void grow(struct holds_table *table)
{
	struct holds_table bigger = { .room = table->room == 0 ? ROOM_FIRST : table->room * 2,
		.n = table->n,
		.asked = table->asked };

	bigger.entries = calloc(bigger.room, sizeof(*bigger.entries));
	if (bigger.entries == NULL)
		fatal("out of memory: %zu holds", bigger.room);
	for (size_t i = 0; i < table->room; i++)
		if (table->entries[i].state != HOLDS_EMPTY)
			*slot_of(&bigger, table->entries[i].hold.id) = table->entries[i];
	free(table->entries);
	*table = bigger;
}

/* Its place, made where there is none. Pointers into the table end here. */
static struct holds_entry *place_of(struct holds_table *table, const uint8_t *id)
{
	struct holds_entry *entry;

	if (table->n * 2 >= table->room)
		grow(table);
	entry = slot_of(table, id);
	if (entry->state != HOLDS_EMPTY)
		return entry;
	*entry = (struct holds_entry){ .state = HOLDS_ASKED };
	memcpy(entry->hold.id, id, WALLET_ID_BYTES);
	table->n++;
	table->asked++;
	return entry;
}

void holds_want(struct holds_table *table, const uint8_t id[WALLET_ID_BYTES])
{
	(void)place_of(table, id);
}

static void take(struct holds_table *table, PGresult *result)
{
	for (int i = 0; i < PQntuples(result); i++) {
		size_t length;
		uint8_t *id = pg_bytea(result, i, 0, &length);
		struct holds_entry *entry;
		if (length != WALLET_ID_BYTES)
			fatal("wallet.hold: found an id of %zu bytes, expected %d", length,
				WALLET_ID_BYTES);
		entry = place_of(table, id);
		PQfreemem(id);
		if (entry->state == HOLDS_KNOWN)
			continue; /* as new as Postgres, or newer */
		table->asked -= entry->state == HOLDS_ASKED;
		entry->state = HOLDS_KNOWN;
		entry->shard = (uint32_t)pg_number(result, i, 1);
		entry->hold.player = pg_number(result, i, 2);
		entry->hold.kind = (uint32_t)pg_number(result, i, 3);
		entry->hold.currency = (uint32_t)pg_number(result, i, 4);
		entry->hold.amount = pg_number(result, i, 5);
		entry->hold.settled = pg_number(result, i, 6);
		entry->hold.settled_kind = (uint32_t)pg_number(result, i, 7);
		entry->booked_seq = (uint64_t)pg_number(result, i, 8);
		entry->settled_seq = (uint64_t)pg_number(result, i, 9);
		entry->booked_us = (uint64_t)pg_number(result, i, 10);
		entry->settled_us = (uint64_t)pg_number(result, i, 11);
	}
	PQclear(result);
}

static void id_add(struct text *list, const uint8_t *id)
{
	text_add(list, "%s\"\\\\x", list->length == 0 ? "{" : ",");
	for (size_t i = 0; i < WALLET_ID_BYTES; i++)
		text_add(list, "%02x", id[i]);
	text_add(list, "\"");
}

void holds_bring(struct holds_table *table, PGconn *conn)
{
	static struct text list;

	if (table->asked == 0)
		return;
	text_clear(&list);
	for (size_t i = 0; i < table->room; i++) {
		if (table->entries[i].state != HOLDS_ASKED)
			continue;
		table->entries[i].state = HOLDS_ABSENT; /* until it is found */
		id_add(&list, table->entries[i].hold.id);
	}
	table->asked = 0;
	text_add(&list, "}");
	const char *parameters[] = { list.bytes };
	take(table, pg_query(conn,
			    "select id, shard, player, kind, currency, amount, settled, "
			    "settled_kind, booked_seq, coalesce(settled_seq, 0), (extract(epoch "
			    "from booked) * 1000000)::bigint, coalesce((extract(epoch from "
			    "settled_at) * 1000000)::bigint, 0) "
			    "from wallet.hold where id = any($1::bytea[])",
			    1, parameters));
}

struct holds_entry *holds_find(struct holds_table *table, const uint8_t id[WALLET_ID_BYTES])
{
	struct holds_entry *entry;

	if (table->room == 0)
		return NULL;
	entry = slot_of(table, id);
	return entry->state == HOLDS_KNOWN ? entry : NULL;
}

void holds_take(struct holds_table *table, struct holds_entry *settled, uint32_t shard,
	const struct wallet_row *row)
{
	struct holds_entry *entry = settled;

	if (settled == NULL) {
		entry = place_of(table, row->outside_id);
		table->asked -= entry->state == HOLDS_ASKED;
		*entry = (struct holds_entry){ .state = HOLDS_KNOWN,
			.shard = shard,
			.booked_seq = row->seq,
			.booked_us = row->time_us };
	} else {
		entry->settled_seq = row->seq;
		entry->settled_us = row->time_us;
	}
	wallet_hold_take(&entry->hold, row);
	entry->dirty = true;
}

static void write_one(PGconn *conn, const struct holds_entry *entry)
{
	static const char sql[] =
		"insert into wallet.hold as h (id, shard, player, kind, currency, amount, settled, "
		"settled_kind, booked_seq, settled_seq, booked, settled_at) values ($1, $2, $3, "
		"$4, $5, $6, $7, $8, $9, nullif($10::bigint, 0), '1970-01-01 "
		"00:00:00+00'::timestamptz + $11::bigint * interval '1 microsecond', case when "
		"$12::bigint > 0 then '1970-01-01 00:00:00+00'::timestamptz + $12::bigint * "
		"interval '1 microsecond' end) on conflict (id) do update set settled = "
		"excluded.settled, settled_kind = excluded.settled_kind, settled_seq = "
		"excluded.settled_seq, settled_at = excluded.settled_at where h.player = "
		"excluded.player and h.settled < excluded.settled";
	const struct wallet_hold *hold = &entry->hold;
	const int64_t values[] = { entry->shard, hold->player, hold->kind, hold->currency,
		hold->amount, hold->settled, hold->settled_kind, (int64_t)entry->booked_seq,
		(int64_t)entry->settled_seq, (int64_t)entry->booked_us,
		(int64_t)entry->settled_us };
	char id[2 * WALLET_ID_BYTES + 3] = "\\x";
	char numbers[sizeof(values) / sizeof(values[0])][24];
	const char *parameters[1 + sizeof(values) / sizeof(values[0])] = { id };

	for (size_t i = 0; i < WALLET_ID_BYTES; i++)
		(void)snprintf(id + 2 + 2 * i, 3, "%02x", hold->id[i]);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		(void)snprintf(numbers[i], sizeof(numbers[i]), "%" PRId64, values[i]);
		parameters[1 + i] = numbers[i];
	}
	PGresult *result =
		pg_query(conn, sql, (int)(sizeof(parameters) / sizeof(parameters[0])), parameters);
	if (PQcmdTuples(result)[0] != '1')
		fatal("wallet.hold: player %" PRId64 ": found a row that is newer than its journal",
			hold->player);
	PQclear(result);
}

void holds_write(struct holds_table *table, PGconn *conn)
{
	for (size_t i = 0; table->n > 0 && i < table->room; i++) {
		if (!table->entries[i].dirty)
			continue;
		write_one(conn, &table->entries[i]);
		table->entries[i].dirty = false;
	}
}

void holds_clear(struct holds_table *table)
{
	if (table->n > 0)
		memset(table->entries, 0, table->room * sizeof(*table->entries));
	table->n = table->asked = 0;
}

void holds_drop_shard(struct holds_table *table, uint32_t shard)
{
	for (size_t i = 0; i < table->room; i++) {
		struct holds_entry *entry = &table->entries[i];
		bool gone = entry->state == HOLDS_KNOWN && entry->shard == shard;
		if (gone || entry->state == HOLDS_ABSENT) {
			entry->state = HOLDS_ASKED;
			entry->dirty = false;
			table->asked++;
		}
	}
}
