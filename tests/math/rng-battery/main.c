/* rng-battery [SEED [STREAMS]]: the generator's raw and scaled outputs through the battery.
 *
 * Raw: the bits and the bytes of the stream. Scaled: rng_below for the ranges that games draw from.
 * Every test is made on STREAMS streams of their own (keys from SEED), each at 99 %: one in a
 * hundred of a perfect generator's streams must fail. What is judged is therefore how many fail: a
 * test is failed when so many would have a probability below 10^-4. The seed is fixed, so the
 * verdict is too; other seeds may be given. Ends with "N passed, N failed". */
#include "libcommon/base/rng.h"
#include "libcommon/base/rng_health.h"
#include "tests/math/rng-battery/battery.h"
#include "tests/math/rng-battery/tails.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES 200000 /* of each stream */
#define LEVEL 0.01
#define JUDGED 1e-4
#define STREAMS 100

/* 0: raw bytes; 1: raw bits; else rng_below. */
static const struct output {
	const char *name;
	uint32_t kind, n;
} outputs[] = {
	{ "raw bytes", 0, 256 },
	{ "raw bits", 1, 2 },
	{ "below 2", 2, 2 },
	{ "below 3", 2, 3 },
	{ "below 10", 2, 10 },
	{ "below 26", 2, 26 },
	{ "below 36", 2, 36 },
	{ "below 41", 2, 41 },
	{ "below 52", 2, 52 },
	{ "below 100", 2, 100 },
};
#define OUTPUTS (sizeof(outputs) / sizeof(outputs[0]))

static void stream_init(struct rng *rng, uint64_t seed, size_t output, unsigned number)
{
	uint64_t words[3] = { seed, output, number };
	uint8_t key[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(key, (const uint8_t *)words, sizeof(words));
	rng_init(rng, key);
}

static void draw(const struct output *output, struct rng *rng, uint32_t *value)
{
	uint8_t bytes[VALUES];

	if (output->kind == 2) {
		for (size_t i = 0; i < VALUES; i++)
			value[i] = rng_below(rng, output->n);
		return;
	}
	rng_bytes(rng, bytes, output->kind == 0 ? VALUES : VALUES / 8);
	for (size_t i = 0; i < VALUES; i++)
		value[i] = output->kind == 0 ? bytes[i] : (bytes[i / 8] >> (i % 8)) & 1;
}

static unsigned failures_allowed(unsigned streams)
{
	unsigned k = 0;

	while (binomial_above(streams, LEVEL, k) > JUDGED)
		k++;
	return k;
}

/* One output through every test; returns how many tests it failed. */
static unsigned judge(const struct output *output, size_t index, uint64_t seed, unsigned streams)
{
	static uint32_t value[VALUES];
	unsigned failed[16] = { 0 }, allowed = failures_allowed(streams), bad = 0;
	struct rng rng;

	for (unsigned number = 0; number < streams; number++) {
		struct sequence sequence = { .value = value, .count = VALUES, .n = output->n };

		stream_init(&rng, seed, index, number);
		draw(output, &rng, value);
		for (size_t t = 0; t < battery_count; t++)
			failed[t] += battery[t].run(&sequence) < LEVEL;
	}
	for (size_t t = 0; t < battery_count; t++) {
		printf("%-12s %-20s %3u of %u streams beyond 99 %% (%u allowed)%s\n", output->name,
			battery[t].name, failed[t], streams, allowed,
			failed[t] > allowed ? "  FAILED" : "");
		bad += failed[t] > allowed;
	}
	fflush(stdout);
	return bad;
}

static uint64_t number_of(const char *what, const char *text, uint64_t max)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (!text[0] || *end || errno || value > max || text[0] == '-') {
		fprintf(stderr, "rng-battery: %s: found '%s', expected a whole number up to %llu\n",
			what, text, (unsigned long long)max);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? number_of("SEED", argv[1], UINT64_MAX) : 1;
	unsigned streams = argc > 2 ? (unsigned)number_of("STREAMS", argv[2], 100000) : STREAMS;
	unsigned failed = 0;

	if (argc > 3 || streams == 0) {
		fputs("usage: rng-battery [SEED [STREAMS]]\n", stderr);
		return 2;
	}
	if (sodium_init() < 0)
		return 2;
	failed += !rng_known_answer();
	printf("known answer (RFC 8439): %s\n", failed ? "FAILED" : "as it should be");
	printf("seed %llu, %u streams of %d values for each output\n", (unsigned long long)seed,
		streams, VALUES);
	for (size_t i = 0; i < OUTPUTS; i++)
		failed += judge(&outputs[i], i, seed, streams);
	printf("%zu passed, %u failed\n", 1 + OUTPUTS * battery_count - failed, failed);
	return failed != 0;
}
