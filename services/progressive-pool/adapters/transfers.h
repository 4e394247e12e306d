/* Moves money between pools, exactly once. A pool that is retired inserts each transfer into
 * pool.transfer_out, in the commit that takes the money out of its books, and announces it to the
 * other pool every two seconds. The other pool reads that row, inserts the transfer once by (pool,
 * number) into pool.transfer_in, in the commit that adds the money to its books, and acknowledges
 * every announcement. Money that is out and not in is in transit; it counts in the sum of all
 * pools.
 *
 * RETIRE takes {"rest":{"pool":4},"rows":[{"currency":"EUR","coin_minor":20,
 * "to":{"pool":4,"currency":"EUR","coin_minor":20}}]}: each named row gives its value (seed and
 * accrued contributions) to the row in `to`, or to that pool's reserve if `to` has no currency and
 * coin_minor. All other money goes to `rest`, including contributions that arrive later. The pool
 * must be paused; needs a second approver. On a retired pool, {"rest":..} alone changes where later
 * contributions go. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_TRANSFERS_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_TRANSFERS_H

#include "libcommon/service/service.h"
#include "services/progressive-pool/adapters/pool_state.h"

/* Loads a pool's transfers that are not acknowledged, and the next number. */
void transfers_load(struct pool_instance *instance, PGconn *conn);
void transfers_free(struct pool_instance *instance);
/* Applies RETIRE, or writes the reason into record->refusal; fills done, before and after. */
void transfers_retire(struct pool_instance *instance, struct action_record *record, PGconn *conn);
/* Receives a transfer that another pool has announced; an acknowledgement of this pool's own. */
enum service_message_status transfers_take(struct service *service, struct pool_instance *instance,
	const Carillon__PoolTransfer *transfer);
enum service_message_status transfers_acknowledged(struct service *service,
	struct pool_instance *instance, const Carillon__PoolTransfer *transfer);
/* Once a second: announces unacknowledged transfers again, and sends on money that arrived after
 * the pool was retired. */
void transfers_tick(struct service *service, struct pool_instance *instance, uint64_t mono_us);
/* In the transaction: writes the transfers. New ones are announced after the commit. */
void transfers_save(struct pool_instance *instance, PGconn *conn);

#endif
