/* Takes the wallet's running totals from a message of the feed, for both jackpot services. Ignores
 * a message that was sent before the wallet's shard was restored. A message that the wallet cannot
 * have sent goes to dead.letters. */
#ifndef CARILLON_JACKPOT_IO_JACKPOT_TOTALS_H
#define CARILLON_JACKPOT_IO_JACKPOT_TOTALS_H

#include "libcommon/io/metrics.h"
#include "libcommon/jackpot/io/pool_feed.h"
#include "libcommon/service/service.h"

/* The service that takes the totals: its word for a pool ("pool", "set"), and its metrics. */
struct jackpot_taker {
	const char *what;
	struct metric *old, *restored;
	struct metric *silent, *left_out; /* asked_totals.h: shards read, shards left out */
};

/* True: source->vector has the totals, and the caller handles the message's claim. False: nothing
 * was taken, the caller ignores the claim, and *status_r is the status of the message. If the
 * wallet's shard was restored, the function sets *dirty and requests a commit. A total that cannot
 * be counted: stored_wrong. */
bool jackpot_totals_take(struct service *service, struct pool_source *source,
	const Carillon__JackpotFeed *feed, const struct jackpot_taker *taker, bool *dirty,
	enum service_message_status *status_r);

#endif
