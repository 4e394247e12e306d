/* Where money goes that arrives in a retired pool: to its rest, and if that is a retired pool by
 * now, to the rest of that one, up to a pool that lives. Two pools that are retired to each other
 * at the same moment, each while the other was still there, would hand such money on for ever; in a
 * circle of pools the one with the lowest number keeps it, in its reserve, until an operator names
 * another rest. Pure but for the callback. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_SUCCESSOR_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_SUCCESSOR_H

#include "services/progressive-pool/adapters/pool_state.h"

/* The rest of a retired pool; false: it is not retired. */
typedef bool successor_of(void *context, uint32_t pool, struct transfer_place *rest_r);

#define SUCCESSORS_MAX (POOLS_MAX + 1) /* the last one closes a circle of all pools */

/* The pools that follow `pool` (0: none) from `rest` on, until one is not retired, comes a second
 * time or is that pool (it is the last then, too), or the array is full: how many. */
size_t successor_chain(uint32_t pool, const struct transfer_place *rest, successor_of *next,
	void *context, struct transfer_place chain_r[SUCCESSORS_MAX]);
/* Where the money of a retired pool goes; false: it stays, for it would go in a circle. */
bool successor_find(uint32_t pool, const struct transfer_place *rest, successor_of *next,
	void *context, struct transfer_place *place_r);

#endif
