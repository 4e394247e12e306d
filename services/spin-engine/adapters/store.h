/* The engine's state in Postgres: loads players' states with one query per batch, writes
 * checkpoints in parts. */
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

/* Loads seats for all of these players; a player without stored state gets an empty seat. A
 * player with a state that cannot be decoded is quarantined. */
void store_load(
	PGconn *conn, struct seats *seats, uint32_t shards, const player_id *players, size_t count);
/* Inside the transaction: writes every changed seat and marks it clean. */
void store_save(PGconn *conn, struct seats *seats);
/* The same of one part of those that are due (seats_mark). Also writes those with a change that no
 * fact tells again; they stay changed. */
void store_save_part(PGconn *conn, struct seats *seats);
/* Records new keys. False unless the file still has every key that was ever used; `error`
 * (KEYS_ERROR_MAX bytes) says which it lacks. */
bool store_check_keys(PGconn *conn, const struct keys *keys, char *error);
bool store_has_keys(PGconn *conn);
/* Deletes the engine's stops that operators have ended since (gateway.game_start). */
void store_start(PGconn *conn);
/* True if the engine has stopped all games. */
bool store_all_stopped(PGconn *conn);
/* Games stopped by the engine or by the wallet's kill switch; 0: all games. Returns how many. */
size_t store_stopped(PGconn *conn, uint32_t stopped_r[STORE_STOPPED_MAX]);
void store_stop(PGconn *conn, uint32_t game, const char *reason);
/* Rounds of a game on a shard that have been open for more than `hours`. */
size_t store_due(PGconn *conn, uint32_t shard, uint32_t game, uint32_t hours,
	struct store_due due_r[STORE_DUE_MAX]);
/* Tests only: takes the player's next script. Returns its number of draws; 0: no script, or one
 * that is too long, which the log tells. */
uint32_t store_script(PGconn *conn, player_id player, uint32_t script_r[PLAYER_FORCED_MAX]);
/* The incarnation of a wallet shard. */
uint32_t store_wallet_incarnation(PGconn *conn, uint32_t shard);

#endif
