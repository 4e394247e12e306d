/* pool-bench measures progressive-pool itself: its decoder, its core, its log of events and its one
 * transaction with the fence, on a real Postgres; and the pure core alone, beside a plain loop.
 * What is left out is Kafka: messages are made here, and what would leave after a commit is
 * dropped. Read main.c first. */
#ifndef CARILLON_BENCH_POOL_BENCH_BENCH_H
#define CARILLON_BENCH_POOL_BENCH_BENCH_H

#include "libcommon/service/service.h"

#include <stddef.h>
#include <stdint.h>

#define BENCH_BATCH_MAX 4096
#define BENCH_POOLS_MAX 4000
#define BENCH_MADE_FROM 1001u /* numbers of pools that are made here */

/* A pool as the wallet's shards tell of it. */
struct bench_pool {
	uint32_t pool, tally;
	uint64_t total[SHARDS_MAX];
};

struct bench_pools {
	struct bench_pool pool[BENCH_POOLS_MAX];
	size_t n, next;
	uint32_t shards;
	uint64_t seq, move;
};

/* messages.c: valid until the next call. */
/* The next n pools in turn, each told of one more stake by a wallet shard; claims: each with a hit.
 */
const struct kafka_message *bench_feed(struct bench_pools *pools, size_t n, bool claims);

/* core.c: prints a line. */
void bench_core(uint64_t seconds);

#endif
