/* `jackpotctl offer ..`: which games an operator's players may play, and in which currencies they
 * may open accounts and pay in. Gateways take a change within two seconds. */
#ifndef CARILLON_JACKPOTCTL_OFFERS_H
#define CARILLON_JACKPOTCTL_OFFERS_H

#include <libpq-fe.h>

#include <stdbool.h>

/* `list`: "all", or ids or codes separated by commas. All end the process with a message when the
 * list or the database is wrong. */
bool offer_games_set(PGconn *conn, const char *operator_id, const char *list, const char *reason,
	bool json); /* false: a game is unknown */
bool offer_currencies_set(
	PGconn *conn, const char *operator_id, const char *list, const char *reason, bool json);
bool offers_list(PGconn *conn, bool json); /* true */

#endif
