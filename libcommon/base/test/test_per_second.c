#include "libcommon/base/per_second.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_a_second_has_its_share(void **state)
{
	static const struct {
		uint64_t us, most;
		bool taken;
	} steps[] = { { 0, 2, true }, { 999998, 2, true }, { 999999, 2, false },
		{ 1000000, 2, true }, { 1999999, 2, true }, { 1999999, 2, false },
		{ 5000000, 0, false }, { 5000001, 1, true }, { 5000001, 1, false } };
	struct per_second share = { 0 };
	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		assert_int_equal(
			per_second_take(&share, steps[i].us, steps[i].most), steps[i].taken);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_a_second_has_its_share) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
