/* The column wallet.account.pendings. */
#ifndef CARILLON_WALLET_ADAPTERS_PENDINGS_TEXT_H
#define CARILLON_WALLET_ADAPTERS_PENDINGS_TEXT_H

#include "services/wallet/core/wallet.h"

/* Reads "{5,3,100,7,9,40}", triples of game, round and amount, into the account, which has none.
 * False: there are too many, or something else is found. */
bool pendings_read(const char *text, struct wallet_account *account);

#endif
