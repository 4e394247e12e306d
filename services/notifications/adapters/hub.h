/* Shared state of carillon-notifications: one hub per process, one thread. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_HUB_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_HUB_H

#include "libcommon/edge/revoked.h"
#include "libcommon/edge/token.h"
#include "libcommon/io/instance.h"
#include "libcommon/io/metrics.h"
#include "services/notifications/adapters/clients.h"
#include "services/notifications/adapters/feeds.h"
#include "services/notifications/adapters/presence.h"
#include "services/notifications/adapters/wrong.h"

struct hub {
	struct clients *clients; /* first: the edge's context is a pointer to it */
	struct edge *edge;
	struct feeds *feeds;
	struct presence *presence;
	struct pg_pool *pg, *pg_ro;
	struct nn_bus *bus;
	struct instance *instance;
	struct token_key *key;
	struct revoked *revoked;
	struct wrong *wrong;
	struct counters counters;
	struct winners winners;
	struct holdback holdback;
	char epoch[FRAME_EPOCH_MAX];	     /* of the stream of winners */
	char process_epoch[FRAME_EPOCH_MAX]; /* of the counters: names this process */
	uint64_t pushes;
	uint64_t winners_taken; /* how many there were */
	/* The snapshots for all who subscribe now; NULL when there is none in force. */
	struct frame *counters_snapshot, *winners_snapshot;
	uint64_t snapshot_revision; /* of the counters in it */
	struct metric *age, *recovered, *lost, *winners_told, *counters_told;
	char text[FRAME_MAX];
};

/* Sets up key, epochs and metrics; ends the process if there is no key. */
void hub_begin(struct hub *hub);
/* Queries Postgres for the epoch of the winners: the installation's creation time, the same for all
 * instances. Until it is known, clients cannot resume. */
void hub_query_epoch(struct hub *hub);
/* Makes a frame from the first `length` bytes of hub->text, see frame_new(). Length 0 (the text did
 * not fit) ends the process. */
struct frame *hub_frame(const struct hub *hub, size_t length, const char *event, const char *id);
/* Frees everything, the edge and the connections included. */
void hub_end(struct hub *hub);

#endif
