/* What the engine keeps in Postgres: states of players by one query a batch, checkpoints by two
 * statements a second. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_STORE_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_STORE_H

#include "services/spin-engine/adapters/keys.h"
#include "services/spin-engine/adapters/seats.h"

#include <libpq-fe.h>

#define STORE_STOPPED_MAX 64
#define STORE_DUE_MAX 100

/* A round that has been open too long. */
struct store_due {
	player_id player;
	uint64_t round;
};

/* Seats for all of these players; those of whom nothing is kept get an empty one. Fatal on a state
 * that cannot be read. */
void store_load(
	PGconn *conn, struct seats *seats, uint32_t shards, const player_id *players, size_t count);
/* Inside the transaction: every changed seat, which is clean then. Returns how many. */
size_t store_save(PGconn *conn, struct seats *seats);
/* Fatal unless every key ever used is in the file, and is the same. Notes new ones. */
void store_check_keys(PGconn *conn, const struct keys *keys);
bool store_has_keys(PGconn *conn);
/* Takes back the stops that operators have ended since (gateway.game_start). */
void store_start(PGconn *conn);
/* Has the engine stopped all games? */
bool store_all_stopped(PGconn *conn);
/* Games stopped by the engine or by the wallet's kill switch; 0: all. Returns how many. */
size_t store_stopped(PGconn *conn, uint32_t stopped_r[STORE_STOPPED_MAX]);
void store_stop(PGconn *conn, uint32_t game, const char *reason);
/* Rounds of a game open for longer than that, on a shard. */
size_t store_due(PGconn *conn, uint32_t shard, uint32_t game, uint32_t hours,
	struct store_due due_r[STORE_DUE_MAX]);
/* Tests only: takes the player's next script. Returns how many draws, 0: none. Fatal on one that is
 * too long. */
uint32_t store_script(PGconn *conn, player_id player, uint32_t script_r[PLAYER_FORCED_MAX]);
/* The incarnation of a shard of the wallet. */
uint32_t store_wallet_incarnation(PGconn *conn, uint32_t shard);

#endif
