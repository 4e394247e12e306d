#include "services/wallet/adapters/ids.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

#include <string.h>

static void entry_read(void *into, const PGresult *result, int row)
{
	struct id_entry *entry = into;
	size_t length;
	uint8_t *hash = pg_bytea(result, row, 2, &length);

	if (length != WALLET_ID_BYTES)
		fatal("wallet.outside: found a content_hash of %zu bytes, expected %d", length,
			WALLET_ID_BYTES);
	memcpy(entry->first.content_hash, hash, WALLET_ID_BYTES);
	PQfreemem(hash);
	entry->seq = (uint64_t)pg_number(result, row, 3);
	entry->first.player = pg_number(result, row, 4);
}

/* Never written one by one: a batch may have thousands of them. */
static const struct by_id_kind KIND = { "wallet.outside", sizeof(struct id_entry),
	"select id, shard, content_hash, seq, player from wallet.outside where id = "
	"any($1::bytea[])",
	entry_read, NULL, NULL };

void ids_want(struct by_id *table, const uint8_t id[WALLET_ID_BYTES])
{
	(void)by_id_place(table, &KIND, id);
}

void ids_bring(struct by_id *table, PGconn *conn)
{
	by_id_bring(table, &KIND, conn);
}

const struct id_entry *ids_find(const struct by_id *table, const uint8_t id[WALLET_ID_BYTES])
{
	return by_id_find(table, &KIND, id);
}

void ids_add(struct by_id *table, const uint8_t id[WALLET_ID_BYTES],
	const struct wallet_known_id *first, uint32_t shard, uint64_t seq)
{
	struct id_entry *entry = by_id_new(table, &KIND, id, shard);

	entry->first = *first;
	entry->seq = seq;
}

void ids_clear(struct by_id *table)
{
	by_id_clear(table, &KIND);
}

void ids_drop_shard(struct by_id *table, uint32_t shard)
{
	by_id_drop_shard(table, &KIND, shard);
}
