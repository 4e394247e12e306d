/* The daily close of this instance's shards. Once a UTC day it moves from HOUSE to JACKPOT:<pool>
 * what stakes have accrued for pools and sets of Jackpot Cards (docs/progressive.md, "The daily
 * close"). */
#ifndef CARILLON_WALLET_ADAPTERS_CLOSE_H
#define CARILLON_WALLET_ADAPTERS_CLOSE_H

#include "services/wallet/adapters/app.h"

/* Inside the transaction, after wallet_write: closes every shard that has not closed yesterday yet,
 * and every shard that a new row of wallet.close_request names. A close that midnight began leaves
 * out today's rows of this batch. */
void close_due(struct wallet *wallet, struct service *service);
/* Before the transaction: will close_due read or write anything? */
bool close_is_due(struct wallet *wallet, struct service *service);

#endif
