/* `jackpotctl pool fold`: a pool's old events are replayed, exported into a file that is proven,
 * and leave the database for the state that they led to, which every later replay begins with. */
#ifndef CARILLON_JACKPOTCTL_FOLD_H
#define CARILLON_JACKPOTCTL_FOLD_H

#include <libpq-fe.h>

#include <stdbool.h>

struct fold_options {
	const char *pool;
	long retain_days;
	const char *archive; /* folder, made where it is missing */
	bool json;
};

/* Events of before today (UTC) less so many days, but never the last one. Safe beside live services
 * and to repeat after any interruption. 0: done, or nothing was that old; 1: something did not
 * match, which is told, and nothing is touched; 2: bad arguments. */
int fold_run(PGconn *conn, const struct fold_options *options);

#endif
