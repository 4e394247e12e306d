/* The directory of owners, for senders of commands: the instance that owns each shard of each
 * service, and its nanomsg address. The directory comes from the rows of carillon.shard and
 * carillon.instance: the caller runs OWNERS_SQL repeatedly and passes each result to
 * owners_take. */
#ifndef CARILLON_IO_OWNERS_H
#define CARILLON_IO_OWNERS_H

#include "libcommon/io/nn_bus.h"

#include <libpq-fe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OWNER_URL_MAX 256

/* An instance that takes or gives up shards, or ends, notifies this channel of Postgres when the
 * new rows are visible. Whoever listens then reads the directory (or looks for free shards) at
 * once, but not more often than every OWNERS_TOLD_US. A notification may be lost: everybody also
 * looks five times a second. */
#define OWNERS_LISTEN_SQL "listen carillon_owners"
#define OWNERS_TOLD_US 10000u

struct owner {
	uint64_t epoch; /* how often the shard was taken; 0: no owner is known */
	char url[OWNER_URL_MAX];
};

struct owners; /* for one thread */

/* Parameter $1 is the name of the asking instance; the result leaves that instance out. A live
 * instance has a row for each shard that it holds, or one row with shard null. */
extern const char OWNERS_SQL[];

struct owners *owners_new(void); /* fatal when memory runs out */
/* Takes a result of OWNERS_SQL and forgets the one before. Calls `list` with every live instance
 * (nn_bus_list). */
void owners_take(struct owners *owners, const PGresult *rows,
	void (*list)(void *context, const struct nn_bus_instance *instance), void *context);
/* Never NULL; valid until the next owners_take. */
const struct owner *owners_of(const struct owners *owners, const char *service, uint32_t shard);
void owners_free(struct owners **owners);

/* Notifies the channel; call it after the commit. A failure is logged: it only means that the
 * others look later. */
void owners_tell(PGconn *conn);
/* Has a connection that listens been notified since the last call? Reads only what has already
 * arrived. */
bool owners_told(PGconn *conn);

#endif
