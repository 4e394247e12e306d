/* The commands that were declined. */
#include "libcommon/base/declined.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define ASKER "tcp://127.0.0.1:9100"

static struct declined declined;

static int empty(void **state)
{
	(void)state;
	memset(&declined, 0, sizeof(declined));
	return 0;
}

static void test_a_declined_command_is_known_by_all_three(void **state)
{
	(void)state;
	assert_false(declined_has(&declined, ASKER, 7, 1));
	declined_note(&declined, ASKER, 7, 1);
	assert_true(declined_has(&declined, ASKER, 7, 1));
	assert_false(declined_has(&declined, ASKER, 8, 1));
	assert_false(declined_has(&declined, ASKER, 7, 2));
	assert_false(declined_has(&declined, ASKER "1", 7, 1));
	assert_false(declined_has(&declined, ASKER, 1, 7));
}

static void test_a_command_without_asker_is_never_declined(void **state)
{
	(void)state;
	declined_note(&declined, "", 7, 1);
	assert_false(declined_has(&declined, "", 7, 1));
}

/* The oldest are forgotten, never the latest. */
static void test_the_latest_are_kept(void **state)
{
	(void)state;
	for (uint64_t n = 0; n < 100000; n++) {
		declined_note(&declined, ASKER, n, 1);
		assert_true(declined_has(&declined, ASKER, n, 1));
		assert_true(n < 64 || declined_has(&declined, ASKER, n - 64, 1));
	}
	assert_false(declined_has(&declined, ASKER, 0, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_declined_command_is_known_by_all_three, empty),
		cmocka_unit_test_setup(test_a_command_without_asker_is_never_declined, empty),
		cmocka_unit_test_setup(test_the_latest_are_kept, empty),
	};

	return cmocka_run_group_tests_name("declined", tests, NULL, NULL);
}
