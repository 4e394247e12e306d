#include "services/notifications/core/counters.h"

#include <string.h>

static struct counter_pool *pool_of(struct counters *counters, uint32_t pool)
{
	for (size_t i = 0; i < counters->n; i++)
		if (counters->pools[i].pool == pool)
			return &counters->pools[i];
	if (counters->n == COUNTERS_POOLS_MAX)
		return NULL;
	struct counter_pool *added = &counters->pools[counters->n++];
	memset(added, 0, sizeof(*added));
	added->pool = pool;
	return added;
}

static struct counter *row_of(struct counter_pool *pool, const struct counter *wanted)
{
	for (size_t i = 0; i < pool->n; i++) {
		struct counter *row = &pool->rows[i];
		if (row->currency == wanted->currency && row->coin_minor == wanted->coin_minor &&
			row->level == wanted->level)
			return row;
	}
	return NULL;
}

static void changed(struct counters *counters)
{
	counters->changed = true;
	counters->revision++;
}

static struct counter *row_add(struct counter_pool *pool)
{
	return pool->n == COUNTERS_ROWS_MAX ? NULL : &pool->rows[pool->n++];
}

static bool later(uint64_t time_us, uint64_t than_us, uint64_t by_us)
{
	return time_us > than_us && time_us - than_us > by_us;
}

enum counters_status counters_offer(struct counters *counters, uint32_t pool,
	const struct counter *row, uint32_t incarnation, uint64_t time_us)
{
	if (row->value_minor < 0 || row->seed_minor < 0 || row->coin_minor < 0 ||
		(row->coin_minor > 0) == (row->level > 0))
		return COUNTERS_BAD;
	struct counter_pool *shown = pool_of(counters, pool);
	if (!shown)
		return COUNTERS_FULL;
	if (incarnation && incarnation < shown->incarnation)
		return COUNTERS_OLD;
	if (incarnation > shown->incarnation) {
		if (shown->incarnation)
			shown->n = 0;
		shown->incarnation = incarnation;
	}
	struct counter *known = row_of(shown, row);
	/* An old fact may be published again with a new time. */
	if (known && row->version < known->version &&
		(incarnation != 0 || !later(time_us, shown->said_us[known - shown->rows],
					     COUNTERS_CONTRADICTED_US)))
		return COUNTERS_OLD;
	if (time_us > shown->time_us)
		shown->time_us = time_us;
	if (incarnation == 0 && time_us > shown->whole_us)
		shown->whole_us = time_us;
	if (known && row->version == known->version) {
		uint64_t *said_us = &shown->said_us[known - shown->rows];
		*said_us = time_us > *said_us ? time_us : *said_us;
		return COUNTERS_SEEN;
	}
	if (!known)
		known = row_add(shown);
	if (!known)
		return COUNTERS_FULL;
	*known = *row;
	shown->said_us[known - shown->rows] = time_us;
	changed(counters);
	return COUNTERS_OK;
}

bool counters_offer_status(struct counters *counters, uint32_t pool, const char *status)
{
	static const char *const known[] = { "live", "pausing", "paused", "retired" };
	struct counter_pool *shown = pool_of(counters, pool);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i], status) != 0)
			continue;
		if (shown && strcmp(shown->status, status) != 0) {
			memcpy(shown->status, status, strlen(status) + 1);
			changed(counters);
		}
		return shown != NULL;
	}
	return false;
}

bool counters_offer_id(struct counters *counters, uint32_t pool, const char *id)
{
	size_t length = strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-_");
	struct counter_pool *shown;

	if (length == 0 || length >= COUNTERS_ID_MAX || id[length] != 0)
		return false;
	shown = pool_of(counters, pool);
	if (shown && strcmp(shown->id, id) != 0) {
		memcpy(shown->id, id, length + 1);
		changed(counters);
	}
	return shown != NULL;
}

bool counters_nameless(const struct counters *counters)
{
	for (size_t i = 0; i < counters->n; i++)
		if (counters->pools[i].id[0] == 0)
			return true;
	return false;
}

void counters_drop_gone(struct counters *counters)
{
	for (size_t i = 0; i < counters->n; i++) {
		struct counter_pool *pool = &counters->pools[i];
		size_t kept = 0;
		for (size_t k = 0; k < pool->n; k++)
			if (!later(pool->whole_us, pool->said_us[k], COUNTERS_GONE_US)) {
				pool->said_us[kept] = pool->said_us[k];
				pool->rows[kept++] = pool->rows[k];
			}
		if (kept < pool->n)
			changed(counters);
		pool->n = kept;
	}
}

bool counters_due(const struct counters *counters, uint64_t now_us)
{
	if (!counters->pushed)
		return true;
	uint64_t since = now_us - counters->pushed_us;
	return since >= (counters->changed ? COUNTERS_CHANGE_US : COUNTERS_SILENCE_US);
}

void counters_pushed(struct counters *counters, uint64_t now_us)
{
	counters->pushed = true;
	counters->pushed_us = now_us;
	counters->changed = false;
}

uint64_t counters_age_us(const struct counters *counters, uint64_t wall_us)
{
	uint64_t age = 0;
	for (size_t i = 0; i < counters->n; i++) {
		uint64_t time = counters->pools[i].time_us;
		if (time < wall_us && wall_us - time > age)
			age = wall_us - time;
	}
	return age;
}
