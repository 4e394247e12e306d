/* Counters of a pool, written whole. */
#include "libcommon/jackpot/io/pool_counters.h"

#include <inttypes.h>
#include <stdio.h>

static void publish_counter(struct redis_link *link, const char *key,
	const struct pool_counter *counter, uint64_t time_us)
{
	char field[48];
	char value[128];
	(void)snprintf(
		field, sizeof(field), "%" PRIu32 ":%" PRId64, counter->currency, counter->key);
	(void)snprintf(value, sizeof(value),
		"%" PRId64 ",%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, counter->value_minor,
		counter->seed_minor, counter->version, time_us, counter->hits);
	(void)redis_link_command(link, "HSET %s %s %s", key, field, value);
}

bool pool_counters_publish(struct redis_link *link, const struct pool_counters *counters)
{
	char key[48];
	char meta[256];
	char t[AMOUNT_TEXT_MAX];
	char reserve[AMOUNT_TEXT_MAX];
	char seed[AMOUNT_TEXT_MAX];
	if (!redis_link_up(link))
		return false;
	(void)int128_format(counters->t_e18, t);
	(void)int128_format(counters->reserve.e27, reserve);
	(void)int128_format(counters->seed.e27, seed);
	(void)snprintf(key, sizeof(key), "carillon:counters:%" PRIu32, counters->pool);
	(void)snprintf(meta, sizeof(meta), "%s,%s,%s,%s,%" PRIu64, counters->status, t, reserve,
		seed, counters->time_us);
	(void)redis_link_command(link, "MULTI");
	(void)redis_link_command(link, "DEL %s", key);
	for (size_t i = 0; i < counters->count; i++)
		publish_counter(link, key, &counters->counter[i], counters->time_us);
	(void)redis_link_command(link, "HSET %s meta %s", key, meta);
	(void)redis_link_command(link, "EXEC");
	return redis_link_flush(link, NULL, NULL);
}
