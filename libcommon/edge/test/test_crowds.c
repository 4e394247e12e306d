/* Connections and requests by address and network: limits hold, and counts never go astray. */
#include "libcommon/edge/crowds.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000)

static struct address client(const char *text)
{
	struct address address;
	if (!address_parse(text, &address))
		fail_msg("%s", text);
	return address;
}

static void test_connections_are_limited(void **state)
{
	const struct crowd_limits address = { .connections = 2 }, network = { .connections = 3 };
	struct crowds *crowds = crowds_new(&address, &network, 100);
	struct address a = client("192.0.2.1"), b = client("192.0.2.2"), c = client("192.0.2.3"),
		       far = client("192.0.3.1");
	(void)state;
	assert_true(crowds_enter(crowds, &a, 0));
	assert_true(crowds_enter(crowds, &a, 0));
	assert_false(crowds_enter(crowds, &a, 0)); /* of the address */
	assert_true(crowds_enter(crowds, &b, 0));
	assert_false(crowds_enter(crowds, &c, 0)); /* of the network */
	assert_int_equal(crowds_of(crowds, &c), 0);
	assert_true(crowds_enter(crowds, &far, 0));
	crowds_leave(crowds, &a);
	assert_true(crowds_enter(crowds, &c, 0));
	assert_int_equal(crowds_of(crowds, &a), 1);
	crowds_free(&crowds);
	assert_null(crowds);
}

static void test_ipv6_clients_are_64_bits(void **state)
{
	const struct crowd_limits address = { .connections = 1 }, network = { .connections = 2 };
	struct crowds *crowds = crowds_new(&address, &network, 100);
	struct address one = client("2001:db8:0:1::1"), same = client("2001:db8:0:1:ffff::9"),
		       other = client("2001:db8:0:2::1"), third = client("2001:db8:0:3::1"),
		       far = client("2001:db8:1::1");
	(void)state;
	assert_true(crowds_enter(crowds, &one, 0));
	assert_false(crowds_enter(crowds, &same, 0));
	assert_true(crowds_enter(crowds, &other, 0));
	assert_false(crowds_enter(crowds, &third, 0)); /* of the /48 */
	assert_true(crowds_enter(crowds, &far, 0));
	crowds_free(&crowds);
}

static void test_requests_are_limited(void **state)
{
	const struct crowd_limits address = { .rate_per_s = 10, .burst = 20 },
				  network = { .rate_per_s = 15, .burst = 30 };
	struct crowds *crowds = crowds_new(&address, &network, 100);
	struct address a = client("192.0.2.1"), b = client("192.0.2.2");
	uint32_t retry_s = 0, taken = 0;
	(void)state;
	while (crowds_request(crowds, &a, SECOND, &retry_s))
		taken++;
	assert_int_equal(taken, 20);
	assert_int_equal(retry_s, 1);
	while (crowds_request(crowds, &b, SECOND, &retry_s))
		taken++;
	assert_int_equal(taken, 30); /* what the network had left */
	for (uint64_t s = 2; s < 12; s++) {
		taken = 0;
		while (crowds_request(crowds, &a, s * SECOND, &retry_s))
			taken++;
		assert_int_equal(taken, 10);
	}
	/* The clock may stand still or be read out of order; a long rest fills the bucket. */
	assert_false(crowds_request(crowds, &a, 0, &retry_s));
	for (taken = 0; crowds_request(crowds, &a, UINT64_C(1) << 62, &retry_s);)
		taken++;
	assert_int_equal(taken, 20);
	crowds_free(&crowds);
}

static void test_zero_is_no_limit(void **state)
{
	const struct crowd_limits none = { 0 };
	struct crowds *crowds = crowds_new(&none, &none, 10);
	struct address a = client("192.0.2.1");
	uint32_t retry_s;
	(void)state;
	for (int i = 0; i < 10000; i++) {
		assert_true(crowds_request(crowds, &a, 0, &retry_s));
		assert_true(crowds_enter(crowds, &a, 0));
	}
	crowds_free(&crowds);
}

/* Property: whoever comes and goes, each address holds as many as a plain array says, and a flood
 * of other addresses takes no count away. */
static void test_counts_equal_a_plain_model(void **state)
{
	enum { ADDRESSES = 300, STEPS = 200000, OPEN_MAX = 400 };
	const struct crowd_limits address = { .connections = 3, .rate_per_s = 1, .burst = 1 },
				  network = { .connections = 40, .rate_per_s = 1, .burst = 1 };
	struct crowds *crowds = crowds_new(&address, &network, OPEN_MAX);
	static uint32_t held[ADDRESSES], nets[ADDRESSES / 30 + 1];
	unsigned seed = 20261123;
	uint32_t open = 0, retry_s;
	(void)state;
	for (int step = 0; step < STEPS; step++) {
		char text[32];
		unsigned i = (unsigned)rand_r(&seed) % ADDRESSES;
		(void)snprintf(text, sizeof(text), "10.0.%u.%u", i / 30, i % 30);
		struct address a = client(text);
		if (rand_r(&seed) % 2 == 0 && open < OPEN_MAX) {
			bool may = held[i] < 3 && nets[i / 30] < 40;
			if (crowds_enter(crowds, &a, (uint64_t)step) != may)
				fail_msg("step %d, seed 20261123: %s", step, text);
			held[i] += may;
			nets[i / 30] += may;
			open += may;
		} else if (held[i] > 0) {
			crowds_leave(crowds, &a);
			held[i]--;
			nets[i / 30]--;
			open--;
		}
		if (crowds_of(crowds, &a) != held[i])
			fail_msg("step %d, seed 20261123: %s", step, text);
		(void)snprintf(text, sizeof(text), "2001:db8:%x::%x", step & 0xffff, step >> 16);
		struct address stranger = client(text);
		(void)crowds_request(crowds, &stranger, (uint64_t)step, &retry_s);
	}
	crowds_free(&crowds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_connections_are_limited),
		cmocka_unit_test(test_ipv6_clients_are_64_bits),
		cmocka_unit_test(test_requests_are_limited),
		cmocka_unit_test(test_zero_is_no_limit),
		cmocka_unit_test(test_counts_equal_a_plain_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
