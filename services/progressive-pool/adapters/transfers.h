/* Money between pools, exactly once. A pool that is retired writes what leaves it into
 * pool.transfer_out, in the commit that takes it out of its books; from then on it tells the other
 * pool every two seconds. That one looks the row up, books it once by (pool, number) into
 * pool.transfer_in in the commit that puts it into its books, and answers, again and again if it is
 * asked again. What is out and not in is in transit, and belongs to the sum of all pools.
 *
 * RETIRE takes {"rest":{"pool":4},"rows":[{"currency":"EUR","coin_minor":20,
 * "to":{"pool":4,"currency":"EUR","coin_minor":20}}]}: rows that are named give their value (seed
 * and what has accrued) to the row named in `to` (or, without currency and coin_minor, to the
 * pool's reserve); all else goes to `rest`, also contributions that arrive later. Only a paused
 * pool; needs a second approver. On a retired pool {"rest":..} alone names another place for what
 * arrives later. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_TRANSFERS_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_TRANSFERS_H

#include "libcommon/service/service.h"
#include "services/progressive-pool/adapters/pool_state.h"

/* Of the pool as it was loaded: transfers that are not acknowledged, and the next number. */
void transfers_load(struct pool_instance *instance, PGconn *conn);
void transfers_free(struct pool_instance *instance);
/* Does RETIRE, or says in record->refusal why not; fills done, before and after. */
void transfers_retire(struct pool_instance *instance, struct action_record *record, PGconn *conn);
/* A transfer that is told to this pool; one that this pool was told to be booked. */
enum service_message_status transfers_take(struct service *service, struct pool_instance *instance,
	const Carillon__PoolTransfer *transfer);
enum service_message_status transfers_acknowledged(struct service *service,
	struct pool_instance *instance, const Carillon__PoolTransfer *transfer);
/* Once a second: what is not acknowledged is told again, and what arrived after the end follows. */
void transfers_tick(struct service *service, struct pool_instance *instance, uint64_t mono_us);
/* In the transaction; and after it: what is fresh is told. */
void transfers_save(struct pool_instance *instance, PGconn *conn);

#endif
