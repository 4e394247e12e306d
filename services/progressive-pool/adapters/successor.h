/* Finds the pool that receives money which arrives in a retired pool: the pool's rest; if that pool
 * is retired too, its rest, and so on to a pool that is not retired. Two pools retired into each
 * other at the same moment form a circle. In a circle the pool with the lowest number keeps the
 * money in its reserve until an operator names another rest. Pure except for the callback. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_SUCCESSOR_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_SUCCESSOR_H

#include "services/progressive-pool/adapters/pool_state.h"

/* Finds the rest of a retired pool; false: the pool is not retired. */
typedef bool successor_of(void *context, uint32_t pool, struct transfer_place *rest_r);

#define SUCCESSORS_MAX (POOLS_MAX + 1) /* the last one closes a circle of all pools */

/* The pools that follow `pool` (0: none), from `rest` on. The last one is not retired, or is
 * `pool`, or occurs a second time, or fills the array. Returns how many. */
size_t successor_chain(uint32_t pool, const struct transfer_place *rest, successor_of *next,
	void *context, struct transfer_place chain_r[SUCCESSORS_MAX]);
/* Where the money of a retired pool goes; false: it stays, because the pools form a circle. */
bool successor_find(uint32_t pool, const struct transfer_place *rest, successor_of *next,
	void *context, struct transfer_place *place_r);

#endif
