#include "services/wallet/adapters/spins.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "services/wallet/adapters/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 256
#define COLUMNS                                                                                    \
	"id, shard, player, game, currency, coin_minor, lines, coins, spins, used, "               \
	"(extract(epoch from expires) * 1000000)::bigint, given_seq, coalesce(ended_seq, 0)"

static struct spins_entry *slot_of(const struct spins_table *table, const uint8_t *id)
{
	uint64_t hash;
	size_t at;

	memcpy(&hash, id, sizeof(hash)); /* the ids are hashes */
	hash *= UINT64_C(0x9e3779b97f4a7c15);
	for (at = (size_t)(hash >> 20) & (table->room - 1); table->entries[at].state != SPINS_EMPTY;
		at = (at + 1) & (table->room - 1))
		if (memcmp(table->entries[at].spins.id, id, WALLET_ID_BYTES) == 0)
			break;
	return &table->entries[at];
}

static void grow(struct spins_table *table)
{
	struct spins_table bigger = { .room = table->room == 0 ? ROOM_FIRST : table->room * 2,
		.n = table->n,
		.asked = table->asked };

	bigger.entries = calloc(bigger.room, sizeof(*bigger.entries));
	if (bigger.entries == NULL)
		fatal("out of memory: %zu bonus spins", bigger.room);
	for (size_t i = 0; i < table->room; i++)
		if (table->entries[i].state != SPINS_EMPTY)
			*slot_of(&bigger, table->entries[i].spins.id) = table->entries[i];
	free(table->entries);
	*table = bigger;
}

/* Its place, made where there is none. Pointers into the table end here. */
static struct spins_entry *place_of(struct spins_table *table, const uint8_t *id)
{
	struct spins_entry *entry;

	if (table->n * 2 >= table->room)
		grow(table);
	entry = slot_of(table, id);
	if (entry->state != SPINS_EMPTY)
		return entry;
	*entry = (struct spins_entry){ .state = SPINS_ASKED };
	memcpy(entry->spins.id, id, WALLET_ID_BYTES);
	table->n++;
	table->asked++;
	return entry;
}

void spins_want(struct spins_table *table, const uint8_t id[WALLET_ID_BYTES])
{
	(void)place_of(table, id);
}

