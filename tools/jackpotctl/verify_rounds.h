/* Point 14 of the proof: every booked move replayed. Only the engine's owner has the key that draws
 * were made with, so `carillon-spin-engine --verify` replays, and here the rows are read for it, in
 * the snapshot of the proof, account by account. Memory is that of one fetch. */
#ifndef CARILLON_JACKPOTCTL_VERIFY_ROUNDS_H
#define CARILLON_JACKPOTCTL_VERIFY_ROUNDS_H

#include "tools/jackpotctl/verify.h"
#include "tools/jackpotctl/verify_scope.h"

#define VERIFY_POINT_ROUNDS 14

/* Fills the point and report->replay. Ends the process with a message when the database cannot be
 * read or the engine fails; an engine that has no key is no failure unless it was asked for: the
 * report then says why nothing was replayed. */
void verify_rounds_run(PGconn *conn, const struct verify_options *options,
	const struct verify_scope *scope, struct verify_report *report);
/* Was every move in scope replayed? */
bool verify_rounds_all(const struct verify_options *options, const struct verify_report *report);

#endif
