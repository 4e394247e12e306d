/* Pools in Postgres, schema `pool`. A failed statement ends the process: memory is never repaired.
 * What is read and cannot be right: stored_wrong (libcommon/io/stored.h). */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_STORE_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_STORE_H

#include "services/progressive-pool/adapters/pool_state.h"

#include <libpq-fe.h>

/* Loads pool, rows, tallies and vector into a zeroed instance whose pool number is set. False:
 * there is no such pool yet; only the tallies are loaded. stored_wrong too if its rows are not
 * valid or its books violate the identities: nothing may be paid from them. */
bool pool_store_load(struct pool_instance *instance, PGconn *conn);
/* Inside the transaction: writes all that is not durable yet. */
void pool_store_save(struct pool_instance *instance, PGconn *conn);

/* Finds the hit of a claim in any pool, and that pool. False: there is none. */
bool pool_store_hit_find(
	PGconn *conn, const struct claim_id *id, struct hit_record *record_r, uint32_t *pool_r);
/* The newest hits, at most max, oldest first. */
size_t pool_store_hits_newest(PGconn *conn, uint32_t pool, struct hit_record *records, size_t max);
/* How many claims on a pool are open in the wallet; -1: the query failed. */
int64_t pool_store_claims_open(PGconn *conn, uint32_t pool);

#endif
