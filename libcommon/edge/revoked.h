/* Sessions that end before their token expires, because the player logs out. The gateway writes
 * them to gateway.revoked; every instance of gateway and notifications reads the new rows and
 * refuses their tokens. */
#ifndef CARILLON_EDGE_REVOKED_H
#define CARILLON_EDGE_REVOKED_H

#include "libcommon/base/ids.h"
#include "libcommon/io/pg.h"

#include <stdbool.h>
#include <stdint.h>

struct revoked;

/* What a row of gateway.revoked ends: one session, or all sessions of a player that began at
 * before_s or earlier. */
struct revocation {
	const char *session; /* NULL: all of the player */
	player_id player;
	uint64_t before_s; /* seconds since 1970 */
};

/* Calls `ended` for each row that revoked_read adds; NULL: no call. */
struct revoked *revoked_new(
	void (*ended)(void *context, const struct revocation *revocation), void *context);
void revoked_free(struct revoked **revoked);

/* Adds a session by its name (session_name() of libcommon/base/session.h). expires_s is when its
 * token expires, in seconds since 1970; some time after that the session is forgotten. */
void revoked_add(struct revoked *revoked, const char *session, uint64_t now_s, uint64_t expires_s);
bool revoked_has(const struct revoked *revoked, const char *session);
/* The same for all sessions of a player that began at before_s or earlier; expires_s is when the
 * last of their tokens expires. */
void revoked_add_player(struct revoked *revoked, player_id player, uint64_t before_s,
	uint64_t now_s, uint64_t expires_s);
/* A time in seconds since 1970: this player's tokens that were issued then or earlier are refused.
 * 0: none. */
uint64_t revoked_before_s(const struct revoked *revoked, player_id player);

/* Reads new rows; does nothing while a read is under way. Call it every 250 ms. */
void revoked_read(struct revoked *revoked, struct pg_pool *pool);
/* True once all rows written before the process started have been read. */
bool revoked_known(const struct revoked *revoked);

#endif
