/* Publishes all counters of a pool. */
#include "libcommon/jackpot/io/pool_counters.h"

#include "libcommon/io/clock.h"

#include <inttypes.h>
#include <stdio.h>

static void publish_row(struct redis_link *link, const char *key, const struct jackpot_state *state,
	size_t at, uint64_t time_us)
{
	const struct pool_row *row = &state->rows[at];
	char field[48];
	char value[128];
	(void)snprintf(field, sizeof(field), "%" PRIu32 ":%" PRId64, row->currency,
		row->level != 0 ? (int64_t)row->level : row->coin_minor);
	(void)snprintf(value, sizeof(value),
		"%" PRId64 ",%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, state->values_minor[at],
		row->terms.seed_minor, state->version, time_us, row->hits);
	(void)redis_link_command(link, "HSET %s %s %s", key, field, value);
}

bool pool_counters_publish(
	struct redis_link *link, uint32_t pool, const struct jackpot_state *state)
{
	uint64_t time_us = clock_wall_us();
	char key[48];
	char meta[256];
	char t[AMOUNT_TEXT_MAX];
	char reserve[AMOUNT_TEXT_MAX];
	char seed[AMOUNT_TEXT_MAX];
	if (!redis_link_up(link))
		return false;
	(void)int128_format(state->t_e18, t);
	(void)int128_format(state->books->jp_reserve.e27, reserve);
	(void)int128_format(state->books->jp_seed.e27, seed);
	(void)snprintf(key, sizeof(key), "carillon:counters:%" PRIu32, pool);
	(void)snprintf(meta, sizeof(meta), "%s,%s,%s,%s,%" PRIu64, state->status, t, reserve, seed,
		time_us);
	(void)redis_link_command(link, "MULTI");
	(void)redis_link_command(link, "DEL %s", key);
	for (size_t i = 0; i < state->rows_n; i++)
		publish_row(link, key, state, i, time_us);
	(void)redis_link_command(link, "HSET %s meta %s", key, meta);
	(void)redis_link_command(link, "EXEC");
	return redis_link_flush(link, NULL, NULL);
}
