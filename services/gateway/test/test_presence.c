/* Time-outs of idle sessions and of games after a lost connection.
 * RULE bewitched 7.1, 7.3, RULE mona-lisa 6.1, 6.3. */
#include "services/gateway/core/presence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define WAIT_S_MAX 86400

static void test_timeouts_are_parsed(void **state)
{
	static const struct {
		const char *text, *name;
		uint32_t s;
	} TABLE[] = {
		{ "", "7", 0 },
		{ "0", "7", 0 },
		{ "15m", "7", 900 },
		{ "90s", "7", 90 },
		{ "15m,7=90s,9=0", "7", 90 },
		{ "15m,7=90s,9=0", "9", 0 },
		{ "15m,7=90s,9=0", "8", 900 },
		{ "7=90s,15m", "8", 900 },
		{ "bewitched=30s,mona-lisa=30s", "mona-lisa", 30 },
		{ "bewitched=30s,mona-lisa=30s", "mystic-gem", 0 },
		{ "1440m", "7", 86400 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		struct timeouts timeouts;
		char error[WAIT_ERROR_MAX];
		if (!timeouts_parse(TABLE[i].text, WAIT_S_MAX, &timeouts, error))
			fail_msg("'%s': %s", TABLE[i].text, error);
		if (timeouts_of(&timeouts, TABLE[i].name) != TABLE[i].s)
			fail_msg("'%s' of '%s': found %u", TABLE[i].text, TABLE[i].name,
				(unsigned)timeouts_of(&timeouts, TABLE[i].name));
		assert_int_equal(
			timeouts_any(&timeouts), strpbrk(TABLE[i].text, "123456789") != NULL);
	}
}

static void test_timeouts_reject_invalid(void **state)
{
	static const char *const TABLE[] = { "15", "m", "15h", "15m,20m", "7=15", "7=", "=15m",
		"7=15m,7=20m", "7=15m 8=20m", "A=15m", "1441m", "86401s", "99999999m", "-1s", ",",
		"15m,,7=1s", "a-name-that-is-longer-than-any-game-s=1s" };
	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		struct timeouts timeouts;
		char error[WAIT_ERROR_MAX] = "";
		if (timeouts_parse(TABLE[i], WAIT_S_MAX, &timeouts, error))
			fail_msg("'%s' was taken", TABLE[i]);
		assert_non_null(strstr(error, "expected"));
	}
}

static void test_reconnect_waits_out_the_seconds(void **state)
{
	static const struct {
		uint64_t dropped_ms, now_ms;
		uint32_t wait_s, left_s;
	} TABLE[] = {
		{ 0, 1000, 30, 0 }, /* no loss, or it is forgotten */
		{ 1000, 1000, 30, 30 }, { 1000, 1001, 30, 30 }, { 1000, 2000, 30, 29 },
		{ 1000, 30999, 30, 1 }, { 1000, 31000, 30, 0 },
		{ 1000, 1500, 0, 0 },	 /* a game without this policy */
		{ 90000, 1000, 30, 30 }, /* another clock, ahead */
	};
	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++)
		if (reconnect_left_s(TABLE[i].dropped_ms, TABLE[i].now_ms, TABLE[i].wait_s) !=
			TABLE[i].left_s)
			fail_msg("row %zu: expected %u", i, (unsigned)TABLE[i].left_s);
}

static void test_moments_keep_the_newest(void **state)
{
	static struct moments moments;
	(void)state;
	assert_int_equal(moment_known(&moments, 7), 0);
	moment_of(&moments, 7)->ms = 1;
	assert_int_equal(moment_known(&moments, 7), 1);
	for (uint64_t key = 100; key < 100 + 2 * MOMENTS_SLOTS; key++)
		moment_of(&moments, key)->ms = key;
	assert_int_equal(moment_known(&moments, 7), 0); /* evicted, so forgotten */
	assert_int_equal(moment_known(&moments, 99 + 2 * MOMENTS_SLOTS), 99 + 2 * MOMENTS_SLOTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_timeouts_are_parsed),
		cmocka_unit_test(test_timeouts_reject_invalid),
		cmocka_unit_test(test_reconnect_waits_out_the_seconds),
		cmocka_unit_test(test_moments_keep_the_newest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
