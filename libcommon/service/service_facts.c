/* Facts from their source: a service whose facts are rows of a journal reads the rows themselves
 * until it knows the newest one, before it takes a command; and later whenever Kafka brings nothing
 * new, lacks something, or is away. So Kafka can be late, lose its tail, or be made anew. */
#include "libcommon/service/loop.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#define FACTS_A_TURN 1000u
#define QUIET_US 1000000u /* Kafka has brought nothing for so long: perhaps there is something */
#define BEHIND_US 200000u /* there was something */
#define AGAIN_US 20000u	  /* between two reads that somebody waits for */

/* The topic whose facts have another source; -1: none. */
static int facts_topic(const struct service *service)
{
	for (int t = 0; t < service->ops->topics_n; t++)
		if (service->ops->topics[t].sequenced)
			return t;
	return -1;
}

static void facts_of(struct service *service, struct holding *holding, int topic)
{
	uint64_t before = holding->shard.position[topic].seq, seq = before;
	size_t n = service->ops->facts(service, &holding->shard, FACTS_A_TURN, &seq);
	uint64_t now_us = clock_mono_us();
	metric_add(service->metrics.facts_read, seq - before);
	if (seq > before)
		holding->shard.position[topic].seq = seq;
	holding->facts_read_us = now_us;
	if (n == FACTS_A_TURN) {
		holding->facts_due_us = now_us + (seq > before ? 0 : QUIET_US);
		return;
	}
	holding->facts_due_us = now_us + (n > 0 ? BEHIND_US : QUIET_US);
	if (holding->readings[topic].reached)
		return;
	holding->readings[topic].reached = true;
	log_info("shard %u: its facts are read up to the newest, seq %llu", holding->shard.shard,
		(unsigned long long)holding->shard.position[topic].seq);
}

void service_facts_read(struct service *service)
{
	int topic = facts_topic(service);
	if (service->ops->facts == NULL || topic < 0)
		return;
	for (size_t i = 0; i < service->held_n; i++) {
		struct holding *holding = service->held[i];
		uint64_t now_us = clock_mono_us();
		bool asked = holding->facts_asked && now_us >= holding->facts_read_us + AGAIN_US;
		if (!asked && now_us < holding->facts_due_us)
			continue;
		holding->facts_asked = false;
		facts_of(service, holding, topic);
	}
}

void service_facts_heard(struct service *service, struct holding *holding, int topic)
{
	if (service->ops->facts != NULL && holding->readings[topic].reached)
		holding->facts_due_us = clock_mono_us() + QUIET_US;
}

void service_facts_soon(struct service *service, struct service_shard *shard)
{
	(void)service;
	((struct holding *)shard)->facts_asked = true;
}
