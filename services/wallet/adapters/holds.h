/* Withdrawals in flight and grants of money (wallet.hold): those that the commands of this turn
 * begin or settle, and those changed since the last commit, in their new state. All others are as
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

/* Requests a lookup by the next holds_load, unless the hold is in memory. */
void holds_want(struct id_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* Looks up all requested ids by one query. */
void holds_load(struct id_table *table, PGconn *conn);
/* NULL: no such id. The id must have been looked up. */
struct holds_entry *holds_find(struct id_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* Applies an accepted row that begins a hold (settled is NULL), or settles `settled`. */
void holds_take(struct id_table *table, struct holds_entry *settled, uint32_t shard,
	const struct wallet_row *row);
/* Writes what is newer than Postgres, inside the transaction of the journal rows. */
void holds_write(struct id_table *table, PGconn *conn);
/* Is anything newer than Postgres? */
bool holds_dirty(const struct id_table *table);
/* Forgets all entries. Nothing may be newer than Postgres. */
void holds_clear(struct id_table *table);
/* Forgets a shard's entries: another process may own the shard from now on. */
void holds_drop_shard(struct id_table *table, uint32_t shard);

#endif
