/* Publishes a pool's counters in Redis for displays (docs/contracts.md, "Redis"). Each publication
 * replaces the whole hash in one MULTI, so it repairs an empty or wrong hash, and readers never see
 * half of one. Nothing in Redis is authoritative: no failure here is fatal. */
#ifndef CARILLON_JACKPOT_IO_POOL_COUNTERS_H
#define CARILLON_JACKPOT_IO_POOL_COUNTERS_H

#include "libcommon/io/redis_link.h"
#include "libcommon/jackpot/io/jackpot_send.h"

/* Publishes a counter for each row or level of the state. False when Redis cannot be reached
 * (redis_link logs and counts this); the next publication repeats everything. */
bool pool_counters_publish(
	struct redis_link *link, uint32_t pool, const struct jackpot_state *state);

#endif
