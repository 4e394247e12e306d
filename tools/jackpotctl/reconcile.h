/* `jackpotctl reconcile FILE`: a back end's own list of deposits against the ledger, by the id that
 * each deposit was answered with. */
#ifndef CARILLON_JACKPOTCTL_RECONCILE_H
#define CARILLON_JACKPOTCTL_RECONCILE_H

#include <libpq-fe.h>

#include <stdbool.h>

/* The file has a line for each deposit of one operator, "id,player,currency,amount_minor":
 *
 *     5f0c1e7a93b24d68a0c5f2e19b7d4836,1-17,EUR,5000
 *
 * Each must be booked once, as listed; each deposit of this operator that is booked must be listed
 * (day: YYYY-MM-DD, only those booked on this UTC day; NULL: all). Prints each difference. Returns
 * true if there is none. Ends the process with a message when the file or the database is wrong. */
bool reconcile_run(PGconn *conn, const char *path, const char *day, bool json);

#endif
