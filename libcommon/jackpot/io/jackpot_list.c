/* Lists of pools and sets. */
#include "libcommon/jackpot/io/jackpot_list.h"

void jackpot_list_add(struct service_shard *shard, struct jackpot_link *link)
{
	link->next = shard->state;
	link->shard = shard->shard;
	shard->state = link;
}

void *jackpot_list_find(const struct service_shard *shard, uint32_t pool)
{
	struct jackpot_link *at = shard->state;
	while (at != NULL && at->pool != pool)
		at = at->next;
	return at;
}

void jackpot_list_each(struct service *service, jackpot_visit *visit, uint64_t mono_us)
{
	struct service_shard *shard;
	for (size_t i = 0; (shard = service_shard_at(service, i)) != NULL; i++)
		for (struct jackpot_link *at = shard->state; at != NULL; at = at->next)
			visit(service, at, mono_us);
}
