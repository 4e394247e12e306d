/* What the parts of notifications share: one hub a process, one thread. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_HUB_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_HUB_H

#include "libcommon/edge/token.h"
#include "libcommon/io/instance.h"
#include "libcommon/io/metrics.h"
#include "services/notifications/adapters/clients.h"
#include "services/notifications/adapters/feeds.h"
#include "services/notifications/adapters/presence.h"

struct hub {
	struct clients *clients; /* first: the edge's context is a pointer to it */
	struct edge *edge;
	struct feeds *feeds;
	struct presence *presence;
	struct pg_pool *pg, *pg_ro;
	struct nn_bus *bus;
	struct instance *instance;
	struct token_key *key;
	struct counters counters;
	struct winners winners;
	struct holdback holdback;
	char epoch[FRAME_EPOCH_MAX];	     /* of the stream of winners */
	char process_epoch[FRAME_EPOCH_MAX]; /* of the counters: this process */
	uint64_t pushes;
	struct metric *age, *recovered, *lost, *winners_told, *counters_told;
	char text[FRAME_MAX];
};

/* Key, epochs and metrics; ends the process without a key. */
void hub_begin(struct hub *hub);
/* Asks Postgres for the epoch of the winners: the installation's age, the same for all instances.
 * Until it is known clients cannot resume. */
void hub_query_epoch(struct hub *hub);
/* The first `length` bytes of hub->text as a frame, see frame_new(). A length of 0, for which the
 * text had no room, ends the process. */
struct frame *hub_frame(const struct hub *hub, size_t length, const char *event, const char *id);
/* Frees all, the edge and the sources too. */
void hub_end(struct hub *hub);

#endif
