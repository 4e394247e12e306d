/* Publishing again: a gap closes while rows are booked, and the work ends. */
#include "services/wallet/core/republish.h"

#include "libcommon/base/seq_gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#define TURN_US UINT64_C(20000)
#define SECOND_US UINT64_C(1000000)

/* A wallet that books so many rows per turn, and a consumer with the usual requests. */
struct world {
	struct wallet_republish republish;
	struct seq_gate gate;
	uint64_t committed, now_us, published;
};

static void publish(struct world *world, uint64_t seq)
{
	world->published++;
	(void)seq_gate_offer(&world->gate, 1, seq, world->now_us);
}

static void turn(struct world *world, uint64_t booked, bool lost)
{
	size_t rows;

	world->now_us += TURN_US;
	for (uint64_t i = 0; i < booked; i++) {
		world->committed++;
		if (!lost || i > 0)
			publish(world, world->committed);
	}
	if (seq_gate_should_request(&world->gate, SECOND_US, world->now_us))
		wallet_republish_request(&world->republish, world->gate.last + 1, world->committed);
	rows = wallet_republish_turn(&world->republish, world->committed);
	for (size_t i = 0; i < rows; i++)
		publish(world, world->republish.next++);
}

static void test_republish_closes_a_gap_under_load(void **state)
{
	/* Rows per turn, 50 turns a second: up to the rows that a request brings. */
	static const uint64_t booked[] = { 1, 10, 25, 100, 400, 900 };

	(void)state;
	for (size_t i = 0; i < sizeof(booked) / sizeof(booked[0]); i++) {
		struct world world = { .gate = { .incarnation = 1 } };
		uint64_t limit_us;

		turn(&world, booked[i], false);
		turn(&world, booked[i], true);
		limit_us = world.now_us + 5 * SECOND_US;
		do
			turn(&world, booked[i], false);
		while (world.gate.last < world.committed && world.now_us < limit_us);
		if (world.gate.last < world.committed)
			fail_msg("%llu rows a turn: the gap still stands after 5 s",
				(unsigned long long)booked[i]);
		/* The gap is closed: nothing is published twice from now on. */
		world.published = 0;
		for (int j = 0; j < 100; j++)
			turn(&world, booked[i], false);
		assert_int_equal(world.gate.last, world.committed);
		assert_int_equal(world.published, 100 * booked[i]);
	}
}

static void test_republish_request_ends(void **state)
{
	struct wallet_republish republish = { 0 };
	uint64_t published = 0;
	size_t rows;

	(void)state;
	wallet_republish_request(&republish, 0, 1000000);
	assert_int_equal(republish.next, 1);
	while ((rows = wallet_republish_turn(&republish, 1000000)) > 0) {
		assert_true(rows <= WALLET_REPUBLISH_CHUNK);
		published += rows;
		republish.next += rows;
	}
	assert_int_equal(published, WALLET_REPUBLISH_ROWS);
	wallet_republish_request(&republish, 1000001, 1000000); /* nothing is missing */
	assert_int_equal(wallet_republish_turn(&republish, 1000000), 0);
	wallet_republish_request(&republish, UINT64_MAX, 1000000);
	assert_int_equal(wallet_republish_turn(&republish, 1000000), 0);
}

static void test_republish_requests_add_up(void **state)
{
	struct wallet_republish republish = { 0 };

	(void)state;
	wallet_republish_request(&republish, 500, 600);
	wallet_republish_request(&republish, 400, 700);
	assert_int_equal(republish.next, 400);
	assert_int_equal(republish.end, 700);
	wallet_republish_request(&republish, 650, 700);
	assert_int_equal(republish.next, 400);
	assert_int_equal(wallet_republish_turn(&republish, 700), 301);
}

static void test_republish_spent_rows_once_a_second(void **state)
{
	struct wallet_republish republish = { 0 };
	uint64_t now_us = 5 * SECOND_US;

	(void)state;
	wallet_republish_spent_due(&republish, 1000, now_us);
	assert_int_equal(republish.next, 0);
	wallet_republish_spent(&republish, 900);
	wallet_republish_spent_due(&republish, 1000, now_us);
	assert_int_equal(republish.next, 900 - WALLET_REPUBLISH_AROUND);
	assert_int_equal(
		republish.end, 1000); /* up to the newest row: later rows may be lost too */
	republish.next = 1001;
	wallet_republish_spent(&republish, 950);
	wallet_republish_spent(&republish, 100); /* the lowest of the last second */
	wallet_republish_spent(&republish, 960);
	wallet_republish_spent_due(&republish, 1000, now_us + SECOND_US - 1);
	assert_int_equal(republish.next, 1001);
	wallet_republish_spent_due(&republish, 1000, now_us + SECOND_US);
	assert_int_equal(republish.next, 1);
	republish.next = 1001;
	wallet_republish_spent_due(&republish, 1000, now_us + 9 * SECOND_US);
	assert_int_equal(republish.next, 1001);
}

static void test_republish_backs_off_for_old_spent_rows(void **state)
{
	struct wallet_republish republish = { 0 };

	(void)state;
	wallet_republish_spent(&republish, 1);
	wallet_republish_spent_due(&republish, 100000000, 1);
	assert_int_equal(republish.end, WALLET_REPUBLISH_ROWS);
	assert_int_equal(republish.spent_not_before_us, 1 + 60 * SECOND_US);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_republish_closes_a_gap_under_load),
		cmocka_unit_test(test_republish_request_ends),
		cmocka_unit_test(test_republish_requests_add_up),
		cmocka_unit_test(test_republish_spent_rows_once_a_second),
		cmocka_unit_test(test_republish_backs_off_for_old_spent_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
