/* Dead letters: messages that services could not read. True: it was done; for the list: none waits.
 */
#ifndef CARILLON_JACKPOTCTL_DEAD_H
#define CARILLON_JACKPOTCTL_DEAD_H

#include <libpq-fe.h>

#include <stdbool.h>

bool dead_list(PGconn *conn, bool json);
/* what: "send" or "settle". */
bool dead_act(PGconn *conn, const char *what, const char *operator_id, const char *letter,
	const char *reason, bool json);

#endif
