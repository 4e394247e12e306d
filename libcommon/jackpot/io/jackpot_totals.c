/* Totals of the feed. */
#include "libcommon/jackpot/io/jackpot_totals.h"

#include "libcommon/io/log.h"
#include "libcommon/io/stored.h"

bool jackpot_totals_take(struct service *service, struct pool_source *source,
	const Carillon__JackpotFeed *feed, const struct jackpot_taker *taker, bool *dirty,
	enum service_message_status *status_r)
{
	char reason[POOL_FEED_REASON_MAX];
	switch (pool_source_take_or_load(source, service_pg(service), feed, reason)) {
	case POOL_SOURCE_OLD:
		metric_add(taker->old, 1);
		*status_r = SERVICE_TAKEN;
		return false;
	case POOL_SOURCE_UNKNOWN:
	case POOL_SOURCE_AHEAD:
		service_reason(service, "%s", reason);
		*status_r = SERVICE_UNREADABLE;
		return false;
	case POOL_SOURCE_OVERFLOW:
		/* Every later message would be refused as well, with its claim: the pool leaves,
		 * and the wallet repeats the claim. */
		stored_wrong("%s %u: found a total of wallet shard %u that is too large to be "
			     "counted",
			taker->what, feed->pool, feed->shard);
		*status_r = SERVICE_TAKEN;
		return false;
	case POOL_SOURCE_RESTORED:
		metric_add(taker->restored, 1);
		log_warn_as("jackpot.totals.restored",
			"%s %u: wallet shard %u was restored, incarnation %u", taker->what,
			feed->pool, feed->shard, feed->envelope->incarnation);
		*dirty = true;
		service_commit_soon(service);
		break;
	case POOL_SOURCE_OK:
		break;
	}
	return true;
}
