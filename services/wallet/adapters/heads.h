/* Signed heads of the chain (libcommon/io/chain_head.h). Every minute, and when the wallet gives up
 * a shard, it appends one line for each shard whose chain has grown to <folder>/<instance>.heads
 * and syncs the file. The key is wallet/wallet-heads.key in CARILLON_KEYS, created at the first
 * start; its public half is in the folder too. A new key is taken up with the next heads. A second
 * folder gets the same bytes (heads_copy.h). Copy heads and public key to another machine: anybody
 * who can write all of them can forge them. */
#ifndef CARILLON_WALLET_ADAPTERS_HEADS_H
#define CARILLON_WALLET_ADAPTERS_HEADS_H

#include "services/wallet/adapters/app.h"

/* Opens key, folder and file; an empty folder name means no heads. Fatal on failure. `copy`: the
 * second folder; empty: none. */
void heads_start(struct service *service, const char *folder, const char *copy);
/* Every turn: writes the heads that are due. A failed write raises an alarm and is retried. */
void heads_due(struct service *service, uint64_t interval_us, uint64_t mono_us);
/* Writes the last head of a shard that the wallet gives up. */
void heads_end(struct wallet_shard *shard);

#endif
