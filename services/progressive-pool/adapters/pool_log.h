/* The events of the pools (core/pool_event.h) as they are written down, in pool.event: whoever
 * changes a pool calls pool_log_sync before, so that what follows happens at a T that is known;
 * what the change was is found by comparing. Every event is applied again to a second copy of the
 * pool at once, so that what is written down is known to lead to the state that is written beside
 * it. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_LOG_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_LOG_H

#include "services/progressive-pool/adapters/pool_state.h"

#include <libpq-fe.h>

/* Of a pool as it was loaded, or new (known false): its log goes on behind the last event. */
void pool_log_open(struct pool_instance *instance, PGconn *conn, bool known);
void pool_log_free(struct pool_instance *instance);
/* Writes down what has happened since the last call: at most one thing besides contributions, at
 * the T of the last call. */
void pool_log_sync(struct pool_instance *instance);
/* A hit that has just been priced; sync was called before it. */
void pool_log_hit(struct pool_instance *instance, const struct pool_hit *hit);
/* An operator's request was done: the next events are of it. */
void pool_log_action(struct pool_instance *instance, const uint8_t *id);
/* Inside the transaction: the events of all pools, in one statement. */
void pool_log_save(PGconn *conn);

#endif
