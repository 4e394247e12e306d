#include "libcommon/base/alone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct {
	const char *setting, *currency;
	int64_t minor;
	bool alone;
} cases[] = {
	{ "", "EUR", INT64_C(100000000000), true },
	{ "EUR=1000000", "EUR", 1000000, true },
	{ "EUR=1000000", "EUR", 1000001, false },
	{ "EUR=1000000", "EUR", -1000000, true },
	{ "EUR=1000000", "EUR", -1000001, false },
	{ "EUR=1000000", "EUR", INT64_MAX, false },
	{ "EUR=1000000", "SEK", 1, false },
	{ "EUR=1000000,JPY=0", "JPY", INT64_C(100000000000), true },
	{ "EUR=1000000,SEK=5", "SEK", 5, true },
	{ "EUR=1000000,SEK=5", "SEK", 6, false },
	{ "*=7,EUR=1000000", "EUR", 8, true },
	{ "EUR=1000000,*=7", "EUR", 8, true },
	{ "EUR=5,*=7", "EUR", 6, false },
	{ "*=1000000", "JPY", 1700000, true },
	{ "*=1000000", "JPY", 1700001, false },
	{ "*=1000000", "USDT", INT64_C(10000000000), true },
	{ "*=1000000", "USDT", INT64_C(10000000001), false },
	{ "*=1000000", "XBT", -10000000, true },
	{ "*=1000000", "XBT", -10000001, false },
	{ "*=1000000,JPY=5", "JPY", 6, false },
	{ "EUR=1000000,*=7", "CHF", 7, true },
	{ "EUR=1000000,*=7", "CHF", 8, false },
	{ "EUR=1000000,*=0", "CHF", INT64_C(100000000000), true },
};

static void test_alone_permits_up_to_the_amount(void **state)
{
	struct alone alone;
	char error[ALONE_ERROR_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(alone_read(cases[i].setting, &alone, error));
		if (alone_permits(&alone, currency_by_code(cases[i].currency), cases[i].minor) !=
			cases[i].alone)
			fail_msg("%s: %lld %s", cases[i].setting, (long long)cases[i].minor,
				cases[i].currency);
	}
}

static void test_alone_most_of_a_currency(void **state)
{
	static const struct {
		const char *setting, *currency;
		int64_t most;
	} sums[] = { { "", "EUR", ALONE_ANY }, { "EUR=5", "EUR", 5 }, { "EUR=5", "SEK", 0 },
		{ "EUR=0", "EUR", ALONE_ANY }, { "EUR=5,*=7", "SEK", 70 },
		{ "*=7,EUR=5", "EUR", 5 }, { "EUR=5,*=0", "SEK", ALONE_ANY } };
	struct alone alone;
	char error[ALONE_ERROR_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		assert_true(alone_read(sums[i].setting, &alone, error));
		assert_int_equal(
			alone_most(&alone, currency_by_code(sums[i].currency)), sums[i].most);
	}
}

static void test_alone_refuses_what_is_no_list(void **state)
{
	static const char *const wrong[] = { "EUR", "EUR=", "EUR=-1", "EUR:5", "QQQ=5",
		"EUR=5,EUR=6", "*=5,*=6", "**=5", ",EUR=5", "EUR=5,,SEK=6", "EUR=05",
		"EUR=1000000000000001", "EUR=5 ,SEK=6",
		"EUR=000000000000000000000000000000000000" };
	struct alone alone;
	char error[ALONE_ERROR_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (alone_read(wrong[i], &alone, error))
			fail_msg("%s is taken", wrong[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone_permits_up_to_the_amount),
		cmocka_unit_test(test_alone_most_of_a_currency),
		cmocka_unit_test(test_alone_refuses_what_is_no_list),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
