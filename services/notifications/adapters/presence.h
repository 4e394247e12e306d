/* Shares player presence with the gateways through Redis (docs/contracts.md, "Sessions"): reads
 * sessions that have ended by inactivity, writes lost connections. If Redis is away or has lost its
 * data, no session counts as ended and no connection as lost. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_PRESENCE_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_PRESENCE_H

#include "libcommon/base/ids.h"
#include "libcommon/base/session.h"

#include <stddef.h>

struct presence;

struct presence *presence_new(const char *redis);
void presence_free(struct presence **presence);

/* Records that the player's connection to the game was lost now. */
void presence_lost(struct presence *presence, player_id player, const char *game);
/* Looks up sessions by name; seen_r gets n entries, acted_ms is 0 for an unknown session. */
void presence_look(
	struct presence *presence, const char *const *names, size_t n, struct session_seen *seen_r);
/* Ten times a second: sends the recorded losses. */
void presence_flush(struct presence *presence);

#endif
