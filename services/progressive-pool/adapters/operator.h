/* Operators' actions on a pool; the id of an action makes it happen once.
 * Done or refused, each becomes a row of pool.operator_action and a message on jackpot.facts, with
 * the figures before and after.
 *
 *   PAUSE, RESUME   no parameters
 *   ADJUST          {"currency":"EUR","coin_minor":20,"delta_minor":-500}: changes the row's
 *                   carry, in minor units at its row rate; needs a second approver
 *   PARAMETERS      {"currency":"EUR","coin_minor":20,"seed_minor":50000,
 *                   "row_rate_nano":1000000000}: one of the last two or both; in force after
 *                   the row's next hit. {"currency","coin_minor","remove":true}: removes a row
 *                   that the definition no longer has, while the pool is paused; its value goes
 *                   to the reserve; needs a second approver
 *   RETIRE          transfers.h
 *   CREATE          created_pool.h */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_OPERATOR_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_OPERATOR_H

#include "services/progressive-pool/adapters/pool_state.h"

#include "jackpot.pb-c.h"

/* Applies the action, or writes the reason into record->refusal; fills done, before, after.
 * `in_definition`: true if the definition still has the row. Changes pool and record only. */
void operator_apply(struct pool_instance *instance, struct action_record *record,
	bool (*in_definition)(const struct pool_instance *, uint32_t currency, int64_t coin_minor));

#endif
