/* Withdrawals in flight and grants that the commands of this turn begin or settle, and those
 * changed since the last commit: wallet.hold as it will be. What is not in memory is as it stands
 * in Postgres. */
#ifndef CARILLON_WALLET_ADAPTERS_HOLDS_H
#define CARILLON_WALLET_ADAPTERS_HOLDS_H

#include "services/wallet/adapters/id_table.h"

struct holds_entry {
	struct id_table_head head;
	struct wallet_hold hold;
	uint64_t booked_seq, settled_seq; /* rows of the journal; settled_seq 0: none */
	uint64_t booked_us, settled_us;
};

/* To be looked up with the next holds_bring, unless it is in memory. */
void holds_want(struct id_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* Looks up all that are wanted, by one query. */
void holds_bring(struct id_table *table, PGconn *conn);
/* NULL: there is none of this id; it must have been brought. */
struct holds_entry *holds_find(struct id_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* An accepted row that begins one, or settles `settled` (NULL where it begins one). */
void holds_take(struct id_table *table, struct holds_entry *settled, uint32_t shard,
	const struct wallet_row *row);
/* Writes what is newer than Postgres; inside the transaction of the rows. */
void holds_write(struct id_table *table, PGconn *conn);
/* Nothing is newer than Postgres: forgets all. */
void holds_clear(struct id_table *table);
/* Another process may have the shard from now on: what is known of it is to be looked up again. */
void holds_drop_shard(struct id_table *table, uint32_t shard);

#endif
