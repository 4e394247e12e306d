/* Brings stored pools in line with the definitions. The first start creates pools, rows and
 * tallies. Later, a changed seed or row rate takes effect after its row's next hit, a new row
 * starts with W = T, and a changed rate or contribution opens a new tally. A row that the
 * definition no longer has stays live until an operator removes it. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_RECONCILE_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_RECONCILE_H

#include "services/progressive-pool/adapters/pool_state.h"

#include <libpq-fe.h>

#define RECONCILE_TEXT_MAX 256

/* Do the definitions agree? Games that share a pool must have the same rows, and no pool may have
 * the number of a set of Jackpot Cards. If not: what is wrong, in wrong_r. */
bool reconcile_check(const struct game_links *links, char wrong_r[RECONCILE_TEXT_MAX]);
/* Reconciles the rows; marks what changed for the next commit. A definition that the pool cannot
 * take (with the terms that wait, its shares would exceed 1) is refused whole, with an alarm:
 * instance->refused is set, and the rows stay as they are. Call it again later, as hits end
 * waits. */
void reconcile_rows(struct pool_instance *instance, const struct game_links *links);
/* Opens and closes tallies at once, each in its own transaction. */
void reconcile_tallies(
	struct pool_instance *instance, const struct game_links *links, PGconn *conn);

#endif
