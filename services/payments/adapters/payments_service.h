/* The payments of the shards that this instance owns, on the loop of
 * libcommon/service/service.h. */
#ifndef CARILLON_PAYMENTS_ADAPTERS_PAYMENTS_SERVICE_H
#define CARILLON_PAYMENTS_ADAPTERS_PAYMENTS_SERVICE_H

#include "libcommon/service/service.h"
#include "services/payments/adapters/provider.h"

struct payments_entry {
	struct payout payout;
	char reference[PROVIDER_REFERENCE_MAX + 1];
	bool dirty; /* newer than Postgres: must be written before anything else happens */
	bool asked; /* a request to the provider is open */
	bool told;  /* that it is out */
	bool heard; /* this process has got the provider's outcome */
	bool out;   /* what is stored about it cannot be right: nothing is done for it until the
		       shard is opened again */
	uint64_t
		decided_us; /* when this process sent the wallet an operator's decision; 0: never */
};

struct payments_shard {
	uint32_t shard;
	uint64_t cursor; /* holds up to this journal row are loaded */
	struct payments_entry *entries;
	size_t n, room;
	uint32_t *places; /* index by id, see entries.c */
	size_t looked;	  /* where the next check of holds starts */
};

struct payments_alarm {
	struct payout payout;
	uint32_t shard;
	const char *kind, *expected;
	char found[PROVIDER_FOUND_MAX];
};

/* The entry with this id; NULL: not in memory. */
struct payments_entry *payments_find(
	struct payments_shard *shard, const uint8_t id[PAYOUT_ID_BYTES]);
/* The text of the alarm about an entry that is out: first the provider's outcome, if this process
 * knows it, for it may be kept nowhere else; then `found`. */
void payments_out_text(
	const struct payments_entry *entry, const char *found, char text_r[PROVIDER_FOUND_MAX]);
/* Adds an entry with a new id. Invalidates all pointers to entries. */
struct payments_entry *payments_add(struct payments_shard *shard, const struct payout *payout);
/* Removes an entry; the last entry moves to its place. */
void payments_remove(struct payments_shard *shard, struct payments_entry *entry);
/* Frees the shard with its entries; not NULL. */
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
