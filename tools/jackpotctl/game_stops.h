/* `jackpotctl game ..`: stops a game, or all, for all operators, starts it again, and lists what is
 * stopped. Wallets and engines take a change within two seconds; open rounds can be finished. */
#ifndef CARILLON_JACKPOTCTL_GAME_STOPS_H
#define CARILLON_JACKPOTCTL_GAME_STOPS_H

#include <libpq-fe.h>

#include <stdbool.h>

/* `game` is an id, such as "bewitched", or "all". All end the process with a message when the
 * database is wrong. */
bool game_stop(PGconn *conn, const char *operator_id, const char *game, const char *reason,
	bool json); /* false: it is stopped already, or unknown */
bool game_start(PGconn *conn, const char *operator_id, const char *game, const char *reason,
	bool json);			       /* false: it is not stopped */
bool game_stops_list(PGconn *conn, bool json); /* false: a game is stopped */

#endif
