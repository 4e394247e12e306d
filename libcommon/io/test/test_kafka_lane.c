#include "libcommon/io/kafka_lane.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define BEGIN UINT64_C(1000000)

static void add(struct kafka_lane *lane, const char *text)
{
	assert_true(kafka_lane_add(lane, "k", 1, text, 2));
}

/* All that wait leave. */
static size_t leave(struct kafka_lane *lane, uint64_t now_us, const char *texts)
{
	struct kafka_held held;
	size_t n = 0;
	for (; kafka_lane_next(lane, &held); n++) {
		assert_int_equal(held.key_length, 1);
		assert_memory_equal(held.key, "k", 1);
		assert_int_equal(held.length, 2);
		assert_memory_equal(held.bytes, texts + 2 * n, 2);
		kafka_lane_leaves(lane, now_us);
	}
	return n;
}

static void test_one_alone_leaves_at_once(void **state)
{
	struct kafka_lane lane = { 0 };
	(void)state;
	assert_false(kafka_lane_due(&lane, BEGIN, 0));
	add(&lane, "a1");
	assert_true(kafka_lane_due(&lane, BEGIN, 0));
	assert_false(kafka_lane_due(&lane, BEGIN, KAFKA_LANES_OPEN)); /* the producer's others */
	assert_int_equal(leave(&lane, BEGIN, "a1"), 1);
	assert_true(kafka_lane_open(&lane));
	free(lane.bytes);
}

static void test_others_wait_for_its_answer_and_leave_together(void **state)
{
	struct kafka_lane lane = { 0 };
	(void)state;
	add(&lane, "a1");
	assert_int_equal(leave(&lane, BEGIN, "a1"), 1);
	add(&lane, "a2");
	add(&lane, "a3");
	assert_false(kafka_lane_due(&lane, BEGIN + 10 * KAFKA_LANE_US, 0)); /* not answered */
	lane.acknowledged++;
	assert_false(kafka_lane_due(&lane, BEGIN + KAFKA_LANE_US - 1, 0)); /* too soon */
	assert_true(kafka_lane_due(&lane, BEGIN + KAFKA_LANE_US, 0));
	assert_int_equal(leave(&lane, BEGIN + KAFKA_LANE_US, "a2a3"), 2);
	assert_int_equal(lane.given, 3);
	assert_int_equal(lane.left, 3);
	assert_int_equal(lane.acknowledged, 1);
	assert_int_equal(kafka_lane_held(&lane), 0);
	free(lane.bytes);
}

static void test_a_stalled_one_holds_up_no_other(void **state)
{
	struct kafka_lane lane = { 0 };
	(void)state;
	assert_false(kafka_lane_counts(&lane, BEGIN));
	add(&lane, "a1");
	assert_false(kafka_lane_counts(&lane, BEGIN)); /* it waits here */
	assert_int_equal(leave(&lane, BEGIN, "a1"), 1);
	add(&lane, "a2");
	assert_true(kafka_lane_counts(&lane, BEGIN + KAFKA_LANE_STALLED_US - 1));
	assert_false(kafka_lane_counts(&lane, BEGIN + KAFKA_LANE_STALLED_US));
	assert_false(kafka_lane_due(&lane, BEGIN + KAFKA_LANE_STALLED_US, 0)); /* itself waits */
	lane.acknowledged++;
	assert_false(kafka_lane_counts(&lane, BEGIN + 1));
	free(lane.bytes);
}

/* librdkafka's queue may be full in between: the rest stays, in its order. */
static void test_the_rest_stays_in_order(void **state)
{
	struct kafka_lane lane = { 0 };
	(void)state;
	add(&lane, "a1");
	add(&lane, "a2");
	kafka_lane_leaves(&lane, BEGIN);
	add(&lane, "a3");
	assert_int_equal(leave(&lane, BEGIN, "a2a3"), 2);
	free(lane.bytes);
}

static void test_much_is_held_and_its_room_given_back(void **state)
{
	static uint8_t large[100000];
	struct kafka_lane lane = { 0 };
	struct kafka_held held;
	(void)state;
	for (int i = 0; i < 40; i++) {
		large[0] = (uint8_t)i;
		assert_true(kafka_lane_add(&lane, NULL, 0, large, sizeof(large)));
	}
	assert_true(kafka_lane_held(&lane) > 40 * sizeof(large));
	for (int i = 0; kafka_lane_next(&lane, &held); i++) {
		assert_int_equal(held.bytes[0], i);
		kafka_lane_leaves(&lane, BEGIN);
	}
	assert_int_equal(lane.left, 40);
	assert_null(lane.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_alone_leaves_at_once),
		cmocka_unit_test(test_others_wait_for_its_answer_and_leave_together),
		cmocka_unit_test(test_a_stalled_one_holds_up_no_other),
		cmocka_unit_test(test_the_rest_stays_in_order),
		cmocka_unit_test(test_much_is_held_and_its_room_given_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
