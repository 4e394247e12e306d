/* A pool's counters in Redis (docs/contracts.md, "Redis"), for who shows them. Each publication
 * replaces the whole hash in one MULTI: what was empty or wrong is right again, and no reader sees
 * a half. Redis is no truth: nothing here is fatal. */
#ifndef CARILLON_JACKPOT_IO_POOL_COUNTERS_H
#define CARILLON_JACKPOT_IO_POOL_COUNTERS_H

#include "libcommon/base/amount.h"
#include "libcommon/io/redis_link.h"

#include <stdint.h>

struct pool_counter {
	uint32_t currency; /* ISO 4217 */
	int64_t key;	   /* coin value in minor units, or level */
	int64_t value_minor, seed_minor;
	uint64_t version, hits;
};

struct pool_counters {
	uint32_t pool;
	const char *status;
	int128 t_e18;
	struct amount reserve, seed;
	uint64_t time_us;
	size_t count;
	const struct pool_counter *counter;
};

/* False when Redis could not be reached (redis_link logs and counts); the next publication says it
 * all again. */
bool pool_counters_publish(struct redis_link *link, const struct pool_counters *counters);

#endif
