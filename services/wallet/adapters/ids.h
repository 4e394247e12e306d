/* Ids of outside money with their first use (wallet.outside): those that the commands of this turn
 * name, and those booked since the last commit. write.c writes them with the rows. */
#ifndef CARILLON_WALLET_ADAPTERS_IDS_H
#define CARILLON_WALLET_ADAPTERS_IDS_H

#include "services/wallet/adapters/id_table.h"

struct id_entry {
	struct id_table_head head;
	struct wallet_known_id first;
	size_t hash_bytes; /* found; else than WALLET_ID_BYTES: first.content_hash is not known */
	uint64_t seq;	   /* its row, in head.shard */
};

/* Requests a lookup by the next ids_load, unless the id is in memory. */
void ids_want(struct id_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* Looks up all requested ids by one query. */
void ids_load(struct id_table *table, PGconn *conn);
/* NULL: the id is new. It must have been looked up. */
const struct id_entry *ids_find(const struct id_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* Adds an id that this row uses for the first time. */
void ids_add(struct id_table *table, const uint8_t id[WALLET_ID_BYTES],
	const struct wallet_known_id *first, uint32_t shard, uint64_t seq);
/* Forgets all entries. Nothing may be newer than Postgres. */
void ids_clear(struct id_table *table);
/* Forgets a shard's entries: another process may own the shard from now on. */
void ids_drop_shard(struct id_table *table, uint32_t shard);

#endif
