/* One pass over the journal's rows for the rules that look at every row. The rows come in the order
 * of shard and seq, which is the order of the journal's key: nothing is sorted. The pass only tells
 * whether a rule may be broken. The query of that rule is then asked, and names the breaches; of a
 * ledger in order none of them is. What the pass cannot read raises every doubt.
 *
 * Memory is that of one fetch, and of the accounts in scope with their pending money. */
#ifndef CARILLON_JACKPOTCTL_VERIFY_ROWS_H
#define CARILLON_JACKPOTCTL_VERIFY_ROWS_H

#include "tools/jackpotctl/verify.h"
#include "tools/jackpotctl/verify_scope.h"

/* doubts_r has VERIFY_RULES items: may this rule be broken? Ends the process with a message when
 * the database cannot be read. */
void verify_rows_run(PGconn *conn, const struct verify_scope *scope, bool *doubts_r);

#endif
