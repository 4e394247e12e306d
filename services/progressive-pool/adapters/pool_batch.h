/* Pools of which only contributions have come in, which is nearly all of them in nearly every
 * commit: all are written by two statements, however many there are. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_BATCH_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_BATCH_H

#include "services/progressive-pool/adapters/pool_state.h"

#include <libpq-fe.h>

/* Takes a pool that stands in Postgres and has nothing else to be written; false otherwise. */
bool pool_batch_take(struct pool_instance *instance);
/* Inside the transaction: what was taken. */
void pool_batch_save(PGconn *conn);

#endif
