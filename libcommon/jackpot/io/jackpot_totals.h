/* The wallet's running totals in a message of the feed, taken alike by both jackpot services: what
 * is from before a restore counts no more, what nobody could have sent is a dead letter. */
#ifndef CARILLON_JACKPOT_IO_JACKPOT_TOTALS_H
#define CARILLON_JACKPOT_IO_JACKPOT_TOTALS_H

#include "libcommon/io/metrics.h"
#include "libcommon/jackpot/io/pool_feed.h"
#include "libcommon/service/service.h"

/* Who takes them: its word for what it keeps ("pool", "set"), and its counters. */
struct jackpot_taker {
	const char *what;
	struct metric *old, *restored;
};

/* True: the totals are in source->vector, and the claim counts. False: nothing was taken, the claim
 * is void, and *status_r is what becomes of the message. *dirty is set where the wallet's shard was
 * restored; the commit is asked for then. A total that cannot be counted ends the process. */
bool jackpot_totals_take(struct service *service, struct pool_source *source,
	const Carillon__JackpotFeed *feed, const struct jackpot_taker *taker, bool *dirty,
	enum service_message_status *status_r);

#endif
