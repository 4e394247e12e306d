/* Open requests to services, and request limits. */
#include "services/gateway/core/admit.h"
#include "services/gateway/core/inflight.h"
#include "services/gateway/core/limit.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define S UINT64_C(1000000)

static struct inflight inflight;
static struct limit limit;

static void test_inflight_takes_each_answer_once(void **state)
{
	uint64_t a, b;
	size_t slot_a, slot_b, slot;
	(void)state;
	inflight_init(&inflight, UINT64_MAX, 8 * S);
	assert_true(inflight_add(&inflight, 1 * S, &a, &slot_a));
	assert_true(inflight_add(&inflight, 1 * S, &b, &slot_b));
	assert_int_not_equal(a, b);
	assert_true(inflight_find(&inflight, b, &slot));
	assert_true(inflight_take(&inflight, b, &slot));
	assert_false(inflight_find(&inflight, b, &slot));
	assert_int_equal(slot, slot_b);
	assert_false(inflight_take(&inflight, b, &slot));
	assert_false(inflight_take(&inflight, a - 1, &slot));
	assert_false(inflight_take(&inflight, b + 1, &slot));
	assert_false(inflight_take(&inflight, 0, &slot));
	assert_true(inflight_take(&inflight, a, &slot));
	assert_int_equal(inflight.open, 0);
}

static void test_inflight_times_out_in_order(void **state)
{
	uint64_t correlation[3];
	size_t slots[3], slot;
	(void)state;
	inflight_init(&inflight, 7, 8 * S);
	for (uint64_t i = 0; i < 3; i++)
		assert_true(inflight_add(&inflight, (1 + i) * S, &correlation[i], &slots[i]));
	assert_true(inflight_take(&inflight, correlation[1], &slot));
	assert_false(inflight_expire(&inflight, 9 * S - 1, &slot));
	assert_true(inflight_expire(&inflight, 9 * S, &slot));
	assert_int_equal(slot, slots[0]);
	assert_false(inflight_expire(&inflight, 11 * S - 1, &slot));
	assert_true(inflight_expire(&inflight, 11 * S, &slot));
	assert_int_equal(slot, slots[2]);
	assert_false(inflight_take(&inflight, correlation[2], &slot)); /* late */
	assert_false(inflight_expire(&inflight, 100 * S, &slot));
}

static void test_inflight_walks_over_the_open_ones(void **state)
{
	uint64_t correlation[3], at = 0;
	size_t slots[3], slot;
	(void)state;
	inflight_init(&inflight, UINT64_MAX, 8 * S);
	assert_false(inflight_next(&inflight, &at, &slot));
	for (uint64_t i = 0; i < 3; i++)
		assert_true(inflight_add(&inflight, (1 + i) * S, &correlation[i], &slots[i]));
	assert_true(inflight_take(&inflight, correlation[1], &slot));
	at = 0;
	assert_true(inflight_next(&inflight, &at, &slot));
	assert_int_equal(slot, slots[0]);
	assert_true(inflight_next(&inflight, &at, &slot));
	assert_int_equal(slot, slots[2]);
	assert_false(inflight_next(&inflight, &at, &slot));
	assert_true(inflight_add(&inflight, 5 * S, &correlation[1], &slots[1]));
	assert_true(inflight_next(&inflight, &at, &slot)); /* it came meanwhile */
	assert_int_equal(slot, slots[1]);
}

static void test_inflight_is_bounded(void **state)
{
	uint64_t correlation, first = 0;
	size_t slot;
	(void)state;
	inflight_init(&inflight, 7, 8 * S);
	for (size_t i = 0; i < INFLIGHT_MAX; i++) {
		assert_true(inflight_add(&inflight, S, &correlation, &slot));
		first = i == 0 ? correlation : first;
	}
	assert_false(inflight_add(&inflight, S, &correlation, &slot));
	assert_true(inflight_take(&inflight, first, &slot));
	assert_true(inflight_add(&inflight, S, &correlation, &slot));
	assert_int_equal(inflight.open, INFLIGHT_MAX);
}

static void test_limit_lets_a_burst_through_and_then_the_rate(void **state)
{
	uint32_t retry;
	uint32_t passed = 0;
	(void)state;
	limit_init(&limit, 50, 100);
	for (int i = 0; i < 1000; i++)
		passed += limit_take(&limit, 42, 5 * S, &retry);
	assert_int_equal(passed, 100);
	for (uint64_t ms = 0; ms < 10000; ms++)
		passed += limit_take(&limit, 42, 5 * S + ms * 1000, &retry);
	assert_in_range(passed, 599, 601);
	assert_true(limit_take(&limit, 43, 5 * S, &retry)); /* other keys are not affected */
	assert_true(limit_take(&limit, 42, 5000 * S, &retry));
	limit_init(&limit, 0, 1);
	for (int i = 0; i < 1000; i++)
		assert_true(limit_take(&limit, 42, 0, &retry));
}

static void test_limit_survives_more_players_than_slots(void **state)
{
	uint32_t retry;
	(void)state;
	limit_init(&limit, 1, 1);
	for (uint64_t key = 0; key < 10 * LIMIT_SLOTS; key++)
		assert_true(limit_take(&limit, key * 2 + 2, key, &retry));
	assert_int_not_equal(limit_key("127.0.0.1"), limit_key("127.0.0.2"));
}

static void test_admit_refuses_who_would_wait_too_long(void **state)
{
	struct admit admit = { 0 };
	uint64_t now_us = S;
	(void)state;
	assert_true(admit_allows(&admit, ADMIT_FREE - 1)); /* nothing is known yet */
	assert_false(admit_allows(&admit, ADMIT_FREE));
	for (int i = 0; i < 10; i++, now_us += S / 10) { /* 4,000 answers a second */
		for (int n = 0; n < 400; n++)
			admit_answered(&admit);
		admit_tick(&admit, now_us);
	}
	assert_true(admit_allows(&admit, 6000)); /* 1.5 s */
	assert_false(admit_allows(&admit, 6001));
	admit_tick(&admit, now_us - S / 10 + 1); /* too soon to say */
	assert_true(admit_allows(&admit, 6000));
	for (int i = 0; i < 20; i++, now_us += S / 10) /* nobody answers any more */
		admit_tick(&admit, now_us);
	assert_false(admit_allows(&admit, 600));
	assert_true(admit_allows(&admit, 1));
	for (int n = 0; n < 500; n++)
		admit_answered(&admit);
	admit_tick(&admit, now_us); /* again: known at once */
	assert_true(admit_allows(&admit, 6000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inflight_takes_each_answer_once),
		cmocka_unit_test(test_inflight_times_out_in_order),
		cmocka_unit_test(test_inflight_walks_over_the_open_ones),
		cmocka_unit_test(test_inflight_is_bounded),
		cmocka_unit_test(test_limit_lets_a_burst_through_and_then_the_rate),
		cmocka_unit_test(test_limit_survives_more_players_than_slots),
		cmocka_unit_test(test_admit_refuses_who_would_wait_too_long),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
