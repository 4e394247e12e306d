/* The rows that dropped days left in wallet.carried, on which points 1 to 14 build: each must be
 * the row of its day's file in the archive, and the rows of the file must make the digests of the
 * chain. A part of point 10. */
#ifndef CARILLON_JACKPOTCTL_VERIFY_ARCHIVE_H
#define CARILLON_JACKPOTCTL_VERIFY_ARCHIVE_H

#include "tools/jackpotctl/verify.h"

/* In the snapshot. Without a folder it only counts the rows that were not compared. Ends the
 * process with a message when a file is missing or cannot be read. */
void verify_archive_run(
	PGconn *conn, const struct verify_options *options, struct verify_report *report);

#endif
