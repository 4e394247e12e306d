/*~ carillon-progressive-pool: the pools of progressive jackpots. Wiring only; a tour in reading
 * order:
 *
 *  1. libcommon/jackpot/pool_row.h   one row: seed + (T - W) x share + r, exact
 *  2. libcommon/jackpot/pool_books.h the double entry of a pool, and its identities
 *  3. core/pool.h                 rows, hits in order, pending terms, pausing
 *  4. libcommon/jackpot/pool_tally.h T from the wallet's running totals
 *  5. adapters/pool_service.h     feed in, awards and facts out, on the loop of
 *                                 libcommon/service/service.h
 *                                 adapters/claims.h: a claim waits for all stakes before it
 *  6. adapters/pool_store.h       pools in Postgres; adapters/reconcile.h: and in the definitions
 *  7. adapters/operator.h         operators' actions
 */
#include "services/progressive-pool/adapters/pool_service.h"

/*~ A pool has no settings: its numbers are in the games' definitions and part of their math
 * versions. With an empty table the service still refuses a mistyped PROGRESSIVE_POOL_*. */
static const struct setting SETTINGS[] = { { .name = NULL } };

/*~ Both topics are keyed by pool and use the partition shard_of_pool(pool), so the owner of a shard
 * is the only writer of its pools: the order in which it reads claims is the order of hits. The
 * feed carries running totals, not changes, and the wallet repeats claims until they are paid. So
 * no message has to arrive exactly once. */
static const struct service_ops OPS = {
	.name = "progressive-pool",
	.prefix = "PROGRESSIVE_POOL_",
	.settings = SETTINGS,
	.topics = { { .topic = TOPIC_JACKPOT_FEED, .pace = KAFKA_SLOW } },
	.topics_n = 1,
	.takes_commands = true,
	.command = TOPIC_JACKPOT_COMMANDS,
	.schema_min = 6,
	.schema_max = 6,
	.start = pool_service_start,
	.open = pool_service_open,
	.close = pool_service_close,
	.message = pool_service_message,
	.bus = pool_service_bus,
	.tick = pool_service_tick,
	.write = pool_service_write,
	.committed = pool_service_committed,
};

int main(int argc, char **argv)
{
	return service_main(argc, argv, &OPS);
}
