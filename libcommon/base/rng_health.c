#include "libcommon/base/rng_health.h"

#include "libcommon/base/rng.h"

#include <string.h>

#define BLOCK 64

/* The numbers come from an independent implementation of RFC 8439 and of the contract in rng.h: key
 * 00 01 .. 1f, each number below its n. */
static const struct {
	uint32_t n, value;
} numbers[] = {
	{ 36, 17 },
	{ 39, 16 },
	{ 40, 18 },
	{ 39, 11 },
	{ 38, 16 },
	{ 10, 7 },
	{ 1000000, 298794 },
	{ 1, 0 },
	{ 2, 1 },
	{ 3, 2 },
	{ 26, 10 },
	{ UINT32_C(4294967295), 1686095929 },
};

static bool known_bytes(void)
{
	static const uint8_t first[] = { 0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90, 0x40, 0x5d,
		0x6a, 0xe5, 0x53, 0x86, 0xbd, 0x28 };
	static const uint8_t second[] = { 0x9f, 0x07, 0xe7, 0xbe, 0x55, 0x51, 0x38, 0x7a };
	static const uint8_t zeros[RNG_KEY_BYTES];
	uint8_t bytes[2 * BLOCK];
	struct rng rng;

	rng_init(&rng, zeros);
	rng_bytes(&rng, bytes, sizeof(bytes));
	return memcmp(bytes, first, sizeof(first)) == 0 &&
	       memcmp(bytes + BLOCK, second, sizeof(second)) == 0;
}

bool rng_known_answer(void)
{
	uint8_t key[RNG_KEY_BYTES];
	struct rng rng;

	if (!known_bytes())
		return false;
	for (uint8_t i = 0; i < RNG_KEY_BYTES; i++)
		key[i] = i;
	rng_init(&rng, key);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (rng_below(&rng, numbers[i].n) != numbers[i].value)
			return false;
	return true;
}

void rng_health_init(struct rng_health *health)
{
	*health = (struct rng_health){ .fault = rng_known_answer() ? RNG_SOUND : RNG_WRONG_ANSWER };
}

static void one_word(struct rng_health *health, const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	if (health->has_word && word == health->last_word)
		health->fault = RNG_REPEATED;
	health->last_word = word;
	health->has_word = true;
}

/* SP 800-90B, 4.4.1, on 64-bit words: 2^-64 is far below 2^-30, so one repetition is enough. */
static void repetition(struct rng_health *health, const uint8_t *bytes, size_t count)
{
	while (count > 0 && health->fault == RNG_SOUND) {
		size_t some = 1;

		if (health->part_count == 0 && count >= RNG_HEALTH_WORD) {
			some = RNG_HEALTH_WORD;
			one_word(health, bytes);
		} else {
			health->part[health->part_count++] = *bytes;
			if (health->part_count == RNG_HEALTH_WORD) {
				health->part_count = 0;
				one_word(health, health->part);
			}
		}
		bytes += some;
		count -= some;
	}
}

/* SP 800-90B, 4.4.2, on bytes, up to the end of a window. */
static void proportion(struct rng_health *health, const uint8_t *bytes, size_t count)
{
	uint8_t sample;
	uint32_t same = 0;

	if (health->window_at == 0) {
		health->sample = bytes[0];
		health->window_same = 0;
	}
	sample = health->sample;
	for (size_t i = 0; i < count; i++)
		same += bytes[i] == sample;
	health->window_same += same;
	if (health->window_same >= RNG_HEALTH_CUTOFF)
		health->fault = RNG_UNEVEN;
	health->window_at = (health->window_at + (uint32_t)count) % RNG_HEALTH_WINDOW;
}

enum rng_fault rng_health_feed(struct rng_health *health, const uint8_t *bytes, size_t count)
{
	while (count > 0 && health->fault == RNG_SOUND) {
		size_t some = RNG_HEALTH_WINDOW - health->window_at;

		if (some > count)
			some = count;
		repetition(health, bytes, some);
		if (health->fault == RNG_SOUND)
			proportion(health, bytes, some);
		health->fed += some;
		bytes += some;
		count -= some;
	}
	return health->fault;
}

const char *rng_fault_text(enum rng_fault fault)
{
	switch (fault) {
	case RNG_SOUND:
		return "sound";
	case RNG_WRONG_ANSWER:
		return "wrong_answer";
	case RNG_REPEATED:
		return "repeated";
	case RNG_UNEVEN:
		return "uneven";
	}
	return "unknown";
}
