/* A pool's counters in Redis (docs/contracts.md, "Redis"), for who shows them. Each publication
 * replaces the whole hash in one MULTI: what was empty or wrong is right again, and no reader sees
 * a half. Redis is no truth: nothing here is fatal. */
#ifndef CARILLON_JACKPOT_IO_POOL_COUNTERS_H
#define CARILLON_JACKPOT_IO_POOL_COUNTERS_H

#include "libcommon/io/redis_link.h"
#include "libcommon/jackpot/io/jackpot_send.h"

/* A counter each row or level, as in the state. False when Redis could not be reached (redis_link
 * logs and counts); the next publication says it all again. */
bool pool_counters_publish(
	struct redis_link *link, uint32_t pool, const struct jackpot_state *state);

#endif
