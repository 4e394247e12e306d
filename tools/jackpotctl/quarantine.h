/* Players whom an engine has quarantined because something stored about them cannot be read. */
#ifndef CARILLON_TOOLS_JACKPOTCTL_QUARANTINE_H
#define CARILLON_TOOLS_JACKPOTCTL_QUARANTINE_H

#include <libpq-fe.h>
#include <stdbool.h>

/* Prints all of them. True: there are none. */
bool quarantine_list(PGconn *conn, bool json);
/* Prints what is known about one: the row of the journal that cannot be read, and how many rows the
 * engine has missed since. player: "1-17" or a number. False: they are not quarantined. */
bool quarantine_show(PGconn *conn, const char *player, bool json);
/* Asks the engine to try again, and waits up to 10 s for it. True: the player is back. */
bool quarantine_release(PGconn *conn, const char *player);

#endif
