/* Point 15 of the proof: every card round dealt again. Only the owner of Jackpot Cards has the key
 * that cards are dealt with, so `carillon-jackpot-cards --verify` deals them, and here the rows are
 * read for it, in the snapshot of the proof. Memory is that of one fetch. */
#ifndef CARILLON_JACKPOTCTL_VERIFY_CARDS_H
#define CARILLON_JACKPOTCTL_VERIFY_CARDS_H

#include "tools/jackpotctl/verify.h"
#include "tools/jackpotctl/verify_scope.h"

#define VERIFY_POINT_CARDS 15

/* Fills the point and report->cards: all card rounds whose claim was opened or closed by a row in
 * scope. Ends the process with a message when the database cannot be read or the program fails; a
 * program that has no key is no failure unless it was asked for: the report then says so. */
void verify_cards_run(PGconn *conn, const struct verify_options *options,
	const struct verify_scope *scope, struct verify_report *report);

#endif
