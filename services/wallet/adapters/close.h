/* The daily close of the shards held: once a UTC day, what their stakes have accrued for pools and
 * sets of Jackpot Cards moves from HOUSE to JACKPOT:<pool> (docs/progressive.md, "The daily
 * close"). */
#ifndef CARILLON_WALLET_ADAPTERS_CLOSE_H
#define CARILLON_WALLET_ADAPTERS_CLOSE_H

#include "services/wallet/adapters/app.h"

/* Inside the transaction, after wallet_write: closes every shard that has not closed yesterday yet,
 * and those that a new row of wallet.close_request asks. Rows of this batch that are of today stay
 * out of a close that midnight began. */
void close_due(struct wallet *wallet, struct service *service);

#endif
