/* The pools or sets of the shards that this process holds: one list per shard, in
 * service_shard.state. An "instance" here is the service's struct of one pool or set. Its first
 * member is its struct jackpot_link, so a pointer to one is a pointer to the other. */
#ifndef CARILLON_JACKPOT_IO_JACKPOT_LIST_H
#define CARILLON_JACKPOT_IO_JACKPOT_LIST_H

#include "libcommon/io/stored.h"
#include "libcommon/service/service.h"

struct jackpot_link {
	struct jackpot_link *next;
	uint32_t pool;	/* its number */
	uint32_t shard; /* its shard */
	/* Not empty: it leaves the list and is quarantined (jackpot_quarantine.h). */
	struct stored_fault fault;
};

typedef void jackpot_visit(struct service *service, void *instance, uint64_t mono_us);

/* Adds a new instance at the head of its shard's list. The caller frees it after the shard is given
 * up. */
void jackpot_list_add(struct service_shard *shard, struct jackpot_link *link);
/* The instance, NULL when the shard has none of that number. */
void *jackpot_list_find(const struct service_shard *shard, uint32_t pool);
/* Visits every instance of every shard held. */
void jackpot_list_each(struct service *service, jackpot_visit *visit, uint64_t mono_us);

#endif
