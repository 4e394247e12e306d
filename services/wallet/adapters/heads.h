/* Signed heads of the chain (libcommon/io/chain_head.h): every minute, and when a shard is given
 * up, one line a shard whose chain has grown, appended to <folder>/<instance>.heads and synced. The
 * key is wallet-heads.key in CARILLON_KEYS, made at the first start; its public half lies in the
 * folder too. Copy both elsewhere: who can write them all can rewrite them. */
#ifndef CARILLON_WALLET_ADAPTERS_HEADS_H
#define CARILLON_WALLET_ADAPTERS_HEADS_H

#include "services/wallet/adapters/app.h"

/* Key, folder and file; an empty folder means no heads. Fatal when they cannot be made. */
void heads_start(struct service *service, const char *folder);
/* Every turn: heads that are due. What cannot be written is an alarm, and tried again. */
void heads_due(struct service *service, uint64_t interval_us, uint64_t mono_us);
/* The shard is given up: its last head. */
void heads_end(struct wallet_shard *shard);

#endif
