/* What is out of work because something stored about it cannot be read: players, by an engine or a
 * wallet; pools and sets of Jackpot Cards, by their services. */
#ifndef CARILLON_TOOLS_JACKPOTCTL_QUARANTINE_H
#define CARILLON_TOOLS_JACKPOTCTL_QUARANTINE_H

#include <libpq-fe.h>

#include <stdbool.h>

/* Lists all. False when there are any. */
bool quarantine_list(PGconn *conn, bool json);
/* Shows what was found. Of a player, "1-17" or a number: the row of the journal that cannot be
 * read; of one who is quarantined by the wallet, their newest row that is known. Of a pool or set,
 * "pool:3": how many claims wait. False: it is not quarantined. */
bool quarantine_show(PGconn *conn, const char *text, bool json);
/* Asks the service to try it again, and waits for that. False: it is not quarantined, or stays so.
 */
bool quarantine_release(PGconn *conn, const char *text, bool json);

#endif
