#include "services/wallet/adapters/id_table.h"

#include "libcommon/base/hex.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 256

static struct id_table_head *place_at(
	const struct id_table *table, const struct id_table_kind *kind, size_t i)
{
	return (struct id_table_head *)(void *)(table->entries + i * kind->size);
}

static struct id_table_head *slot_of(
	const struct id_table *table, const struct id_table_kind *kind, const uint8_t *id)
{
	uint64_t hash;
	size_t at;

	memcpy(&hash, id, sizeof(hash)); /* the ids are hashes */
	hash *= UINT64_C(0x9e3779b97f4a7c15);
	for (at = (size_t)(hash >> 20) & (table->room - 1);
		place_at(table, kind, at)->state != BY_ID_EMPTY; at = (at + 1) & (table->room - 1))
		if (memcmp(place_at(table, kind, at)->id, id, WALLET_ID_BYTES) == 0)
			break;
	return place_at(table, kind, at);
}

static void grow(struct id_table *table, const struct id_table_kind *kind)
{
	struct id_table bigger = { .room = table->room == 0 ? ROOM_FIRST : table->room * 2,
		.n = table->n,
		.asked = table->asked };

	bigger.entries = calloc(bigger.room, kind->size);
	if (bigger.entries == NULL)
		fatal("out of memory: %zu rows of %s", bigger.room, kind->table);
	for (size_t i = 0; i < table->room; i++) {
		const struct id_table_head *head = place_at(table, kind, i);
		if (head->state != BY_ID_EMPTY)
			memcpy(slot_of(&bigger, kind, head->id), head, kind->size);
	}
	free(table->entries);
	*table = bigger;
}

void *id_table_place(struct id_table *table, const struct id_table_kind *kind, const uint8_t *id)
{
	struct id_table_head *head;

	if (table->n * 2 >= table->room)
		grow(table, kind);
	head = slot_of(table, kind, id);
	if (head->state != BY_ID_EMPTY)
		return head;
	memset(head, 0, kind->size);
	head->state = BY_ID_ASKED;
	memcpy(head->id, id, WALLET_ID_BYTES);
	table->n++;
	table->asked++;
	return head;
}

void *id_table_new(
	struct id_table *table, const struct id_table_kind *kind, const uint8_t *id, uint32_t shard)
{
	struct id_table_head *head = id_table_place(table, kind, id);

	table->asked -= head->state == BY_ID_ASKED;
	memset(head, 0, kind->size);
	memcpy(head->id, id, WALLET_ID_BYTES);
	head->state = BY_ID_KNOWN;
	head->shard = shard;
	head->dirty = true;
	return head;
}

void id_table_take(struct id_table *table, const struct id_table_kind *kind, PGresult *result)
{
	for (int i = 0; i < PQntuples(result); i++) {
		size_t length;
		uint8_t *id = pg_bytea(result, i, 0, &length);
		struct id_table_head *head;
		if (length != WALLET_ID_BYTES) { /* no command names it */
			log_error_as("wallet.row.bad_id",
				"ALARM %s: found an id of %zu bytes, expected %d; left out",
				kind->table, length, WALLET_ID_BYTES);
			PQfreemem(id);
			continue;
		}
		head = id_table_place(table, kind, id);
		PQfreemem(id);
		if (head->state == BY_ID_KNOWN)
			continue; /* as new as Postgres, or newer */
		table->asked -= head->state == BY_ID_ASKED;
		head->state = BY_ID_KNOWN;
		head->shard = (uint32_t)pg_number(result, i, 1);
		kind->read(head, result, i);
	}
	PQclear(result);
}

void id_table_list_add(struct text *list, const uint8_t id[WALLET_ID_BYTES])
{
	char digits[2 * WALLET_ID_BYTES + 1];

	hex_format(id, WALLET_ID_BYTES, digits);
	text_add(list, "%s\"\\\\x%s\"", list->length == 0 ? "{" : ",", digits);
}

void id_table_load(struct id_table *table, const struct id_table_kind *kind, PGconn *conn)
{
	static struct text list;

	if (table->asked == 0)
		return;
	text_clear(&list);
	for (size_t i = 0; i < table->room; i++) {
		struct id_table_head *head = place_at(table, kind, i);
		if (head->state != BY_ID_ASKED)
			continue;
		head->state = BY_ID_ABSENT; /* until it is found */
		id_table_list_add(&list, head->id);
	}
	table->asked = 0;
	text_add(&list, "}");
	const char *parameters[] = { list.bytes };
	id_table_take(table, kind, pg_query(conn, kind->sql, 1, parameters));
}

void *id_table_find(
	const struct id_table *table, const struct id_table_kind *kind, const uint8_t *id)
{
	struct id_table_head *head;

	if (table->room == 0)
		return NULL;
	head = slot_of(table, kind, id);
	return head->state == BY_ID_KNOWN ? head : NULL;
}

const struct id_table_head *id_table_slot(
	const struct id_table *table, const struct id_table_kind *kind, const uint8_t *id)
{
	const struct id_table_head *head;

	if (table->room == 0)
		return NULL;
	head = slot_of(table, kind, id);
	return head->state != BY_ID_EMPTY ? head : NULL;
}

const void *id_table_at(const struct id_table *table, const struct id_table_kind *kind, size_t i)
{
	const struct id_table_head *head = place_at(table, kind, i);

	return head->state == BY_ID_KNOWN ? head : NULL;
}

void id_table_write(struct id_table *table, const struct id_table_kind *kind, PGconn *conn)
{
	for (size_t i = 0; table->n > 0 && i < table->room; i++) {
		struct id_table_head *head = place_at(table, kind, i);
		char id[2 * WALLET_ID_BYTES + 3] = "\\x";
		if (!head->dirty)
			continue;
		hex_format(head->id, WALLET_ID_BYTES, id + 2);
		struct pg_args args = { .n = 0 };
		pg_args_text(&args, id);
		kind->args(&args, head);
		PGresult *result = pg_args_query(&args, conn, kind->upsert);
		if (PQcmdTuples(result)[0] != '1')
			fatal("%s: id %s: found a row in the table that is newer than the journal",
				kind->table, id);
		PQclear(result);
		head->dirty = false;
	}
}

bool id_table_dirty(const struct id_table *table, const struct id_table_kind *kind)
{
	for (size_t i = 0; table->n > 0 && i < table->room; i++) {
		const struct id_table_head *head = place_at(table, kind, i);
		if (head->dirty)
			return true;
	}
	return false;
}

void id_table_clear(struct id_table *table, const struct id_table_kind *kind)
{
	if (table->n > 0)
		memset(table->entries, 0, table->room * kind->size);
	table->n = table->asked = 0;
}

void id_table_drop_shard(struct id_table *table, const struct id_table_kind *kind, uint32_t shard)
{
	for (size_t i = 0; i < table->room; i++) {
		struct id_table_head *head = place_at(table, kind, i);
		bool gone = head->state == BY_ID_KNOWN && head->shard == shard;
		if (gone || head->state == BY_ID_ABSENT) {
			head->state = BY_ID_ASKED;
			head->dirty = false;
			table->asked++;
		}
	}
}
