/* Reads the totals of a wallet shard from its database, for a shard that has no owner or whose
 * owner does not reply in time. The result is the reply that the owner would send. */
#ifndef CARILLON_JACKPOT_IO_SHARD_TOTALS_H
#define CARILLON_JACKPOT_IO_SHARD_TOTALS_H

#include "jackpot.pb-c.h"
#include "libcommon/jackpot/io/pool_feed.h"

/* Reads wallet.tally_total and the later rows of the journal: all that the shard has committed for
 * this pool. A tally that is folded here is included only if its total in the wallet is larger than
 * the one that the pool has stored. Returns a message without a claim, to be freed with
 * carillon__jackpot_feed__free_unpacked(feed, NULL); NULL, with a log line, when a statement fails.
 * A lost connection ends the process. */
Carillon__JackpotFeed *shard_totals_read(
	const struct pool_source *source, PGconn *conn, uint32_t shard);

#endif
