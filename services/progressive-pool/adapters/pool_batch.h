/* Writes all pools that only received contributions (nearly all pools in nearly every commit) with
 * two statements. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_BATCH_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_BATCH_H

#include "services/progressive-pool/adapters/pool_state.h"

#include <libpq-fe.h>

/* Adds a pool that is stored in Postgres and has nothing else to write; false: not such a pool. */
bool pool_batch_take(struct pool_instance *instance);
/* Inside the transaction: writes the added pools. */
void pool_batch_save(PGconn *conn);

#endif
