/* `jackpotctl commands`: commands that have killed their service, and the release of one that is
 * quarantined. */
#ifndef CARILLON_JACKPOTCTL_COMMANDS_H
#define CARILLON_JACKPOTCTL_COMMANDS_H

#include <libpq-fe.h>

#include <stdbool.h>

/* Lists them, quarantined ones first. False when a command is quarantined. */
bool commands_list(PGconn *conn, bool json);
/* Releases a command, so that its service takes it again; `id` as listed. False: no such command is
 * quarantined. */
bool commands_release(PGconn *conn, const char *id, bool json);

#endif
