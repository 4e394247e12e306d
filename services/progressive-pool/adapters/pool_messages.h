/* What the pool says: awards to the wallet, hits, state and operators' actions to jackpot.facts.
 * All are sent after the commit that made them true: queued ones by the loop, the `_now` ones by
 * callers who know it is past. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_MESSAGES_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_MESSAGES_H

#include "libcommon/io/redis_link.h"
#include "libcommon/service/service.h"
#include "services/progressive-pool/adapters/pool_state.h"

/* now: the hit is durable. */
void pool_send_award(struct service *service, const struct pool_instance *instance,
	const struct hit_record *record, bool now);
void pool_send_hit(struct service *service, const struct pool_instance *instance,
	const struct hit_record *record, bool now);
/* The state that the transaction under way makes durable: behind the hits of the same commit. */
void pool_send_state(struct service *service, const struct pool_instance *instance);
/* Counters to Redis; false when they did not get there. */
bool pool_show_counters(struct redis_link *link, const struct pool_instance *instance);

#endif
