/* The order of facts. */
#include "libcommon/base/seq_gate.h"

#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_seq_gate_table(void **state)
{
	static const struct {
		uint32_t incarnation;
		uint64_t seq;
		enum seq_gate_status status;
		uint64_t last;
	} STEPS[] = {
		{ 1, 1, SEQ_GATE_TAKE, 1 },
		{ 1, 2, SEQ_GATE_TAKE, 2 },
		{ 1, 2, SEQ_GATE_SEEN, 2 },
		{ 1, 1, SEQ_GATE_SEEN, 2 },
		{ 1, 0, SEQ_GATE_SEEN, 2 },
		{ 1, 4, SEQ_GATE_GAP, 2 },
		{ 1, 5, SEQ_GATE_GAP, 2 },
		{ 1, 3, SEQ_GATE_TAKE, 3 },
		{ 1, 4, SEQ_GATE_TAKE, 4 },
		{ 1, UINT64_MAX, SEQ_GATE_GAP, 4 },
		/* From before a restore: never applied, whatever its seq. */
		{ 0, 5, SEQ_GATE_SEEN, 4 },
		/* From after a restore: nothing is applied until the caller has reloaded. */
		{ 2, 5, SEQ_GATE_INCARNATION, 4 },
		{ 2, 1, SEQ_GATE_INCARNATION, 4 },
		{ 1, 5, SEQ_GATE_TAKE, 5 },
	};
	struct seq_gate gate = { .incarnation = 1 };
	(void)state;
	for (size_t i = 0; i < sizeof(STEPS) / sizeof(STEPS[0]); i++) {
		assert_int_equal(
			seq_gate_offer(&gate, STEPS[i].incarnation, STEPS[i].seq, 1000 + i),
			STEPS[i].status);
		assert_true(gate.last == STEPS[i].last);
	}
}

static void test_seq_gate_requests_repeatedly(void **state)
{
	struct seq_gate gate = { .incarnation = 1, .last = 10 };
	(void)state;
	assert_false(seq_gate_should_request(&gate, 1000000, 5));
	assert_int_equal(seq_gate_offer(&gate, 1, 12, 100), SEQ_GATE_GAP);
	assert_false(seq_gate_should_request(&gate, 1000000, 1000099));
	assert_true(seq_gate_should_request(&gate, 1000000, 1000100));
	assert_false(seq_gate_should_request(&gate, 1000000, 1000101));
	/* More facts after the same gap do not delay the request. */
	assert_int_equal(seq_gate_offer(&gate, 1, 13, 1900000), SEQ_GATE_GAP);
	assert_true(seq_gate_should_request(&gate, 1000000, 2000100));
	assert_int_equal(seq_gate_offer(&gate, 1, 11, 2000200), SEQ_GATE_TAKE);
	assert_false(seq_gate_should_request(&gate, 1000000, 9000000));
	/* A new gap starts a new wait. */
	assert_int_equal(seq_gate_offer(&gate, 1, 13, 9000000), SEQ_GATE_GAP);
	assert_false(seq_gate_should_request(&gate, 1000000, 9500000));
	assert_true(seq_gate_should_request(&gate, 1000000, 10000000));
}

/* With any reordering, repeats and losses, the gate takes 1, 2, 3, .. */
static void test_seq_gate_takes_each_once_in_order(void **state)
{
	unsigned seed = 4711;
	struct seq_gate gate = { .incarnation = 1 };
	uint64_t taken = 0;
	(void)state;
	print_message("seed %u\n", seed);
	srandom(seed);
	for (uint64_t i = 0; i < 100000; i++) {
		uint64_t seq = gate.last + 5 - (uint64_t)(random() % 8);
		if (seq > gate.last + 5)
			continue; /* wrapped below 0 */
		enum seq_gate_status status = seq_gate_offer(&gate, 1, seq, i);
		assert_int_equal(status == SEQ_GATE_TAKE, seq == taken + 1);
		if (status == SEQ_GATE_TAKE)
			taken++;
		assert_true(gate.last == taken);
	}
	assert_true(taken > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seq_gate_table),
		cmocka_unit_test(test_seq_gate_requests_repeatedly),
		cmocka_unit_test(test_seq_gate_takes_each_once_in_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
