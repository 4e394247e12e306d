/* What is stored and wrong is noted in a try; the first fault counts, and an inner try keeps its
 * own. */
#include "libcommon/base/utf8.h"
#include "libcommon/io/stored.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_first_fault_of_a_try_is_noted(void **state)
{
	struct stored_fault fault;
	(void)state;
	stored_try(&fault);
	assert_true(stored_good());
	stored_wrong("row %d: found %s, expected a number", 7, "x");
	stored_wrong("later");
	assert_false(stored_good());
	assert_false(stored_tried(&fault));
	assert_string_equal(fault.text, "row 7: found x, expected a number");
}

static void test_inner_try_keeps_its_fault(void **state)
{
	struct stored_fault outer, inner;
	(void)state;
	stored_try(&outer);
	stored_try(&inner);
	stored_wrong("of the inner one");
	assert_false(stored_tried(&inner));
	assert_true(stored_good());
	assert_true(stored_tried(&outer));
	assert_string_equal(inner.text, "of the inner one");
	assert_string_equal(outer.text, "");
}

static void test_long_fault_is_cut(void **state)
{
	struct stored_fault fault;
	char text[2 * STORED_TEXT_MAX];
	(void)state;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	stored_try(&fault);
	stored_wrong("%s", text);
	assert_false(stored_tried(&fault));
	assert_int_equal(strlen(fault.text), STORED_TEXT_MAX - 1);
}

/* Postgres would refuse it, at the end and where what was found was cut. */
static void test_cut_fault_is_utf8(void **state)
{
	struct stored_fault fault;
	char text[2 * STORED_TEXT_MAX];
	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = i % 2 == 0 ? '\xc3' : '\xa4';
	text[sizeof(text) - 1] = '\0';
	stored_try(&fault);
	stored_wrong("found '%.7s', expected %s", text, text);
	assert_false(stored_tried(&fault));
	assert_true(utf8_valid(fault.text));
	assert_int_equal(strlen(fault.text), STORED_TEXT_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_fault_of_a_try_is_noted),
		cmocka_unit_test(test_inner_try_keeps_its_fault),
		cmocka_unit_test(test_long_fault_is_cut),
		cmocka_unit_test(test_cut_fault_is_utf8),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
