/* RULE bewitched 4.8; RULE mona-lisa 4.11: refreshed at least every three seconds, never backwards
 * but for a hit. */
#include "services/notifications/core/counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

static struct counters counters;

/* RULE mystic-gem 6.14 */
static void test_offer_takes_newer_and_drops_older(void **state)
{
	(void)state;
	static const struct {
		const char *what;
		uint32_t pool, incarnation;
		struct counter row;
		enum counters_status expected;
		int64_t shown; /* of the first row of the pool */
	} cases[] = {
		{ "first", 1, 0, { 978, 100, 0, 500, 100, 5, 0 }, COUNTERS_OK, 500 },
		{ "the same again", 1, 0, { 978, 100, 0, 500, 100, 5, 0 }, COUNTERS_SEEN, 500 },
		{ "same version, other value", 1, 0, { 978, 100, 0, 400, 100, 5, 0 }, COUNTERS_SEEN,
			500 },
		{ "newer", 1, 0, { 978, 100, 0, 501, 100, 6, 0 }, COUNTERS_OK, 501 },
		{ "older, after a flush", 1, 0, { 978, 100, 0, 499, 100, 4, 0 }, COUNTERS_OLD,
			501 },
		{ "a hit", 1, 0, { 978, 100, 0, 100, 100, 7, 1 }, COUNTERS_OK, 100 },
		{ "another coin", 1, 0, { 978, 20, 0, 9, 1, 1, 0 }, COUNTERS_OK, 100 },
		{ "a level", 2, 0, { 978, 0, 3, 9, 1, 1, 0 }, COUNTERS_OK, 9 },
		{ "first incarnation known", 1, 3, { 978, 100, 0, 101, 100, 8, 1 }, COUNTERS_OK,
			101 },
		{ "an old incarnation", 1, 2, { 978, 100, 0, 900, 100, 99, 1 }, COUNTERS_OLD, 101 },
		{ "restored", 1, 4, { 978, 100, 0, 90, 80, 2, 0 }, COUNTERS_OK, 90 },
		{ "negative value", 1, 0, { 978, 100, 0, -1, 1, 99, 0 }, COUNTERS_BAD, 90 },
		{ "neither coin nor level", 1, 0, { 978, 0, 0, 1, 1, 99, 0 }, COUNTERS_BAD, 90 },
		{ "both", 1, 0, { 978, 1, 1, 1, 1, 99, 0 }, COUNTERS_BAD, 90 },
	};
	memset(&counters, 0, sizeof(counters));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum counters_status status = counters_offer(
			&counters, cases[i].pool, &cases[i].row, cases[i].incarnation, 10);
		if (status != cases[i].expected)
			fail_msg("%s: status %d, expected %d", cases[i].what, (int)status,
				(int)cases[i].expected);
		const struct counter_pool *pool = &counters.pools[cases[i].pool - 1];
		if (pool->rows[0].value_minor != cases[i].shown)
			fail_msg("%s: shows %lld", cases[i].what,
				(long long)pool->rows[0].value_minor);
	}
}

/* Bad data in Redis over the pool's own values is detected and dropped. */
static void test_counters_drop_contradicted_values(void **state)
{
	struct counter right = { 978, 20, 0, 500, 100, 50, 1 };
	struct counter nonsense = { 978, 20, 0, 1, 1, 999999, 9 };
	struct counter none = { 978, 3, 0, 7, 7, 7, 7 };
	const uint64_t second = 1000000;
	(void)state;
	memset(&counters, 0, sizeof(counters));
	assert_int_equal(counters_offer(&counters, 1, &right, 0, 100 * second), COUNTERS_OK);
	assert_int_equal(counters_offer(&counters, 1, &nonsense, 0, 100 * second), COUNTERS_OK);
	assert_int_equal(counters_offer(&counters, 1, &none, 0, 100 * second), COUNTERS_OK);
	right.version = 51;
	assert_int_equal(counters_offer(&counters, 1, &right, 0, 101 * second), COUNTERS_OLD);
	/* A hit may be published again with a new time: not a contradiction. */
	assert_int_equal(counters_offer(&counters, 1, &right, 1, 150 * second), COUNTERS_OLD);
	assert_int_equal(counters_offer(&counters, 1, &right, 0, 102 * second + 1), COUNTERS_OK);
	assert_int_equal(counters.pools[0].rows[0].value_minor, 500);
	counters_drop_gone(&counters);
	assert_int_equal(counters.pools[0].n, 2);
	assert_int_equal(counters_offer(&counters, 1, &right, 0, 110 * second + 1), COUNTERS_SEEN);
	counters.changed = false;
	counters_drop_gone(&counters);
	assert_int_equal(counters.pools[0].n, 1);
	assert_true(counters.changed && counters.pools[0].rows[0].coin_minor == 20);
	/* A row that is confirmed every second stays, even if it never changes. */
	assert_int_equal(counters_offer(&counters, 1, &right, 0, 900 * second), COUNTERS_SEEN);
	counters_drop_gone(&counters);
	assert_int_equal(counters.pools[0].n, 1);
}

