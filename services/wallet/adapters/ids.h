/* Ids of outside money with their first use (wallet.outside): those that the commands of this turn
 * name, and those booked since the last commit. write.c writes them with the rows.
 *
 * An id is booked only after it was reserved (service_reserve), because another instance may be
 * about to book it for a player of its own. */
#ifndef CARILLON_WALLET_ADAPTERS_IDS_H
#define CARILLON_WALLET_ADAPTERS_IDS_H

#include "libcommon/service/service.h"
#include "services/wallet/adapters/id_table.h"

struct id_entry {
	struct id_table_head head;
	struct wallet_known_id first;
	size_t hash_bytes; /* found; else than WALLET_ID_BYTES: first.content_hash is not known */
	uint64_t seq;	   /* its row, in head.shard */
	const struct service_shard *held; /* asked for by a command of this shard */
	bool reserved;
};

/* Requests that the next ids_load reserves the id and looks it up, unless both was done. */
void ids_want(struct id_table *table, const uint8_t id[WALLET_ID_BYTES],
	const struct service_shard *held);
/* Reserves and looks up all requested ids, by a query each. */
void ids_load(struct id_table *table, struct service *service);
/* NULL: the id is new, or taken. It must have been looked up. */
const struct id_entry *ids_find(const struct id_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* True if another instance is deciding about the id: it must be requested again later. */
bool ids_taken(const struct id_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* Adds an id that this row uses for the first time. */
void ids_add(struct id_table *table, const uint8_t id[WALLET_ID_BYTES],
	const struct wallet_known_id *first, uint32_t shard, uint64_t seq);
/* After each commit. Forgets all entries. Nothing may be newer than Postgres. */
void ids_clear(struct id_table *table);

#endif
