/* The ids of outside money that the commands of this turn name, and those booked since: who used
 * them first, as in wallet.outside, which is written with the rows (write.c). */
#ifndef CARILLON_WALLET_ADAPTERS_IDS_H
#define CARILLON_WALLET_ADAPTERS_IDS_H

#include "services/wallet/adapters/by_id.h"

struct id_entry {
	struct by_id_head head;
	struct wallet_known_id first;
	uint64_t seq; /* its row, in head.shard */
};

/* To be looked up with the next ids_bring, unless it is in memory. */
void ids_want(struct by_id *table, const uint8_t id[WALLET_ID_BYTES]);
/* Looks up all that are wanted, by one query. */
void ids_bring(struct by_id *table, PGconn *conn);
/* NULL: nobody has used it; it must have been brought. */
const struct id_entry *ids_find(const struct by_id *table, const uint8_t id[WALLET_ID_BYTES]);
/* Used just now, by this row for the first time. */
void ids_add(struct by_id *table, const uint8_t id[WALLET_ID_BYTES],
	const struct wallet_known_id *first, uint32_t shard, uint64_t seq);
/* Nothing is newer than Postgres: forgets all. */
void ids_clear(struct by_id *table);
/* Another process may have the shard from now on: what is known of it is to be looked up again. */
void ids_drop_shard(struct by_id *table, uint32_t shard);

#endif
