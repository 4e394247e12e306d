#include "services/wallet/adapters/ids.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

#include <stdlib.h>
#include <string.h>

static void entry_read(void *into, const PGresult *result, int row)
{
	struct id_entry *entry = into;
	uint8_t *hash = pg_bytea(result, row, 2, &entry->hash_bytes);

	if (entry->hash_bytes == WALLET_ID_BYTES)
		memcpy(entry->first.content_hash, hash, WALLET_ID_BYTES);
	PQfreemem(hash);
	entry->seq = (uint64_t)pg_number(result, row, 3);
	entry->first.player = pg_number(result, row, 4);
}

/* write.c writes them in bulk: a batch may have thousands. */
static const struct id_table_kind KIND = { "wallet.outside", sizeof(struct id_entry),
	"select id, shard, content_hash, seq, player from wallet.outside where id = "
	"any($1::bytea[])",
	entry_read, NULL, NULL };

static struct id_entry *entry_at(const struct id_table *table, size_t i)
{
	return (struct id_entry *)(void *)table->entries + i;
}

void ids_want(
	struct id_table *table, const uint8_t id[WALLET_ID_BYTES], const struct service_shard *held)
{
	struct id_entry *entry = id_table_place(table, &KIND, id);

	entry->held = held;
}

/* ---- reservations ---- */

static bool wanted(const struct id_entry *entry)
{
	return entry->head.state == BY_ID_ASKED && !entry->reserved;
}

static void reserve(struct id_table *table, struct service *service)
{
	struct service_id *ids = calloc(table->asked, sizeof(*ids));
	size_t n = 0;

	if (ids == NULL)
		fatal("out of memory: %zu ids", table->asked);
	for (size_t i = 0; i < table->room; i++) {
		const struct id_entry *entry = entry_at(table, i);
		if (!wanted(entry))
			continue;
		memcpy(ids[n].bytes, entry->head.id, WALLET_ID_BYTES);
		ids[n++].shard = entry->held;
	}
	service_reserve(service, ids, n);
	for (size_t i = 0; i < n; i++) {
		struct id_entry *entry = id_table_place(table, &KIND, ids[i].bytes);
		entry->reserved = ids[i].reserved;
	}
	free(ids);
}

/* Of an id that is neither booked nor reserved by us, nothing is known: it is asked for again. */
static void absent_again(struct id_table *table)
{
	for (size_t i = 0; i < table->room; i++) {
		struct id_entry *entry = entry_at(table, i);
		if (entry->head.state != BY_ID_ABSENT || entry->reserved)
			continue;
		entry->head.state = BY_ID_ASKED;
		table->asked++;
	}
}

void ids_load(struct id_table *table, struct service *service)
{
	if (table->asked == 0)
		return;
	reserve(table, service);
	id_table_load(table, &KIND, service_pg(service));
	absent_again(table);
}

bool ids_taken(const struct id_table *table, const uint8_t id[WALLET_ID_BYTES])
{
	const struct id_table_head *head = id_table_slot(table, &KIND, id);

	return head != NULL && head->state == BY_ID_ASKED;
}

/* ---- entries ---- */

const struct id_entry *ids_find(const struct id_table *table, const uint8_t id[WALLET_ID_BYTES])
{
	return id_table_find(table, &KIND, id);
}

void ids_add(struct id_table *table, const uint8_t id[WALLET_ID_BYTES],
	const struct wallet_known_id *first, uint32_t shard, uint64_t seq)
{
	struct id_entry *entry = id_table_new(table, &KIND, id, shard);

	entry->first = *first;
	entry->hash_bytes = WALLET_ID_BYTES;
	entry->seq = seq;
}

void ids_clear(struct id_table *table)
{
	id_table_clear(table, &KIND);
}
