/* The random stream: known answers from an independent implementation of RFC 8439 and of the
 * contract in rng.h. */
#include "libcommon/base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void init_counting(struct rng *rng)
{
	uint8_t key[RNG_KEY_BYTES];

	for (uint8_t i = 0; i < RNG_KEY_BYTES; i++)
		key[i] = i;
	rng_init(rng, key);
}

static void test_rng_stream_is_chacha20(void **unused)
{
	/* RFC 8439, A.1, test vectors 1 and 2: key and nonce of zeros, blocks 0 and 1 */
	static const uint8_t block0[8] = { 0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90 };
	static const uint8_t block1[8] = { 0x9f, 0x07, 0xe7, 0xbe, 0x55, 0x51, 0x38, 0x7a };
	static const uint8_t zeros[RNG_KEY_BYTES];
	uint8_t bytes[72];
	struct rng rng;

	(void)unused;
	rng_init(&rng, zeros);
	rng_bytes(&rng, bytes, sizeof(bytes));
	assert_memory_equal(bytes, block0, sizeof(block0));
	assert_memory_equal(bytes + 64, block1, sizeof(block1));
}

static const struct {
	uint32_t n, value;
} BELOW[] = {
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
	{ 4294967295u, 1686095929 },
	{ 2147483649u, 382860248 },
	{ 3221225473u, 2638032130u },
	{ 3221225473u, 1225083086 },
	{ 3000000001u, 460613909 },
	{ 36, 34 },
	{ 39, 14 },
	{ 40, 2 },
	{ 39, 14 },
	{ 38, 16 },
	{ 10, 3 },
	{ 1000000, 141975 },
	{ 1, 0 },
	{ 2, 0 },
	{ 3, 2 },
	{ 26, 12 },
	{ 4294967295u, 3445265712u },
	{ 2147483649u, 1846999329 },
	{ 3221225473u, 3014131089u },
	{ 3221225473u, 748022430 },
	{ 3000000001u, 638632424 },
	{ 36, 25 },
	{ 39, 7 },
	{ 40, 35 },
	{ 39, 4 },
	{ 38, 5 },
	{ 10, 5 },
	{ 1000000, 493409 },
	{ 1, 0 },
	{ 2, 1 },
	{ 3, 2 },
	{ 26, 3 },
	{ 4294967295u, 3222383590u },
	{ 2147483649u, 1058905723 },
	{ 3221225473u, 1009463940 },
	{ 3221225473u, 2022943238 },
	{ 3000000001u, 1983284812 },
};

static const struct {
	uint64_t n, value;
} BELOW64[] = {
	{ 10, 5 },
	{ UINT64_C(9223372036854775809), UINT64_C(7788917242135710123) },
	{ UINT64_MAX, UINT64_C(18444715795135843671) },
	{ UINT64_C(12345678901234567), UINT64_C(8107285387238140) },
	{ 10, 0 },
	{ UINT64_C(9223372036854775809), UINT64_C(3110423824630299606) },
	{ UINT64_MAX, UINT64_C(1915430748060600922) },
	{ UINT64_C(12345678901234567), UINT64_C(6998814838011181) },
};

static void test_rng_below_known_answers(void **unused)
{
	struct rng rng;

	(void)unused;
	init_counting(&rng);
	for (size_t i = 0; i < sizeof(BELOW) / sizeof(BELOW[0]); i++)
		assert_int_equal(rng_below(&rng, BELOW[i].n), BELOW[i].value);
	assert_int_equal(rng_drawn(&rng), sizeof(BELOW) / sizeof(BELOW[0]));
	for (size_t i = 0; i < sizeof(BELOW64) / sizeof(BELOW64[0]); i++)
		assert_true(rng_below64(&rng, BELOW64[i].n) == BELOW64[i].value);
}

/* The stream stays the same, whatever the sizes of the reads. */
static void test_rng_reads_do_not_depend_on_buffering(void **unused)
{
	uint8_t whole[1500], parts[1500];
	struct rng rng;
	size_t at = 0;

	(void)unused;
	init_counting(&rng);
	rng_bytes(&rng, whole, sizeof(whole));
	init_counting(&rng);
	for (size_t step = 1; at < sizeof(parts); step = step * 3 % 101 + 1) {
		size_t count = step < sizeof(parts) - at ? step : sizeof(parts) - at;

		rng_bytes(&rng, parts + at, count);
		at += count;
	}
	assert_memory_equal(whole, parts, sizeof(whole));
	init_counting(&rng);
	rng_bytes(&rng, parts, 61);
	assert_int_equal(rng_below64(&rng, UINT64_C(1) << 32),
		/* a power of two takes the high bits of the word at byte 61 */
		(uint32_t)whole[65] | (uint32_t)whole[66] << 8 | (uint32_t)whole[67] << 16 |
			(uint32_t)whole[68] << 24);
}

static void test_rng_forced_results_come_first(void **unused)
{
	static const uint32_t script[] = { 3, 0, 25 };
	struct rng rng;

	(void)unused;
	init_counting(&rng);
	rng_force(&rng, script, 3);
	assert_int_equal(rng_below(&rng, 4), 3);
	assert_int_equal(rng_below64(&rng, 1), 0);
	assert_int_equal(rng_below(&rng, 26), 25);
	assert_false(rng_forced_misfit(&rng));
	assert_int_equal(rng_drawn(&rng), 3);
	/* the stream was not touched */
	assert_int_equal(rng_below(&rng, 36), 17);
}

static void test_rng_forced_misfit_reported(void **unused)
{
	static const uint32_t script[] = { 36, 5 };
	struct rng rng;

	(void)unused;
	init_counting(&rng);
	rng_force(&rng, script, 2);
	assert_int_equal(rng_below(&rng, 36), 17);
	assert_true(rng_forced_misfit(&rng));
	assert_int_equal(rng_below(&rng, 36), 5);
	assert_true(rng_forced_misfit(&rng));
}

/* 37 cells, 370,000 draws: chi-square with 36 degrees of freedom is below 77.1 for all but 10^-4 of
 * keys. The key is fixed, so a failure is a bug. */
static void test_rng_below_is_even(void **unused)
{
	uint32_t cell[37] = { 0 };
	double chi = 0;
	struct rng rng;

	(void)unused;
	init_counting(&rng);
	for (int i = 0; i < 370000; i++)
		cell[rng_below(&rng, 37)]++;
	for (int i = 0; i < 37; i++)
		chi += ((double)cell[i] - 10000) * ((double)cell[i] - 10000) / 10000;
	print_message("chi-square %.1f\n", chi);
	assert_true(chi < 77.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rng_stream_is_chacha20),
		cmocka_unit_test(test_rng_below_known_answers),
		cmocka_unit_test(test_rng_reads_do_not_depend_on_buffering),
		cmocka_unit_test(test_rng_forced_results_come_first),
		cmocka_unit_test(test_rng_forced_misfit_reported),
		cmocka_unit_test(test_rng_below_is_even),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
