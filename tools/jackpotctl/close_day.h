/* `jackpotctl ledger close-day --now`: asks every shard of the wallet to close what has accrued so
 * far, beside the daily close, and waits until all have. */
#ifndef CARILLON_JACKPOTCTL_CLOSE_DAY_H
#define CARILLON_JACKPOTCTL_CLOSE_DAY_H

#include <libpq-fe.h>

#include <stdbool.h>

/* False, after a message: some shard did not answer within 10 s. It still will when it runs. */
bool close_day_run(PGconn *conn, bool json);

#endif
