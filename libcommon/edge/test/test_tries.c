/* Wrong credentials by address: when an address waits, for how long, and that nobody else does. */
#include "libcommon/edge/tries.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <stdio.h>

#define SECOND UINT64_C(1000000)
#define WRONG_MAX 3

static struct address client(const char *text)
{
	struct address address;
	if (!address_parse(text, &address))
		fail_msg("%s", text);
	return address;
}

/* As many as begin a wait; its length. */
static uint32_t wrong_again(struct tries *tries, const struct address *address, uint64_t now_us)
{
	for (int i = 1; i < WRONG_MAX; i++)
		assert_int_equal(tries_wrong(tries, address, now_us), 0);
	return tries_wrong(tries, address, now_us);
}

static void test_address_waits_after_wrong_credentials(void **state)
{
	struct tries *tries = tries_new(WRONG_MAX);
	struct address a = client("192.0.2.1"), neighbour = client("192.0.2.2"),
		       far = client("2001:db8::1");
	(void)state;
	assert_int_equal(tries_wrong(tries, &a, 7 * SECOND), 0);
	assert_int_equal(tries_wrong(tries, &a, 8 * SECOND), 0);
	assert_int_equal(tries_wait_s(tries, &a, 8 * SECOND), 0);
	assert_int_equal(tries_wrong(tries, &a, 9 * SECOND), TRIES_FIRST_S);
	assert_int_equal(tries_wait_s(tries, &a, 9 * SECOND), TRIES_FIRST_S);
	assert_int_equal(tries_wait_s(tries, &a, 9 * SECOND + 1), TRIES_FIRST_S);
	assert_int_equal(tries_wait_s(tries, &a, 10 * SECOND), TRIES_FIRST_S - 1);
	assert_int_equal(tries_wait_s(tries, &a, (9 + TRIES_FIRST_S) * SECOND - 1), 1);
	assert_int_equal(tries_wait_s(tries, &a, (9 + TRIES_FIRST_S) * SECOND), 0);
	assert_int_equal(tries_wait_s(tries, &neighbour, 9 * SECOND), 0);
	assert_int_equal(tries_wait_s(tries, &far, 9 * SECOND), 0);
	assert_int_equal(tries_wrong(tries, &neighbour, 9 * SECOND), 0);
	tries_free(&tries);
	assert_null(tries);
}

static void test_waits_double_and_are_forgotten(void **state)
{
	struct tries *tries = tries_new(WRONG_MAX);
	struct address a = client("192.0.2.1");
	uint64_t now_us = 5 * SECOND;
	uint32_t expected_s = TRIES_FIRST_S, wait_s;
	(void)state;
	for (int i = 0; i < 20; i++) {
		wait_s = wrong_again(tries, &a, now_us);
		assert_int_equal(wait_s, expected_s);
		now_us += wait_s * SECOND;
		expected_s = 2 * expected_s < TRIES_LONGEST_S ? 2 * expected_s : TRIES_LONGEST_S;
	}
	assert_int_equal(expected_s, TRIES_LONGEST_S);
	now_us += TRIES_FORGOTTEN_S * SECOND;
	assert_int_equal(wrong_again(tries, &a, now_us), TRIES_FIRST_S);
	tries_free(&tries);
}

static void test_a_minute_begins_with_the_first(void **state)
{
	struct tries *tries = tries_new(WRONG_MAX);
	struct address a = client("192.0.2.1");
	(void)state;
	for (uint64_t i = 0; i < 20; i++) /* two a minute, for ever */
		assert_int_equal(tries_wrong(tries, &a, i * TRIES_MINUTE_S / 2 * SECOND), 0);
	assert_int_equal(tries_wait_s(tries, &a, 600 * SECOND), 0);
	tries_free(&tries);
}

static void test_ipv6_clients_are_64_bits(void **state)
{
	struct tries *tries = tries_new(WRONG_MAX);
	struct address one = client("2001:db8:0:1::1"), same = client("2001:db8:0:1:ffff::9"),
		       other = client("2001:db8:0:2::1");
	(void)state;
	assert_int_equal(wrong_again(tries, &one, 0), TRIES_FIRST_S);
	assert_int_equal(tries_wait_s(tries, &same, 0), TRIES_FIRST_S);
	assert_int_equal(tries_wait_s(tries, &other, 0), 0);
	tries_free(&tries);
}

static void test_zero_lets_everybody_try(void **state)
{
	struct tries *tries = tries_new(0);
	struct address a = client("192.0.2.1");
	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(tries_wrong(tries, &a, 0), 0);
	assert_int_equal(tries_wait_s(tries, &a, 0), 0);
	tries_free(&tries);
}

/* More addresses than the table holds: those that have sent nothing wrong never wait. */
static void test_full_table_locks_nobody_out(void **state)
{
	struct tries *tries = tries_new(WRONG_MAX);
	char text[ADDRESS_TEXT_MAX];
	uint32_t waiting = 0;
	(void)state;
	for (unsigned i = 0; i < 4 * TRIES_ADDRESSES; i++) {
		(void)snprintf(text, sizeof(text), "10.%u.%u.%u", i >> 16, i >> 8 & 255, i & 255);
		struct address wrong = client(text);
		assert_int_equal(wrong_again(tries, &wrong, i), TRIES_FIRST_S);
		assert_int_equal(tries_wait_s(tries, &wrong, i), TRIES_FIRST_S);
	}
	for (unsigned i = 0; i < 4 * TRIES_ADDRESSES; i++) {
		(void)snprintf(text, sizeof(text), "10.%u.%u.%u", i >> 16, i >> 8 & 255, i & 255);
		struct address wrong = client(text);
		waiting += tries_wait_s(tries, &wrong, 4 * TRIES_ADDRESSES) > 0;
		(void)snprintf(text, sizeof(text), "11.%u.%u.%u", i >> 16, i >> 8 & 255, i & 255);
		struct address right = client(text);
		assert_int_equal(tries_wait_s(tries, &right, 4 * TRIES_ADDRESSES), 0);
	}
	assert_in_range(waiting, TRIES_ADDRESSES / 2, TRIES_ADDRESSES);
	tries_free(&tries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_address_waits_after_wrong_credentials),
		cmocka_unit_test(test_waits_double_and_are_forgotten),
		cmocka_unit_test(test_a_minute_begins_with_the_first),
		cmocka_unit_test(test_ipv6_clients_are_64_bits),
		cmocka_unit_test(test_zero_lets_everybody_try),
		cmocka_unit_test(test_full_table_locks_nobody_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
