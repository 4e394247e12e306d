/* The battery itself: tails against tables, and generators that must fail it. */
#include "tests/math/rng-battery/battery.h"
#include "tests/math/rng-battery/tails.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT 100000

/* Upper points of the chi-square distribution, any table. */
static const struct {
	double x, freedom, tail;
} CHI[] = {
	{ 3.841, 1, 0.05 },
	{ 6.635, 1, 0.01 },
	{ 18.307, 10, 0.05 },
	{ 23.209, 10, 0.01 },
	{ 124.342, 100, 0.05 },
	{ 310.457, 255, 0.01 },
};

static void test_tails_tables(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(CHI) / sizeof(CHI[0]); i++)
		if (fabs(chi_square_tail(CHI[i].x, CHI[i].freedom) - CHI[i].tail) > 2e-4)
			fail_msg("chi-square %.3f of %.0f: found %.5f, expected %.5f", CHI[i].x,
				CHI[i].freedom, chi_square_tail(CHI[i].x, CHI[i].freedom),
				CHI[i].tail);
	assert_true(fabs(normal_tails(1.959964) - 0.05) < 1e-6);
	assert_true(fabs(normal_tails(-2.575829) - 0.01) < 1e-6);
	assert_true(fabs(binomial_above(100, 0.01, 1) - 0.264238) < 1e-5);
}

static uint32_t state;

static uint32_t xorshift(void) /* good enough to pass */
{
	state ^= state << 13;
	state ^= state >> 17;
	return state ^= state << 5;
}

static uint32_t sound(uint32_t i, uint32_t n)
{
	(void)i;
	return (uint32_t)(((uint64_t)xorshift() * n) >> 32);
}

static uint32_t biased(uint32_t i, uint32_t n) /* the first value one time in fifty too often */
{
	return i % 50 ? sound(i, n) : 0;
}

static uint32_t counting(uint32_t i, uint32_t n)
{
	return i % n;
}

static uint32_t sticky(uint32_t i, uint32_t n) /* repeats itself one time in ten */
{
	static uint32_t last;

	return i % 10 == 9 ? last : (last = sound(i, n));
}

static const struct {
	const char *what;
	uint32_t (*next)(uint32_t i, uint32_t n);
	const char *fails; /* the tests that must see it */
} SOURCES[] = {
	{ "sound", sound, "" },
	{ "biased", biased, "chi-square gap" },
	{ "counting", counting, "pairs serial runs poker coupon" },
	{ "sticky", sticky, "pairs serial poker" },
};

static void test_battery_tells_sound_from_broken(void **unused)
{
	static uint32_t value[COUNT];

	(void)unused;
	for (size_t k = 0; k < sizeof(SOURCES) / sizeof(SOURCES[0]); k++) {
		struct sequence sequence = { .value = value, .count = COUNT, .n = 10 };

		state = 20220617;
		for (uint32_t i = 0; i < COUNT; i++)
			value[i] = SOURCES[k].next(i, 10);
		for (size_t t = 0; t < battery_count; t++) {
			char first[32];
			double p = battery[t].run(&sequence);
			bool must;

			snprintf(first, sizeof(first), "%.*s", (int)strcspn(battery[t].name, " "),
				battery[t].name);
			must = strstr(SOURCES[k].fails, first) != NULL;
			if (must ? p > 1e-6 : k == 0 && p < 1e-4)
				fail_msg("%s, %s: p = %g", SOURCES[k].what, battery[t].name, p);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tails_tables),
		cmocka_unit_test(test_battery_tells_sound_from_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
