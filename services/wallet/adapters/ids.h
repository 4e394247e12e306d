/* The ids of outside money that the commands of this turn name, and those booked since: who used
 * them first, as in wallet.outside, which is written with the rows (write.c). */
#ifndef CARILLON_WALLET_ADAPTERS_IDS_H
#define CARILLON_WALLET_ADAPTERS_IDS_H

#include "services/wallet/adapters/id_table.h"

struct id_entry {
	struct id_table_head head;
	struct wallet_known_id first;
	uint64_t seq; /* its row, in head.shard */
};

/* To be looked up with the next ids_bring, unless it is in memory. */
void ids_want(struct id_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* Looks up all that are wanted, by one query. */
void ids_bring(struct id_table *table, PGconn *conn);
/* NULL: nobody has used it; it must have been brought. */
const struct id_entry *ids_find(const struct id_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* Used just now, by this row for the first time. */
void ids_add(struct id_table *table, const uint8_t id[WALLET_ID_BYTES],
	const struct wallet_known_id *first, uint32_t shard, uint64_t seq);
/* Nothing is newer than Postgres: forgets all. */
void ids_clear(struct id_table *table);
/* Another process may have the shard from now on: what is known of it is to be looked up again. */
void ids_drop_shard(struct id_table *table, uint32_t shard);

#endif
