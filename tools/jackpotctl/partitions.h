/* `jackpotctl ledger close`: days of the journal that the wallet has closed are exported, proven
 * and, if they are older than is asked for, dropped. */
#ifndef CARILLON_JACKPOTCTL_PARTITIONS_H
#define CARILLON_JACKPOTCTL_PARTITIONS_H

#include <libpq-fe.h>

#include <stdbool.h>

struct partitions_options {
	const char *archive; /* folder, made where it is missing */
	long retain_days;    /* whole days to keep behind the newest; 0: drop none */
	bool json;	     /* one document at the end, also of what was done before a failure */
};

/* Exports every closed leaf into a file of its own, reads that back and compares, and notes it in
 * wallet.leaf; then carries over, detaches and drops what is older. Safe to repeat after any
 * interruption. False: something did not match or could not be done; it is told on stderr and
 * nothing behind it is touched. */
bool partitions_close(PGconn *conn, const struct partitions_options *options);

#endif
