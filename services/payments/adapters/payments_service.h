/* The payments of the shards held, on the loop of libcommon/service/service.h. */
#ifndef CARILLON_PAYMENTS_ADAPTERS_PAYMENTS_SERVICE_H
#define CARILLON_PAYMENTS_ADAPTERS_PAYMENTS_SERVICE_H

#include "libcommon/service/service.h"
#include "services/payments/adapters/provider.h"

struct payments_entry {
	struct payout payout;
	char reference[PROVIDER_REFERENCE_MAX + 1];
	bool dirty; /* newer than Postgres: nothing is done about it before it is written */
	bool asked; /* a question is under way */
	uint64_t decided_us; /* the wallet was told of a decision by hand; 0: not by us */
};

struct payments_shard {
	uint32_t shard;
	uint64_t cursor; /* holds up to this journal row are known */
	struct payments_entry *entries;
	size_t n, room;
	uint32_t *places; /* by id, see entries.c */
	size_t looked;	  /* where the next look at holds begins */
};

struct payments_alarm {
	struct payout payout;
	uint32_t shard;
	const char *kind, *expected;
	char found[PROVIDER_FOUND_MAX];
};

/* One of this id, NULL: not in memory. */
struct payments_entry *payments_find(
	struct payments_shard *shard, const uint8_t id[PAYOUT_ID_BYTES]);
/* One whose id is not there yet. Pointers to entries end here. */
struct payments_entry *payments_add(struct payments_shard *shard, const struct payout *payout);
/* The last entry takes its place. */
void payments_remove(struct payments_shard *shard, struct payments_entry *entry);
/* The shard with all of them; not NULL. */
void payments_free(struct payments_shard *shard);

extern const struct setting payments_settings[];
void payments_start(struct service *service);
void payments_open(struct service *service, struct service_shard *held);
void payments_close(struct service *service, struct service_shard *held);
void payments_bus(struct service *service, const uint8_t *bytes, size_t length);
void payments_tick(struct service *service, uint64_t mono_us);
void payments_write(struct service *service);
bool payments_drained(struct service *service);

#endif
