#include "libcommon/base/declined.h"

#define FNV_FIRST UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static uint64_t mix(uint64_t hash, uint64_t value)
{
	for (int shift = 0; shift < 64; shift += 8)
		hash = (hash ^ (value >> shift & 0xff)) * FNV_PRIME;
	return hash;
}

static uint64_t key_of(const char *asker, uint64_t correlation, int64_t subject)
{
	uint64_t hash = FNV_FIRST;

	for (; *asker != '\0'; asker++)
		hash = (hash ^ (uint8_t)*asker) * FNV_PRIME;
	hash = mix(mix(hash, correlation), (uint64_t)subject);
	return hash == 0 ? 1 : hash;
}

static uint32_t bucket_of(uint64_t key)
{
	return (uint32_t)(key >> 32) % DECLINED_BUCKETS;
}

void declined_note(
	struct declined *declined, const char *asker, uint64_t correlation, int64_t subject)
{
	uint64_t key = key_of(asker, correlation, subject);
	uint32_t bucket = bucket_of(key);
	uint8_t at = declined->next[bucket];

	if (asker[0] == '\0')
		return;
	declined->key[bucket][at] = key;
	declined->next[bucket] = (uint8_t)((at + 1u) % DECLINED_EACH);
}

bool declined_has(
	const struct declined *declined, const char *asker, uint64_t correlation, int64_t subject)
{
	uint64_t key = key_of(asker, correlation, subject);
	uint32_t bucket = bucket_of(key);

	for (uint32_t i = 0; asker[0] != '\0' && i < DECLINED_EACH; i++)
		if (declined->key[bucket][i] == key)
			return true;
	return false;
}
