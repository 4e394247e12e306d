/* Handles commands to pools: operators' actions (operator.h, transfers.h,
 * created_pool.h), which it stores, publishes and replies to, and transfers between pools. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_COMMANDS_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_COMMANDS_H

#include "libcommon/jackpot/io/jackpot_quarantine.h"
#include "libcommon/service/service.h"
#include "services/progressive-pool/adapters/pool_state.h"

struct pool_instance *pool_instance_new(uint32_t number, uint32_t shard);
void pool_instance_free(struct pool_instance *instance);
/* `links` and `quarantine` must live as long as the process. */
enum service_message_status pool_command_apply(struct service *service, struct service_shard *shard,
	const struct game_links *links, const struct jackpot_quarantine *quarantine,
	const Carillon__JackpotCommand *command);
/* In the transaction: writes refused actions that belong to no pool in memory. */
void pool_commands_save(PGconn *conn);

#endif
