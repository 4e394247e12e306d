/* Health of the generator: good streams pass; a broken stream is detected at once, and the fault
 * stays. */
#include "libcommon/base/rng.h"
#include "libcommon/base/rng_health.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SOUND_BYTES (1u << 22)

static void test_rng_health_known_answer(void **unused)
{
	(void)unused;
	assert_true(rng_known_answer());
}

static void test_rng_health_sound_stream_passes(void **unused)
{
	static const uint8_t key[RNG_KEY_BYTES] = { 7 };
	struct rng_health health;
	uint8_t chunk[997]; /* not a multiple of any size in use */
	struct rng rng;

	(void)unused;
	rng_init(&rng, key);
	rng_health_init(&health);
	for (uint32_t done = 0; done < SOUND_BYTES; done += sizeof(chunk)) {
		rng_bytes(&rng, chunk, sizeof(chunk));
		assert_int_equal(rng_health_feed(&health, chunk, sizeof(chunk)), RNG_SOUND);
	}
	assert_true(health.fed >= SOUND_BYTES);
}

/* A broken source: how it makes byte i, and the fault that must be found. */
static uint8_t stuck(uint32_t i)
{
	(void)i;
	return 0x5a;
}

static uint8_t counter_of_words(uint32_t i)
{
	return (uint8_t)(i % 8 == 0 ? i / 16 : i % 8); /* each word twice */
}

static uint8_t favourite(uint32_t i)
{
	return (uint8_t)(i % 16 == 0 ? 3 : (i * 2654435761u) >> 24); /* 3 in every 16th place */
}

static const struct {
	const char *what;
	uint8_t (*byte)(uint32_t);
	enum rng_fault fault;
	uint32_t within; /* bytes */
} BROKEN[] = {
	{ "one value for ever", stuck, RNG_REPEATED, 16 },
	{ "each word twice", counter_of_words, RNG_REPEATED, 16 },
	{ "one value too often", favourite, RNG_UNEVEN, 1024 },
};

static void test_rng_health_reports_broken(void **unused)
{
	(void)unused;
	for (size_t k = 0; k < sizeof(BROKEN) / sizeof(BROKEN[0]); k++) {
		struct rng_health health;
		uint32_t i = 0;

		rng_health_init(&health);
		for (; i < BROKEN[k].within && health.fault == RNG_SOUND; i++) {
			uint8_t byte = BROKEN[k].byte(i);

			rng_health_feed(&health, &byte, 1);
		}
		if (health.fault != BROKEN[k].fault)
			fail_msg("%s: found %s after %u bytes", BROKEN[k].what,
				rng_fault_text(health.fault), i);
	}
}

static void test_rng_health_fault_stays(void **unused)
{
	static const uint8_t good[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	struct rng_health health;
	uint8_t zeros[32] = { 0 };

	(void)unused;
	rng_health_init(&health);
	assert_int_equal(rng_health_feed(&health, zeros, sizeof(zeros)), RNG_REPEATED);
	assert_int_equal(rng_health_feed(&health, good, sizeof(good)), RNG_REPEATED);
}

/* The smallest window that must alarm: CUTOFF equal bytes among 512, no word repeated. */
static void test_rng_health_cutoff_is_exact(void **unused)
{
	(void)unused;
	for (uint32_t same = RNG_HEALTH_CUTOFF - 1; same <= RNG_HEALTH_CUTOFF; same++) {
		uint8_t window[RNG_HEALTH_WINDOW];
		struct rng_health health;

		for (uint32_t i = 0; i < RNG_HEALTH_WINDOW; i++)
			window[i] = i % 8 == 0 && i / 8 < same ? 255 : (uint8_t)(i / 2);
		window[510] = window[511] = 0; /* 255 / 2 twice would be 255 */
		rng_health_init(&health);
		assert_int_equal(rng_health_feed(&health, window, sizeof(window)),
			same == RNG_HEALTH_CUTOFF ? RNG_UNEVEN : RNG_SOUND);
	}
}

/* Every block of a watched stream is tested once, and its numbers stay the same. */
static void test_rng_watch_feeds_every_block(void **unused)
{
	static const uint8_t key[RNG_KEY_BYTES] = { 5 };
	struct rng_health health;
	struct rng plain, watched;

	(void)unused;
	rng_init(&plain, key);
	rng_init(&watched, key);
	rng_health_init(&health);
	rng_watch(&watched, &health);
	assert_int_equal(health.fed, 0);
	for (uint32_t i = 1; i <= 1000; i++) {
		assert_int_equal(rng_below(&plain, 1000), rng_below(&watched, 1000));
		assert_true(health.fed == (uint64_t)watched.block * 64 && health.fed >= 4 * i);
	}
	assert_int_equal(health.fault, RNG_SOUND);
}

/* The fault is found at the same byte, however the bytes are divided into calls. */
static void test_rng_health_is_independent_of_chunks(void **unused)
{
	(void)unused;
	for (size_t k = 0; k < sizeof(BROKEN) / sizeof(BROKEN[0]); k++)
		for (size_t piece = 1; piece < 600; piece += 13) {
			struct rng_health health;
			uint8_t bytes[600];
			uint32_t at = 0;

			rng_health_init(&health);
			while (at < BROKEN[k].within + piece && health.fault == RNG_SOUND) {
				for (size_t i = 0; i < piece; i++)
					bytes[i] = BROKEN[k].byte(at++);
				rng_health_feed(&health, bytes, piece);
			}
			assert_int_equal(health.fault, BROKEN[k].fault);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rng_health_known_answer),
		cmocka_unit_test(test_rng_health_sound_stream_passes),
		cmocka_unit_test(test_rng_health_reports_broken),
		cmocka_unit_test(test_rng_health_fault_stays),
		cmocka_unit_test(test_rng_health_cutoff_is_exact),
		cmocka_unit_test(test_rng_health_is_independent_of_chunks),
		cmocka_unit_test(test_rng_watch_feeds_every_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
