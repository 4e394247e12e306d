/* What notifications and the gateways know together of players (docs/contracts.md, "Sessions"), by
 * Redis: sessions that have ended by inactivity are read, lost connections are written. Redis may
 * be away or have lost it: then nobody is sent away, and nothing was lost. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_PRESENCE_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_PRESENCE_H

#include "libcommon/base/ids.h"
#include "libcommon/base/session.h"

#include <stddef.h>

struct presence;

struct presence *presence_new(const char *redis);
void presence_free(struct presence **presence);

/* The player's connection to the game was lost now. */
void presence_lost(struct presence *presence, player_id player, const char *game);
/* What is known of sessions, by name; seen_r gets n entries, acted_ms 0 where nothing is. */
void presence_look(
	struct presence *presence, const char *const *names, size_t n, struct session_seen *seen_r);
/* Ten times a second: sends what was noted. */
void presence_flush(struct presence *presence);

#endif
