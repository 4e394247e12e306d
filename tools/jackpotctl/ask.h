/* Commands that ask the gateway, as a back end does: with an operator's key. So what the key may
 * not do is refused, and what needs a second person waits for one, as everywhere else. */
#ifndef CARILLON_JACKPOTCTL_ASK_H
#define CARILLON_JACKPOTCTL_ASK_H

#include "tools/jackpotctl/command.h"

/* Sends the request of the call's row, and prints the answer. Returns the exit status: 1 refused, 2
 * the request is wrong or got no answer, 3 it waits for another user or key. */
int run_ask(const struct call *call);

#endif
