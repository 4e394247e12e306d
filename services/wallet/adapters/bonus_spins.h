/* Grants of bonus spins (wallet.spin_grant): those that the commands of this turn name, and those
 * changed since the last commit, in their new state. All others are as in Postgres. */
#ifndef CARILLON_WALLET_ADAPTERS_BONUS_SPINS_H
#define CARILLON_WALLET_ADAPTERS_BONUS_SPINS_H

#include "services/wallet/adapters/id_table.h"

struct bonus_spins_entry {
	struct id_table_head head;
	struct wallet_bonus_spins spins;
	uint64_t given_seq, ended_seq; /* rows of the journal; ended_seq 0: not ended */
};

/* Requests a lookup by the next bonus_spins_load, unless the grant is in memory. */
void bonus_spins_want(struct id_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* Looks up all requested ids by one query. */
void bonus_spins_load(struct id_table *table, PGconn *conn);
/* Loads all grants of a player that may still be played. */
void bonus_spins_load_player(struct id_table *table, PGconn *conn, player_id player);
/* NULL: no such id. The id must have been looked up. */
struct bonus_spins_entry *bonus_spins_find(
	struct id_table *table, const uint8_t id[WALLET_ID_BYTES]);
/* Adds a new grant; its id must be new. */
void bonus_spins_add(struct id_table *table, const struct wallet_bonus_spins *spins, uint32_t shard,
	uint64_t given_seq);
/* How many of the player's grants in memory are not over. */
uint32_t bonus_spins_live(const struct id_table *table, player_id player, uint64_t now_us);
/* Writes what is newer than Postgres, inside the transaction of the journal rows. */
void bonus_spins_write(struct id_table *table, PGconn *conn);
/* Is anything newer than Postgres? */
bool bonus_spins_dirty(const struct id_table *table);
/* Forgets all entries. Nothing may be newer than Postgres. */
void bonus_spins_clear(struct id_table *table);
/* Forgets a shard's entries: another process may own the shard from now on. */
void bonus_spins_drop_shard(struct id_table *table, uint32_t shard);

#endif
