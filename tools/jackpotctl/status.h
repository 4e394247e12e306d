/* `jackpotctl status`: who holds which shard, how old leases are, where journals and pools stand.
 */
#ifndef CARILLON_JACKPOTCTL_STATUS_H
#define CARILLON_JACKPOTCTL_STATUS_H

#include <libpq-fe.h>

#include <stdbool.h>

/* False when a shard has no living owner. */
bool status_run(PGconn *conn, bool json);

#endif
