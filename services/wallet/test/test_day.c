/* The day of a row: never falls from row to row whatever the clock does, and is the same for a
 * batch. */
#include "services/wallet/core/wallet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define DAY UINT64_C(86400000000)

static void test_day_table(void **state)
{
	static const struct {
		const char *what;
		uint32_t last;
		bool begun;
		uint64_t now_us;
		uint32_t day;
	} cases[] = {
		{ "the first row of a shard", 0, false, 20000 * DAY, 20000 },
		{ "a microsecond before midnight", 20000, false, 20001 * DAY - 1, 20000 },
		{ "midnight", 20000, false, 20001 * DAY, 20001 },
		{ "midnight in the middle of a batch", 20000, true, 20001 * DAY, 20000 },
		{ "days without play", 20000, false, 20010 * DAY + 5, 20010 },
		{ "a clock that jumped back", 20000, false, 19999 * DAY, 20000 },
		{ "a clock at 1970", 20000, false, 0, 20000 },
		{ "back within a batch", 20000, true, 3 * DAY, 20000 },
		{ "a clock far in the future", 20000, false, UINT64_MAX, WALLET_DAY_MAX },
		{ "the last date but one", 0, false, (WALLET_DAY_MAX - 1) * DAY,
			WALLET_DAY_MAX - 1 },
		{ "beyond the last date", 0, false, (WALLET_DAY_MAX + UINT64_C(1)) * DAY,
			WALLET_DAY_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t found = wallet_day(cases[i].last, cases[i].begun, cases[i].now_us);
		if (found != cases[i].day)
			print_error(
				"%s: found %u, expected %u\n", cases[i].what, found, cases[i].day);
		assert_int_equal(found, cases[i].day);
	}
}

/* With any clock and any batches, days never fall and change only between batches. */
static void test_day_never_falls(void **state)
{
	uint64_t random = 88172645463325252u;
	uint32_t day = 0;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		bool begun = random % 3 != 0;
		uint64_t now_us = random >> 8; /* within some 26 years of each other */
		uint32_t next = wallet_day(day, begun, now_us);
		assert_true(next >= day);
		if (begun)
			assert_int_equal(next, day);
		else
			assert_true(next >= now_us / DAY || next == WALLET_DAY_MAX);
		day = i % 1000 == 0 ? 0 : next;
	}
}

/* Nothing may be booked into a day that is closed, even by a clock that jumps back into it. */
static void test_day_closed_gets_no_rows(void **state)
{
	(void)state;
	assert_int_equal(wallet_day_after_close(20000, 20000), 20001);
	assert_int_equal(wallet_day_after_close(20000, 19998), 20000);
	assert_int_equal(wallet_day_after_close(20000, 20005), 20006);
	assert_int_equal(wallet_day_after_close(WALLET_DAY_MAX, WALLET_DAY_MAX), WALLET_DAY_MAX);
	assert_int_equal(
		wallet_day(wallet_day_after_close(20000, 20000), false, 20000 * DAY), 20001);
}

/* A row, refused or not, keeps its day and the place of its account's previous row. */
static void test_row_names_the_previous_row(void **state)
{
	static const struct wallet_rules rules = { .stake_max = 100, .outside_max = 1000 };
	struct wallet_account account = { .player = (INT64_C(1) << 48) + 7 };
	struct wallet_proposal open = { .kind = WALLET_KIND_OPEN, .currency = 978 };
	struct wallet_outside deposit = {
		.kind = WALLET_KIND_DEPOSIT, .currency = 978, .amount = 5
	};
	struct wallet_moment moment = { .now_us = 1, .seq = 8, .day = 20000, .rules = &rules };
	struct wallet_row row;

	(void)state;
	assert_int_equal(wallet_apply_proposal(&account, &open, &moment, &row), WALLET_BOOKED);
	assert_int_equal(row.day, 20000);
	assert_int_equal(row.prev_day, 0);
	assert_int_equal(row.prev_seq, 0);
	moment.seq = 11;
	moment.day = 20002;
	assert_int_equal(
		wallet_apply_outside(&account, &deposit, NULL, &moment, &row), WALLET_BOOKED);
	assert_int_equal(row.day, 20002);
	assert_int_equal(row.prev_day, 20000);
	assert_int_equal(row.prev_seq, 8);
	moment.seq = 12;
	deposit.currency = 1;
	assert_int_equal(
		wallet_apply_outside(&account, &deposit, NULL, &moment, &row), WALLET_BOOKED);
	assert_int_equal(row.refusal, WALLET_REFUSAL_ACCOUNT);
	assert_int_equal(row.prev_day, 20002);
	assert_int_equal(account.last_day, 20002);
	assert_int_equal(account.last_seq, 12);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_day_table),
		cmocka_unit_test(test_day_never_falls),
		cmocka_unit_test(test_day_closed_gets_no_rows),
		cmocka_unit_test(test_row_names_the_previous_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
