/* `jackpotctl rollups verify|rebuild`: the sums of the journal over time (services/gateway,
 * 0013_rollup.sql), made again from the rows: those in the database, and those that are only in the
 * archive. */
#ifndef CARILLON_JACKPOTCTL_ROLLUPS_H
#define CARILLON_JACKPOTCTL_ROLLUPS_H

#include <libpq-fe.h>

#include <stdbool.h>

/* Makes the sums of every partition again, of one day alone if `day` is not NULL, and says which
 * were different. `keep`: the new sums stay; else they are compared only. Needs the owner of the
 * tables. False: a partition differed and was only compared, or could not be read. */
bool rollups_run(PGconn *conn, const char *day, bool keep, bool json);

#endif
