/* Pools in Postgres, schema `pool`. Errors there end the process: memory is never repaired. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_STORE_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_STORE_H

#include "services/progressive-pool/adapters/pool_state.h"

#include <libpq-fe.h>

/* Loads pool, rows, tallies and vector into a zeroed instance whose pool number is set. False when
 * there is no such pool yet; then only the tallies are loaded. Fatal when what is stored does not
 * satisfy the identities: nothing may be paid out of broken books. */
bool pool_store_load(struct pool_instance *instance, PGconn *conn);
/* Inside the transaction: all that is not durable yet. */
void pool_store_save(struct pool_instance *instance, PGconn *conn);

/* The hit of a claim, whichever pool's; *pool_r is whose. False if there is none. */
bool pool_store_hit_find(
	PGconn *conn, const struct claim_id *id, struct hit_record *record_r, uint32_t *pool_r);
/* The newest hits, at most max, oldest first. */
size_t pool_store_hits_newest(PGconn *conn, uint32_t pool, struct hit_record *records, size_t max);
/* Claims on a pool that the wallet has not seen paid; -1 when that cannot be read. */
int64_t pool_store_claims_open(PGconn *conn, uint32_t pool);

#endif
