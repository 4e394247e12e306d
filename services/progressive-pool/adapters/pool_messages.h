/* Messages of the pool: awards to the wallet; hits, states and operators' actions to jackpot.facts.
 * All are sent after the commit that makes them true: the loop sends queued messages; a caller that
 * passes now = true knows that the commit is done. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_MESSAGES_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_MESSAGES_H

#include "libcommon/io/redis_link.h"
#include "libcommon/service/service.h"
#include "services/progressive-pool/adapters/pool_state.h"

/* now: send at once, the hit is durable. */
void pool_send_award(struct service *service, const struct pool_instance *instance,
	const struct hit_record *record, bool now);
void pool_send_hit(struct service *service, const struct pool_instance *instance,
	const struct hit_record *record, bool now);
/* Queues the state that the current transaction makes durable, after the hits of that commit. */
void pool_send_state(struct service *service, const struct pool_instance *instance);
/* Writes the counters to Redis; false: Redis did not take them. */
bool pool_show_counters(struct redis_link *link, const struct pool_instance *instance);

#endif
