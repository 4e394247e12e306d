/* What operators ask of a pool on jackpot.commands, each by an id that makes it happen once. Done
 * or refused, it becomes a row of pool.operator_action and a message on jackpot.facts, with the
 * figures before and after.
 *
 *   PAUSE, RESUME   no parameters
 *   ADJUST          {"currency":"EUR","coin_minor":20,"delta_minor":-500}: the row's carry, in
 * minor units of its currency at its row rate; needs a second approver PARAMETERS
 * {"currency":"EUR","coin_minor":20,"seed_minor":50000,"row_rate_nano":1000000000}: one of the last
 * two or both; waits for the row's next win. {"currency","coin_minor","remove":true}: a row that
 * the definition has no longer, while the pool is paused; its value goes to the reserve; second
 * approver. RETIRE and CREATE: transfers.h, created_pool.h */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_OPERATOR_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_OPERATOR_H

#include "services/progressive-pool/adapters/pool_state.h"

#include "jackpot.pb-c.h"

/* Does it, or says in record->refusal why not; fills done, before, after. `in_definition` tells
 * whether the definition still has a row. Changes nothing but the pool and the record. */
void operator_apply(struct pool_instance *instance, struct action_record *record,
	bool (*in_definition)(const struct pool_instance *, uint32_t currency, int64_t coin_minor));

#endif
