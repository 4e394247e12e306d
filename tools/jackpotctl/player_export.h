/* `jackpotctl player export`: all that the network holds about a player. */
#ifndef CARILLON_JACKPOTCTL_PLAYER_EXPORT_H
#define CARILLON_JACKPOTCTL_PLAYER_EXPORT_H

#include <libpq-fe.h>

#include <stdbool.h>

/* Writes one JSON document about a player, "1-17", to stdout, page by page. False: the player has
 * no account. */
bool player_export(PGconn *conn, const char *player);

#endif