static void test_offer_refuses_what_does_not_fit(void **state)
{
	(void)state;
	struct counter row = { 978, 1, 0, 1, 1, 1, 0 };
	memset(&counters, 0, sizeof(counters));
	for (int i = 0; i < COUNTERS_ROWS_MAX; i++) {
		row.coin_minor = i + 1;
		assert_int_equal(counters_offer(&counters, 1, &row, 0, 1), COUNTERS_OK);
	}
	row.coin_minor++;
	assert_int_equal(counters_offer(&counters, 1, &row, 0, 1), COUNTERS_FULL);
	for (uint32_t pool = 2; pool <= COUNTERS_POOLS_MAX; pool++)
		assert_int_equal(counters_offer(&counters, pool, &row, 0, 1), COUNTERS_OK);
	assert_int_equal(counters_offer(&counters, 99, &row, 0, 1), COUNTERS_FULL);
}

static void test_due_after_change_and_after_silence(void **state)
{
	(void)state;
	static const struct {
		uint64_t after_us;
		bool changed, due;
	} cases[] = {
		{ 0, true, false },
		{ 999999, true, false },
		{ 1000000, true, true },
		{ 1000000, false, false },
		{ 2499999, false, false },
		{ 2500000, false, true },
		{ 2999999, false, true },
	};
	memset(&counters, 0, sizeof(counters));
	assert_true(counters_due(&counters, 0));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		counters_pushed(&counters, 5000);
		counters.changed = cases[i].changed;
		assert_int_equal(counters_due(&counters, 5000 + cases[i].after_us), cases[i].due);
	}
}

static void test_status_and_age(void **state)
{
	(void)state;
	struct counter row = { 978, 1, 0, 1, 1, 1, 0 };
	memset(&counters, 0, sizeof(counters));
	assert_int_equal(counters_age_us(&counters, 100), 0);
	assert_int_equal(counters_offer(&counters, 1, &row, 0, 70), COUNTERS_OK);
	assert_int_equal(counters_offer(&counters, 2, &row, 0, 90), COUNTERS_OK);
	assert_int_equal(counters_age_us(&counters, 100), 30);
	/* The same state, confirmed again later. */
	assert_int_equal(counters_offer(&counters, 1, &row, 0, 95), COUNTERS_SEEN);
	assert_int_equal(counters_age_us(&counters, 100), 10);
	counters_pushed(&counters, 1);
	assert_true(counters_offer_status(&counters, 1, "paused"));
	assert_true(counters.changed);
	counters_pushed(&counters, 1);
	assert_true(counters_offer_status(&counters, 1, "paused"));
	assert_false(counters.changed);
	assert_false(counters_offer_status(&counters, 1, "\"quoted\""));
	assert_false(counters_offer_status(&counters, 1, ""));
	assert_string_equal(counters.pools[0].status, "paused");
}

static void test_counters_take_the_names_of_pools(void **state)
{
	struct counter row = { 978, 100, 0, 4100, 4000, 9, 2 };
	static const char *const bad[] = { "", "Mona", "mona lisa", "mona\"lisa",
		"a-name-that-is-far-longer-than-any-slug-of-a-definition" };

	(void)state;
	memset(&counters, 0, sizeof(counters));
	assert_false(counters_nameless(&counters));
	assert_int_equal(counters_offer(&counters, 4, &row, 0, 5), COUNTERS_OK);
	assert_true(counters_nameless(&counters));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(counters_offer_id(&counters, 4, bad[i]));
	counters_pushed(&counters, 1);
	assert_true(counters_offer_id(&counters, 4, "mona-lisa"));
	assert_string_equal(counters.pools[0].id, "mona-lisa");
	assert_true(counters.changed);
	assert_false(counters_nameless(&counters));
	counters_pushed(&counters, 2);
	assert_true(counters_offer_id(&counters, 4, "mona-lisa"));
	assert_false(counters.changed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters_take_the_names_of_pools),
		cmocka_unit_test(test_offer_takes_newer_and_drops_older),
		cmocka_unit_test(test_counters_drop_contradicted_values),
		cmocka_unit_test(test_offer_refuses_what_does_not_fit),
		cmocka_unit_test(test_due_after_change_and_after_silence),
		cmocka_unit_test(test_status_and_age),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
