#include "libcommon/base/rng.h"

#include "libcommon/base/chacha20.h"
#include "libcommon/base/rng_health.h"

#include <assert.h>
#include <string.h>

#define BLOCK_BYTES ((uint32_t)CHACHA20_BLOCK_BYTES)

__extension__ typedef unsigned __int128 wide;

void rng_init(struct rng *rng, const uint8_t key[RNG_KEY_BYTES])
{
	memset(rng, 0, sizeof(*rng));
	memcpy(rng->key, key, RNG_KEY_BYTES);
}

void rng_force(struct rng *rng, const uint32_t *results, size_t count)
{
	rng->forced = results;
	rng->forced_count = count;
	rng->forced_at = 0;
}

void rng_watch(struct rng *rng, struct rng_health *health)
{
	rng->watch = health;
}

bool rng_forced_misfit(const struct rng *rng)
{
	return rng->forced_misfit;
}

/* The first fill is one block, enough for most rounds. A round that needs more is in a feature, so
 * later fills are four blocks. The stream is the same either way. */
static void refill(struct rng *rng)
{
	uint32_t bytes = rng->block == 0 ? BLOCK_BYTES : RNG_BUFFER_BYTES;

	/* 256 GiB of stream. No round comes near; to wrap would repeat numbers. */
	assert(rng->block <= UINT32_MAX - RNG_BUFFER_BYTES / BLOCK_BYTES);
	chacha20_stream(rng->buffer, bytes, rng->key, rng->block);
	rng->block += bytes / BLOCK_BYTES;
	rng->at = 0;
	rng->filled = bytes;
	if (rng->watch)
		(void)rng_health_feed(rng->watch, rng->buffer, bytes);
}

static uint32_t next_word(struct rng *rng)
{
	const uint8_t *p;

	/* rng_bytes may leave less than a word: the word then continues in the next block */
	if (rng->filled - rng->at < 4) {
		uint8_t bytes[4];

		rng_bytes(rng, bytes, sizeof(bytes));
		return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
		       (uint32_t)bytes[3] << 24;
	}
	p = rng->buffer + rng->at;
	rng->at += 4;
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t next_word64(struct rng *rng)
{
	uint64_t low = next_word(rng);

	return low | (uint64_t)next_word(rng) << 32;
}

static bool next_forced(struct rng *rng, uint64_t n, uint32_t *value_r)
{
	if (rng->forced_at >= rng->forced_count)
		return false;
	*value_r = rng->forced[rng->forced_at++];
	if (*value_r < n)
		return true;
	rng->forced_misfit = true;
	return false;
}

uint32_t rng_below(struct rng *rng, uint32_t n)
{
	uint32_t forced, low;
	uint64_t product;

	assert(n > 0);
	rng->drawn++;
	if (next_forced(rng, n, &forced))
		return forced;
	product = (uint64_t)next_word(rng) * n;
	low = (uint32_t)product;
	if (low < n) {
		uint32_t threshold = (0u - n) % n;

		while (low < threshold) {
			product = (uint64_t)next_word(rng) * n;
			low = (uint32_t)product;
		}
	}
	return (uint32_t)(product >> 32);
}

uint64_t rng_below64(struct rng *rng, uint64_t n)
{
	wide product;
	uint32_t forced;
	uint64_t low;

	assert(n > 0);
	rng->drawn++;
	if (next_forced(rng, n, &forced))
		return forced;
	product = (wide)next_word64(rng) * n;
	low = (uint64_t)product;
	if (low < n) {
		uint64_t threshold = (0u - n) % n;

		while (low < threshold) {
			product = (wide)next_word64(rng) * n;
			low = (uint64_t)product;
		}
	}
	return (uint64_t)(product >> 64);
}

uint64_t rng_drawn(const struct rng *rng)
{
	return rng->drawn;
}

void rng_bytes(struct rng *rng, uint8_t *out, size_t count)
{
	while (count > 0) {
		size_t some = rng->filled - rng->at;

		if (some == 0) {
			refill(rng);
			continue;
		}
		if (some > count)
			some = count;
		memcpy(out, rng->buffer + rng->at, some);
		rng->at += (uint32_t)some;
		out += some;
		count -= some;
	}
}
