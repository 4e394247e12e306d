/* The progressive pool as a sharded service: what the loop (libcommon/service/service.h) calls. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_SERVICE_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_SERVICE_H

#include "libcommon/service/service.h"

void pool_service_start(struct service *service);
void pool_service_open(struct service *service, struct service_shard *shard);
void pool_service_close(struct service *service, struct service_shard *shard);
enum service_message_status pool_service_message(struct service *service,
	struct service_shard *shard, const struct kafka_message *message, uint64_t *seq_r);
void pool_service_bus(struct service *service, const uint8_t *bytes, size_t length);
void pool_service_tick(struct service *service, uint64_t mono_us);
void pool_service_write(struct service *service);
void pool_service_committed(struct service *service);

#endif
