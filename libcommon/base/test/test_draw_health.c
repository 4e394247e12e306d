/* Broken sources of salts, keys and streams: each fault is found at once, names its source and
 * stays. Good sources never fail. */
#include "libcommon/base/draw_health.h"

#include "libcommon/base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MOVES 20000

/* How a source makes its next bytes; `at` counts the calls. */
typedef void source(uint32_t at, uint8_t *out, size_t count);

static void sound(uint32_t at, uint8_t *out, size_t count)
{
	uint8_t key[RNG_KEY_BYTES] = { (uint8_t)at, (uint8_t)(at >> 8), (uint8_t)(at >> 16), 1 };
	struct rng rng;

	rng_init(&rng, key);
	rng_bytes(&rng, out, count);
}

static void zeros(uint32_t at, uint8_t *out, size_t count)
{
	(void)at;
	memset(out, 0, count);
}

/* The same good bytes each time: a source that is never reseeded. */
static void repeated_seed(uint32_t at, uint8_t *out, size_t count)
{
	(void)at;
	sound(77, out, count);
}

/* Good, except that one byte of sixteen is stuck. */
static void stuck_byte(uint32_t at, uint8_t *out, size_t count)
{
	sound(at, out, count);
	for (size_t i = 0; i < count; i += 16)
		out[i] = 0xa5;
}

static void feed(struct draw_health *health, uint32_t at, source *salts, source *keys)
{
	uint8_t salt[DRAW_HEALTH_SALT];
	uint8_t key[DRAW_HEALTH_KEY];

	salts(at, salt, sizeof(salt));
	keys(at + 1000000, key, sizeof(key));
	(void)draw_health_salt(health, salt);
	(void)draw_health_key(health, 7, at + 1, key);
}

static void test_draw_health_sources(void **unused)
{
	static const struct {
		const char *what;
		source *salts, *keys;
		const char *text;
		uint32_t within; /* moves */
	} rows[] = {
		{ "sound", sound, sound, "sound", 0 },
		{ "salts of zeros", zeros, sound, "salts: repeated", 1 },
		{ "the same salt", repeated_seed, sound, "salts: repeated", 2 },
		{ "a stuck byte in salts", stuck_byte, sound, "salts: uneven", 64 },
		{ "keys of zeros", sound, zeros, "round keys: repeated", 1 },
		{ "the same key", sound, repeated_seed, "round keys: repeated", 2 },
		{ "a stuck byte in keys", sound, stuck_byte, "round keys: uneven", 64 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct draw_health health;
		char text[DRAW_HEALTH_TEXT_MAX];
		uint32_t moves = rows[i].within ? rows[i].within : MOVES;

		print_message("%s\n", rows[i].what);
		assert_int_equal(draw_health_init(&health), RNG_SOUND);
		for (uint32_t at = 0; at < moves; at++)
			feed(&health, at, rows[i].salts, rows[i].keys);
		assert_string_equal(draw_health_text(&health, text), rows[i].text);
		for (uint32_t at = MOVES; at < MOVES + 100; at++)
			feed(&health, at, sound, sound);
		assert_string_equal(draw_health_text(&health, text), rows[i].text);
	}
}

/* A retried move has the same key: this is no fault, and the key is not tested twice. */
static void test_draw_health_same_move_again(void **unused)
{
	struct draw_health health;
	uint8_t key[DRAW_HEALTH_KEY];

	(void)unused;
	assert_int_equal(draw_health_init(&health), RNG_SOUND);
	sound(1, key, sizeof(key));
	for (int i = 0; i < 100; i++)
		assert_int_equal(draw_health_key(&health, 7, 3, key), RNG_SOUND);
	assert_true(health.keys.fed == sizeof(key));
	assert_int_equal(draw_health_key(&health, 8, 3, key), RNG_REPEATED);
}

static void test_draw_health_first_sample(void **unused)
{
	static uint8_t sample[DRAW_HEALTH_SAMPLE];
	struct draw_health health;

	(void)unused;
	assert_int_equal(draw_health_init(&health), RNG_SOUND);
	sound(5, sample, sizeof(sample));
	assert_int_equal(draw_health_sample(&health, sample), RNG_SOUND);
	zeros(5, sample, sizeof(sample));
	assert_int_equal(draw_health_sample(&health, sample), RNG_REPEATED);
}

/* A fault of a stream is reported as the stream's. */
static void test_draw_health_streams(void **unused)
{
	struct draw_health health;
	char text[DRAW_HEALTH_TEXT_MAX];
	uint8_t block[64] = { 0 };

	(void)unused;
	assert_int_equal(draw_health_init(&health), RNG_SOUND);
	(void)rng_health_feed(&health.streams, block, sizeof(block));
	assert_int_equal(draw_health_fault(&health), RNG_REPEATED);
	assert_string_equal(draw_health_text(&health, text), "streams: repeated");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_draw_health_sources),
		cmocka_unit_test(test_draw_health_same_move_again),
		cmocka_unit_test(test_draw_health_first_sample),
		cmocka_unit_test(test_draw_health_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
