/* Bonus spins that the commands of this turn name, and those changed since the last commit:
 * wallet.spin_grant as it will be. What is not in memory is as it stands in Postgres. */
#ifndef CARILLON_WALLET_ADAPTERS_BONUS_SPINS_H
#define CARILLON_WALLET_ADAPTERS_BONUS_SPINS_H

#include "services/wallet/adapters/id_table.h"

struct bonus_spins_entry {
	struct id_table_head head;
	struct wallet_bonus_spins spins;
	uint64_t given_seq, ended_seq; /* rows of the journal; ended_seq 0: not ended */
};

/* To be looked up with the next bonus_spins_load, unless it is in memory. */
void bonus_spins_want(struct id_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* Looks up all that are wanted, by one query. */
void bonus_spins_load(struct id_table *table, PGconn *conn);
/* All of a player that may still be played. */
void bonus_spins_load_player(struct id_table *table, PGconn *conn, player_id player);
/* NULL: there are none of this id; it must have been brought. */
struct bonus_spins_entry *bonus_spins_find(
	struct id_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* Given just now; there are none of this id yet. */
void bonus_spins_add(struct id_table *table, const struct wallet_bonus_spins *spins, uint32_t shard,
	uint64_t given_seq);
/* How many gifts of the player are not over, of those in memory. */
uint32_t bonus_spins_live(const struct id_table *table, player_id player, uint64_t now_us);
/* Writes what is newer than Postgres; inside the transaction of the rows. */
void bonus_spins_write(struct id_table *table, PGconn *conn);
/* Nothing is newer than Postgres: forgets all. */
void bonus_spins_clear(struct id_table *table);
/* Another process may have the shard from now on: what is known of it is to be looked up again. */
void bonus_spins_drop_shard(struct id_table *table, uint32_t shard);

#endif
