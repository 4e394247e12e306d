/* What arrives on jackpot.commands for pools: operators' actions (operator.h, transfers.h,
 * created_pool.h), kept, told and answered, and transfers between pools. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_COMMANDS_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_COMMANDS_H

#include "libcommon/service/service.h"
#include "services/progressive-pool/adapters/pool_state.h"

struct pool_instance *pool_instance_new(uint32_t number, uint32_t shard);
void pool_instance_free(struct pool_instance *instance);
/* links live as long as the process. */
enum service_message_status pool_command_apply(struct service *service, struct service_shard *shard,
	const struct game_links *links, const Carillon__JackpotCommand *command);
/* In the transaction: refusals to make a pool, which no pool keeps. */
void pool_commands_save(PGconn *conn);

#endif
