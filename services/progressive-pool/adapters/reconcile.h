/* What the definitions say of a pool, against what is stored: pools, rows and tallies are made at
 * the first start; later, changed seeds and row rates wait for their row's next win, a new row
 * starts with W = T, a changed rate or contribution opens a new tally. A row that a definition has
 * no longer stays live until an operator takes it off. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_RECONCILE_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_RECONCILE_H

#include "services/progressive-pool/adapters/pool_state.h"

#include <libpq-fe.h>

/* Fatal when the definitions contradict each other about a pool: games that share one must have the
 * same rows. */
void reconcile_check(const struct game_links *links);
/* Rows; what changed is marked for the next commit. Fatal when the rows would not be solvent. */
void reconcile_rows(struct pool_instance *instance, const struct game_links *links);
/* Tallies, at once, each in a transaction of its own. */
void reconcile_tallies(
	struct pool_instance *instance, const struct game_links *links, PGconn *conn);

#endif
