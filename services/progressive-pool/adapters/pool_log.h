/* Records the events of the pools (core/pool_event.h) in pool.event. Code that changes a pool calls
 * pool_log_sync first, so the change has a known T; comparing the pool before and after yields the
 * events. Each event is applied at once to a second copy of the pool, which proves that the
 * recorded events lead to the stored state. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_LOG_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_LOG_H

#include "services/progressive-pool/adapters/pool_state.h"

#include <libpq-fe.h>

/* Opens the log of a pool that was just loaded, after its last event; a number that cannot be
 * right: stored_wrong. */
void pool_log_open(struct pool_instance *instance, PGconn *conn);
/* Then, for a pool that works: begins the log of a new one (known false). */
void pool_log_begin(struct pool_instance *instance, bool known);
void pool_log_free(struct pool_instance *instance);
/* Records what has happened since the last call: at most one change besides contributions, at the T
 * of the last call. */
void pool_log_sync(struct pool_instance *instance);
/* Records a hit that was just priced; pool_log_sync was called before it. left_out: the wallet
 * shards without whose newest totals it was priced, "{2,3}"; NULL: none. */
void pool_log_hit(struct pool_instance *instance, const struct pool_hit *hit, const char *left_out);
/* Attributes the next events to this action of an operator. */
void pool_log_action(struct pool_instance *instance, const uint8_t *id);
/* Inside the transaction: writes the events of all pools in one statement. */
void pool_log_save(PGconn *conn);

#endif
