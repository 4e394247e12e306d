/* RULE bewitched 7.1, RULE mona-lisa 6.1: when a session has ended by inactivity, and what Redis
 * keeps of it. */
#include "libcommon/base/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_session_ends_after_idle_time(void **state)
{
	static const struct {
		uint64_t acted_ms, idle_ms, now_ms;
		bool idle;
	} TABLE[] = {
		{ 1000, 500, 1500, false },
		{ 1000, 500, 1501, true },
		{ 1000, 500, 1000, false },
		{ 1000, 500, 0, false },	/* the reader's clock is behind */
		{ 1000, 0, UINT64_MAX, false }, /* no limit */
		{ 0, 500, UINT64_MAX, false },	/* the time of the last action is lost */
		{ 1000, 500, UINT64_MAX, true },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		const struct session_seen seen = { TABLE[i].acted_ms, TABLE[i].idle_ms };
		if (session_idle(&seen, TABLE[i].now_ms) != TABLE[i].idle)
			fail_msg("row %zu: expected %d", i, TABLE[i].idle);
	}
}

static void test_session_seen_round_trip(void **state)
{
	static const char *const BAD[] = { "", ",", "1", "1,", ",1", "1,2,", "1,2 ", "-1,2", "1,x",
		"12345678901234567,1", " 1,2" };
	struct session_seen seen = { UINT64_C(1760000000123), 900000 }, back;
	char text[SESSION_SEEN_MAX];
	(void)state;
	session_seen_format(&seen, text);
	assert_string_equal(text, "1760000000123,900000");
	assert_true(session_seen_parse(text, &back));
	assert_true(back.acted_ms == seen.acted_ms && back.idle_ms == seen.idle_ms);
	for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
		if (session_seen_parse(BAD[i], &back))
			fail_msg("'%s' was taken", BAD[i]);
		assert_true(back.acted_ms == 0 && back.idle_ms == 0);
	}
}

static void test_session_name_is_hash_of_token(void **state)
{
	char name[SESSION_NAME_MAX];
	(void)state;
	session_name("abc", name); /* FIPS 180-2, first half of the digest */
	assert_string_equal(name, "ba7816bf8f01cfea414140de5dae2223");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_session_ends_after_idle_time),
		cmocka_unit_test(test_session_seen_round_trip),
		cmocka_unit_test(test_session_name_is_hash_of_token),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
