/* FX rates as text: the stored rate is exactly the text, and other text is rejected. */
#include "services/gateway/core/fx.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

static const struct {
	const char *text;
	int64_t nano; /* 0: refused */
	const char *back;
} cases[] = {
	{ "0.0875", 87500000, "0.0875" },
	{ "1", 1000000000, "1" },
	{ "1.0", 1000000000, "1" },
	{ "0.000000001", 1, "0.000000001" },
	{ "2.920000000", 2920000000, "2.92" },
	{ "1000000", FX_RATE_NANO_MAX, "1000000" },
	{ "1000000.000000001", 0, NULL },
	{ "999999999", 0, NULL },
	{ "9999999999", 0, NULL },
	{ "0.0000000001", 0, NULL },
	{ "0", 0, NULL },
	{ "0.0", 0, NULL },
	{ "", 0, NULL },
	{ ".5", 0, NULL },
	{ "5.", 0, NULL },
	{ "1..2", 0, NULL },
	{ "1.2.3", 0, NULL },
	{ "-1", 0, NULL },
	{ "+1", 0, NULL },
	{ "1e3", 0, NULL },
	{ "0,0875", 0, NULL },
	{ " 1", 0, NULL },
	{ "1 ", 0, NULL },
	{ "0x1", 0, NULL },
};

static void test_rate_round_trip(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t nano = 0;
		char text[FX_RATE_MAX + 1];
		print_message("'%s'\n", cases[i].text);
		assert_int_equal(fx_rate_read(cases[i].text, &nano), cases[i].nano != 0);
		assert_int_equal(nano, cases[i].nano);
		if (cases[i].back == NULL)
			continue;
		fx_rate_format(nano, text);
		assert_string_equal(text, cases[i].back);
	}
}

static void test_rate_format_is_the_inverse(void **state)
{
	(void)state;
	for (int64_t nano = 1; nano < FX_RATE_NANO_MAX / 7; nano = nano * 7 + 3) {
		int64_t again;
		char text[FX_RATE_MAX + 1];
		fx_rate_format(nano, text);
		assert_true(fx_rate_read(text, &again));
		assert_int_equal(again, nano);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate_round_trip),
		cmocka_unit_test(test_rate_format_is_the_inverse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
