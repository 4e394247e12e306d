/* The header traceparent: what is valid, and what begins a new trace. */
#include "libcommon/edge/trace_parent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#define ID "0af7651916cd43dd8448eb211c80319c"
#define PARENT "b7ad6b7169203331"

static const struct {
	const char *text;
	int flags; /* -1: not valid */
} TABLE[] = {
	{ "00-" ID "-" PARENT "-00", 0 },
	{ "00-" ID "-" PARENT "-01", 1 },
	/* other flags have no meaning */
	{ "00-" ID "-" PARENT "-03", 1 },
	{ "00-" ID "-" PARENT "-fe", 0 },
	/* version 00 ends here */
	{ "00-" ID "-" PARENT "-01-", -1 },
	{ "00-" ID "-" PARENT "-01-what-comes-later", -1 },
	{ "00-" ID "-" PARENT "-0", -1 },
	{ "00-" ID "-" PARENT "-", -1 },
	{ "00-" ID "-" PARENT, -1 },
	{ "00-" ID "-" PARENT "-1g", -1 },
	/* later versions may be longer */
	{ "01-" ID "-" PARENT "-01", 1 },
	{ "cc-" ID "-" PARENT "-01-what-comes-later", 1 },
	{ "cc-" ID "-" PARENT "-01.what-comes-later", -1 },
	{ "ff-" ID "-" PARENT "-01", -1 },
	{ "0-" ID "-" PARENT "-011", -1 },
	{ "0G-" ID "-" PARENT "-01", -1 },
	/* all zeros are no id */
	{ "00-00000000000000000000000000000000-" PARENT "-01", -1 },
	{ "00-" ID "-0000000000000000-01", -1 },
	/* lower case only */
	{ "00-0AF7651916CD43DD8448EB211C80319C-" PARENT "-01", -1 },
	{ "00-" ID "-B7AD6B7169203331-01", -1 },
	{ "00-" ID "-" PARENT "-0A", -1 },
	/* dashes where they belong */
	{ "00_" ID "-" PARENT "-01", -1 },
	{ "00-" ID "_" PARENT "-01", -1 },
	{ "00-" ID "-" PARENT "_01", -1 },
	{ " 00-" ID "-" PARENT "-01", -1 },
	{ "00-" ID "-" PARENT "-01 ", -1 },
	{ "", -1 },
	{ "-", -1 },
};

static void test_trace_parent_table(void **state)
{
	static const uint8_t expected[TRACE_PARENT_BYTES - 1] = { 0x0a, 0xf7, 0x65, 0x19, 0x16,
		0xcd, 0x43, 0xdd, 0x84, 0x48, 0xeb, 0x21, 0x1c, 0x80, 0x31, 0x9c, 0xb7, 0xad, 0x6b,
		0x71, 0x69, 0x20, 0x33, 0x31 };

	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		uint8_t trace[TRACE_PARENT_BYTES];
		bool valid = trace_parent_read(TABLE[i].text, trace);
		if (valid != (TABLE[i].flags >= 0))
			fail_msg("%s: found %d", TABLE[i].text, valid);
		if (!valid)
			continue;
		assert_memory_equal(trace, expected, sizeof(expected));
		assert_int_equal(trace[24], TABLE[i].flags);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace_parent_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
