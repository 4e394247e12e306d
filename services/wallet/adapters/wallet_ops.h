/* The wallet's callbacks for the service loop (libcommon/service/service.h). */
#ifndef CARILLON_WALLET_ADAPTERS_WALLET_OPS_H
#define CARILLON_WALLET_ADAPTERS_WALLET_OPS_H

#include "libcommon/service/service.h"
#include "libcommon/io/settings.h"

extern const struct setting wallet_settings[];

struct wallet_rules;
/* Reads WALLET_STAKE_MAX, "JPY:150000000,XBT:1500000000", into the rules; false: malformed, an
 * unknown currency, or one named twice. */
bool wallet_stake_max_read(struct wallet_rules *rules, const char *text);
/* Reads WALLET_DEPOSIT_MAX, "1=EUR:500000,7=USDT:9000000", into the rules; false: malformed, an
 * unknown currency or too many. */
bool wallet_deposit_max_read(struct wallet_rules *rules, const char *text);

void wallet_start(struct service *service);
void wallet_open(struct service *service, struct service_shard *shard);
/* The same without reading Kafka: publishes nothing again. For measurements of the write path. */
void wallet_open_state(struct service *service, struct service_shard *shard);
void wallet_close(struct service *service, struct service_shard *shard);
void wallet_handle_batch(struct service *service, const struct kafka_message *messages, size_t n);
enum service_message_status wallet_handle_message(struct service *service,
	struct service_shard *shard, const struct kafka_message *message, uint64_t *seq_r);
void wallet_handle_bus(struct service *service, const uint8_t *bytes, size_t length);
void wallet_tick(struct service *service, uint64_t mono_us);
void wallet_write_all(struct service *service);
bool wallet_fits_line(struct service *service);
void wallet_write_all_in_line(struct service *service, struct pg_line *line);
void wallet_committed(struct service *service);

#endif
