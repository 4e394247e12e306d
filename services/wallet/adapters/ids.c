#include "services/wallet/adapters/ids.h"

#include "libcommon/io/pg.h"

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

void ids_want(struct id_table *table, const uint8_t id[WALLET_ID_BYTES])
{
	(void)id_table_place(table, &KIND, id);
}

void ids_load(struct id_table *table, PGconn *conn)
{
	id_table_load(table, &KIND, conn);
}

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

void ids_drop_shard(struct id_table *table, uint32_t shard)
{
	id_table_drop_shard(table, &KIND, shard);
}