static void take(struct spins_table *table, PGresult *result)
{
	for (int i = 0; i < PQntuples(result); i++) {
		size_t length;
		uint8_t *id = pg_bytea(result, i, 0, &length);
		struct spins_entry *entry;
		if (length != WALLET_ID_BYTES)
			fatal("wallet.spin_grant: found an id of %zu bytes, expected %d", length,
				WALLET_ID_BYTES);
		entry = place_of(table, id);
		PQfreemem(id);
		if (entry->state == SPINS_KNOWN)
			continue; /* as new as Postgres, or newer */
		table->asked -= entry->state == SPINS_ASKED;
		entry->state = SPINS_KNOWN;
		entry->shard = (uint32_t)pg_number(result, i, 1);
		entry->spins.player = pg_number(result, i, 2);
		entry->spins.game = (uint32_t)pg_number(result, i, 3);
		entry->spins.currency = (uint32_t)pg_number(result, i, 4);
		entry->spins.coin_minor = pg_number(result, i, 5);
		entry->spins.lines = (uint32_t)pg_number(result, i, 6);
		entry->spins.coins = (uint32_t)pg_number(result, i, 7);
		entry->spins.spins = (uint32_t)pg_number(result, i, 8);
		entry->spins.used = (uint32_t)pg_number(result, i, 9);
		entry->spins.expires_us = (uint64_t)pg_number(result, i, 10);
		entry->given_seq = (uint64_t)pg_number(result, i, 11);
		entry->ended_seq = (uint64_t)pg_number(result, i, 12);
		entry->spins.ended = entry->ended_seq != 0;
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

void spins_bring(struct spins_table *table, PGconn *conn)
{
	static struct text list;

	if (table->asked == 0)
		return;
	text_clear(&list);
	for (size_t i = 0; i < table->room; i++) {
		if (table->entries[i].state != SPINS_ASKED)
			continue;
		table->entries[i].state = SPINS_ABSENT; /* until it is found */
		id_add(&list, table->entries[i].spins.id);
	}
	table->asked = 0;
	text_add(&list, "}");
	const char *parameters[] = { list.bytes };
	take(table, pg_query(conn,
			    "select " COLUMNS " from wallet.spin_grant where id = any($1::bytea[])",
			    1, parameters));
}

void spins_bring_player(struct spins_table *table, PGconn *conn, player_id player)
{
	char number[24];
	const char *parameters[] = { number };

	(void)snprintf(number, sizeof(number), "%" PRId64, player);
	take(table,
		pg_query(conn,
			"select " COLUMNS " from wallet.spin_grant where player = $1 and used < "
			"spins and ended_seq is null and expires > now()",
			1, parameters));
}

struct spins_entry *spins_find(struct spins_table *table, const uint8_t id[WALLET_ID_BYTES])
{
	struct spins_entry *entry;

	if (table->room == 0)
		return NULL;
	entry = slot_of(table, id);
	return entry->state == SPINS_KNOWN ? entry : NULL;
}

void spins_add(struct spins_table *table, const struct wallet_spins *spins, uint32_t shard,
	uint64_t given_seq)
{
	struct spins_entry *entry = place_of(table, spins->id);

	table->asked -= entry->state == SPINS_ASKED;
	*entry = (struct spins_entry){ .state = SPINS_KNOWN,
		.spins = *spins,
		.shard = shard,
		.given_seq = given_seq,
		.dirty = true };
}

uint32_t spins_live(const struct spins_table *table, player_id player, uint64_t now_us)
{
	uint32_t live = 0;

	for (size_t i = 0; i < table->room; i++) {
		const struct spins_entry *entry = &table->entries[i];
		live += entry->state == SPINS_KNOWN && entry->spins.player == player &&
			!wallet_spins_over(&entry->spins, now_us);
	}
	return live;
}

static void write_one(PGconn *conn, const struct spins_entry *entry)
{
	static const char sql[] =
		"insert into wallet.spin_grant as g (id, shard, player, game, currency, "
		"coin_minor, lines, coins, spins, used, expires, given_seq, ended_seq) values "
		"($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '1970-01-01 00:00:00+00'::timestamptz + "
		"$11::bigint * interval '1 microsecond', $12, nullif($13::bigint, 0)) on conflict "
		"(id) do update set used = excluded.used, ended_seq = excluded.ended_seq "
		"where g.player = excluded.player and g.used <= excluded.used";
	const struct wallet_spins *spins = &entry->spins;
	const int64_t values[] = { entry->shard, spins->player, spins->game, spins->currency,
		spins->coin_minor, spins->lines, spins->coins, spins->spins, spins->used,
		(int64_t)spins->expires_us, (int64_t)entry->given_seq, (int64_t)entry->ended_seq };
	char id[2 * WALLET_ID_BYTES + 3] = "\\x";
	char numbers[sizeof(values) / sizeof(values[0])][24];
	const char *parameters[1 + sizeof(values) / sizeof(values[0])] = { id };

	for (size_t i = 0; i < WALLET_ID_BYTES; i++)
		(void)snprintf(id + 2 + 2 * i, 3, "%02x", spins->id[i]);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		(void)snprintf(numbers[i], sizeof(numbers[i]), "%" PRId64, values[i]);
		parameters[1 + i] = numbers[i];
	}
	PGresult *result =
		pg_query(conn, sql, (int)(sizeof(parameters) / sizeof(parameters[0])), parameters);
	if (PQcmdTuples(result)[0] != '1')
		fatal("wallet.spin_grant: player %" PRId64 ": found a row that is newer than its "
		      "journal",
			spins->player);
	PQclear(result);
}

void spins_write(struct spins_table *table, PGconn *conn)
{
	for (size_t i = 0; table->n > 0 && i < table->room; i++) {
		if (!table->entries[i].dirty)
			continue;
		write_one(conn, &table->entries[i]);
		table->entries[i].dirty = false;
	}
}

void spins_clear(struct spins_table *table)
{
	if (table->n > 0)
		memset(table->entries, 0, table->room * sizeof(*table->entries));
	table->n = table->asked = 0;
}

void spins_drop_shard(struct spins_table *table, uint32_t shard)
{
	for (size_t i = 0; i < table->room; i++) {
		struct spins_entry *entry = &table->entries[i];
		bool gone = entry->state == SPINS_KNOWN && entry->shard == shard;
		if (gone || entry->state == SPINS_ABSENT) {
			entry->state = SPINS_ASKED;
			entry->dirty = false;
			table->asked++;
		}
	}
}
