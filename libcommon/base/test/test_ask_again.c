/* The times after which an asker asks again. */
#include "libcommon/base/ask_again.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_waits_double_up_to_4_s(void **state)
{
	static const uint64_t LEAST_US[] = { 250000, 500000, 1000000, 2000000, 4000000, 4000000 };

	(void)state;
	for (uint32_t times = 1; times <= 6; times++)
		for (uint64_t salt = 0; salt < 1000; salt++)
			assert_in_range(ask_again_us(times, salt), LEAST_US[times - 1],
				LEAST_US[times - 1] * 5 / 4);
	assert_in_range(ask_again_us(UINT32_MAX, 1), 4000000, 5000000);
	assert_in_range(ask_again_us(0, 1), 250000, 312500);
}

static void test_askers_ask_at_different_times(void **state)
{
	uint32_t equal = 0;

	(void)state;
	for (uint64_t salt = 0; salt < 1000; salt++)
		equal += ask_again_us(1, salt) == ask_again_us(1, salt + 1);
	assert_in_range(equal, 0, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits_double_up_to_4_s),
		cmocka_unit_test(test_askers_ask_at_different_times),
	};

	return cmocka_run_group_tests_name("ask_again", tests, NULL, NULL);
}
