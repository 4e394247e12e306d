/* Token buckets. */
#include "services/gateway/core/limit.h"

#include <string.h>

#define MICRO INT64_C(1000000)

void limit_init(struct limit *limit, uint32_t rate_per_s, uint32_t burst)
{
	memset(limit, 0, sizeof(*limit));
	limit->rate_per_s = rate_per_s;
	limit->burst = burst;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* The key's bucket, or the least recently used bucket of its set. */
static struct limit_bucket *bucket_of(struct limit *limit, uint64_t key, uint64_t now_us)
{
	struct limit_bucket *set =
		&limit->bucket[mix(key) % (LIMIT_SLOTS / LIMIT_WAYS) * LIMIT_WAYS];
	struct limit_bucket *oldest = set;
	for (size_t i = 0; i < LIMIT_WAYS; i++) {
		if (set[i].key == key)
			return &set[i];
		if (set[i].us < oldest->us)
			oldest = &set[i];
	}
	*oldest = (struct limit_bucket){ key, now_us, limit->burst * MICRO };
	return oldest;
}

bool limit_take(struct limit *limit, uint64_t key, uint64_t now_us, uint32_t *retry_s_r)
{
	if (limit->rate_per_s == 0)
		return true;
	if (key == 0)
		key = 1;
	struct limit_bucket *bucket = bucket_of(limit, key, now_us);
	uint64_t passed = now_us > bucket->us ? now_us - bucket->us : 0;
	uint64_t full_us = (uint64_t)limit->burst * (uint64_t)MICRO / limit->rate_per_s;
	if (passed > full_us)
		bucket->micro = limit->burst * MICRO;
	else
		bucket->micro += (int64_t)passed * limit->rate_per_s;
	if (bucket->micro > limit->burst * MICRO)
		bucket->micro = limit->burst * MICRO;
	bucket->us = now_us;
	if (bucket->micro >= MICRO) {
		bucket->micro -= MICRO;
		return true;
	}
	*retry_s_r = 1;
	return false;
}

uint64_t limit_key(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (; *text != '\0'; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash;
}
