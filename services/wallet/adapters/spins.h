/* Bonus spins that the commands of this turn name, and those changed since the last commit:
 * wallet.spin_grant as it will be. What is not in memory is as it stands in Postgres. */
#ifndef CARILLON_WALLET_ADAPTERS_SPINS_H
#define CARILLON_WALLET_ADAPTERS_SPINS_H

#include "services/wallet/adapters/by_id.h"

struct spins_entry {
	struct by_id_head head;
	struct wallet_spins spins;
	uint64_t given_seq, ended_seq; /* rows of the journal; ended_seq 0: not ended */
};

/* To be looked up with the next spins_bring, unless it is in memory. */
void spins_want(struct by_id *table, const uint8_t id[WALLET_ID_BYTES]);
/* Looks up all that are wanted, by one query. */
void spins_bring(struct by_id *table, PGconn *conn);
/* All of a player that may still be played. */
void spins_bring_player(struct by_id *table, PGconn *conn, player_id player);
/* NULL: there are none of this id; it must have been brought. */
struct spins_entry *spins_find(struct by_id *table, const uint8_t id[WALLET_ID_BYTES]);
/* Given just now; there are none of this id yet. */
void spins_add(
	struct by_id *table, const struct wallet_spins *spins, uint32_t shard, uint64_t given_seq);
/* How many gifts of the player are not over, of those in memory. */
uint32_t spins_live(const struct by_id *table, player_id player, uint64_t now_us);
/* Writes what is newer than Postgres; inside the transaction of the rows. */
void spins_write(struct by_id *table, PGconn *conn);
/* Nothing is newer than Postgres: forgets all. */
void spins_clear(struct by_id *table);
/* Another process may have the shard from now on: what is known of it is to be looked up again. */
void spins_drop_shard(struct by_id *table, uint32_t shard);

#endif
