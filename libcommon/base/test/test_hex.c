#include "libcommon/base/hex.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_hex_round_trip(void **state)
{
	(void)state;
	const uint8_t bytes[] = { 0x00, 0x9f, 0xa0, 0xff };
	uint8_t back[4];
	char text[9];
	hex_format(bytes, sizeof(bytes), text);
	assert_string_equal(text, "009fa0ff");
	assert_true(hex_parse(text, sizeof(back), back));
	assert_memory_equal(back, bytes, sizeof(bytes));
	hex_format(bytes, 0, text);
	assert_string_equal(text, "");
}

static void test_hex_rejects_non_hex(void **state)
{
	(void)state;
	static const char *const WRONG[] = { "", "0", "000", "0g", "g0", "AB", " 1", "0\n" };
	uint8_t byte;
	for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++)
		assert_false(hex_parse(WRONG[i], 1, &byte));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hex_round_trip),
		cmocka_unit_test(test_hex_rejects_non_hex),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
