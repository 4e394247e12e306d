/* Jackpot Cards as a sharded service: the callbacks of the loop (libcommon/service/service.h). */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_CARDS_SERVICE_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_CARDS_SERVICE_H

#include "libcommon/service/service.h"

/* The setting JACKPOT_CARDS_SETS. */
extern char cards_sets_folder[SETTING_TEXT_MAX];
/* JACKPOT_CARDS_EXPIRE_S. */
extern int64_t cards_expire_s;

void cards_service_start(struct service *service);
void cards_service_open(struct service *service, struct service_shard *shard);
void cards_service_close(struct service *service, struct service_shard *shard);
enum service_message_status cards_service_message(struct service *service,
	struct service_shard *shard, const struct kafka_message *message, uint64_t *seq_r);
void cards_service_bus(struct service *service, const uint8_t *bytes, size_t length);
void cards_service_tick(struct service *service, uint64_t mono_us);
void cards_service_write(struct service *service);
void cards_service_committed(struct service *service);

#endif
