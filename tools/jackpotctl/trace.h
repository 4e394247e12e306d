/* jackpotctl trace: the way of a request through the services, and the rows it led to. */
#ifndef CARILLON_JACKPOTCTL_TRACE_H
#define CARILLON_JACKPOTCTL_TRACE_H

#include "tools/jackpotctl/trace_lines.h"

#include <libpq-fe.h>

/* True: at least one line of the logs or one row of the journal was found. Ends the program with 2
 * where the logs or the database cannot be read. */
bool trace_run(PGconn *conn, const struct trace_sought *sought, const char *folder, bool json);

#endif
