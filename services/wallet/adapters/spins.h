/* Bonus spins that the commands of this turn name, and those changed since the last commit:
 * wallet.spin_grant as it will be. What is not in memory is as it stands in Postgres. */
#ifndef CARILLON_WALLET_ADAPTERS_SPINS_H
#define CARILLON_WALLET_ADAPTERS_SPINS_H

#include "services/wallet/core/wallet.h"

#include <libpq-fe.h>

enum spins_state {
	SPINS_EMPTY = 0, /* a free place of the table */
	SPINS_ASKED,	 /* to be looked up */
	SPINS_ABSENT,	 /* looked up: there are none of this id */
	SPINS_KNOWN,
};

struct spins_entry {
	enum spins_state state;
	struct wallet_spins spins; /* id, and the rest if KNOWN */
	uint32_t shard;
	uint64_t given_seq, ended_seq; /* rows of the journal; ended_seq 0: not ended */
	bool dirty;		       /* newer than Postgres */
};

struct spins_table {
	struct spins_entry *entries;
	size_t room, n, asked; /* asked: in state ASKED */
};

/* To be looked up with the next spins_bring, unless it is in memory. */
void spins_want(struct spins_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* Looks up all that are wanted, by one query. */
void spins_bring(struct spins_table *table, PGconn *conn);
/* All of a player that may still be played. */
void spins_bring_player(struct spins_table *table, PGconn *conn, player_id player);
/* NULL: there are none of this id; it must have been brought. */
struct spins_entry *spins_find(struct spins_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* Given just now; there are none of this id yet. */
void spins_add(struct spins_table *table, const struct wallet_spins *spins, uint32_t shard,
	uint64_t given_seq);
/* How many gifts of the player are not over, of those in memory. */
uint32_t spins_live(const struct spins_table *table, player_id player, uint64_t now_us);
/* Writes what is newer than Postgres; inside the transaction of the rows. */
void spins_write(struct spins_table *table, PGconn *conn);
/* Nothing is newer than Postgres: forgets all. */
void spins_clear(struct spins_table *table);
/* Another process may have the shard from now on: what is known of it is to be looked up again. */
void spins_drop_shard(struct spins_table *table, uint32_t shard);

#endif
