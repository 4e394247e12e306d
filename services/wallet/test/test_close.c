/* The arithmetic of the daily close. */
#include "services/wallet/core/close.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define EUR 978
#define JPY 392
#define HALF_PERCENT INT64_C(5000000)

static void test_close_moves_whole_units_and_carries_the_rest(void **state)
{
	/* 0.5 % of 301 cents: 1.505 cents; then of 99 more: 0.495, together 2 whole cents. */
	struct close_tally tally = { 1, 1, EUR, HALF_PERCENT, 0, 301 };
	struct close_account account = { .pool = 1, .currency = EUR };

	(void)state;
	assert_true(close_count(&tally, 1, &account, 1));
	assert_int_equal(account.moved_minor, 1);
	assert_int_equal(account.carry_nano, 505000000);
	account.carried_nano = account.carry_nano;
	tally.total_before = 301;
	tally.total = 400;
	assert_true(close_count(&tally, 1, &account, 1));
	assert_int_equal(account.moved_minor, 1);
	assert_int_equal(account.carry_nano, 0);
}

static void test_close_tallies_of_one_pool_share_the_carry(void **state)
{
	const struct close_tally tallies[] = {
		{ 1, 1, EUR, HALF_PERCENT, 0, 100 },  /* 0.5 */
		{ 2, 1, EUR, HALF_PERCENT, 50, 150 }, /* 0.5 */
		{ 3, 1, JPY, HALF_PERCENT, 0, 199 },  /* 0.995 */
		{ 4, 2, EUR, 1000000000, 0, 7 },
	};
	struct close_account accounts[] = { { .pool = 1, .currency = EUR },
		{ .pool = 1, .currency = JPY }, { .pool = 2, .currency = EUR } };

	(void)state;
	assert_true(close_count(tallies, 4, accounts, 3));
	assert_int_equal(accounts[0].moved_minor, 1);
	assert_int_equal(accounts[0].carry_nano, 0);
	assert_int_equal(accounts[1].moved_minor, 0);
	assert_int_equal(accounts[1].carry_nano, 995000000);
	assert_int_equal(accounts[2].moved_minor, 7);
}

/* However the stakes are divided into closes, the sum moved is the floor of the amount due. */
static void test_close_cuts_do_not_change_the_sum(void **state)
{
	struct close_account account = { .pool = 1, .currency = EUR };
	uint64_t total = 0;
	uint64_t random = 88172645463325252U;
	int64_t moved = 0;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		struct close_tally tally = { 1, 1, EUR, 1234567, total, total };
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		tally.total = total += 1 + random % 5000;
		account.carried_nano = account.carry_nano;
		assert_true(close_count(&tally, 1, &account, 1));
		moved += account.moved_minor;
		assert_int_equal(moved, (int64_t)((int128)total * 1234567 / CLOSE_NANO));
		assert_int_equal(
			account.carry_nano, (int64_t)((int128)total * 1234567 % CLOSE_NANO));
	}
}

static void test_close_rejects_impossible_input(void **state)
{
	const struct close_tally good = { 1, 1, EUR, CLOSE_NANO, 0, INT64_MAX };
	const struct {
		struct close_tally tally;
		int64_t carried;
		bool known;
	} wrong[] = {
		{ { 1, 1, EUR, CLOSE_NANO, 10, 9 }, 0, true },
		{ { 1, 1, EUR, CLOSE_NANO + 1, 0, 9 }, 0, true },
		{ { 1, 1, EUR, -1, 0, 9 }, 0, true },
		{ { 1, 1, EUR, 1, 0, 9 }, CLOSE_NANO, true },
		{ { 1, 1, EUR, 1, 0, 9 }, -1, true },
		{ { 1, 1, EUR, CLOSE_NANO, 0, (uint64_t)INT64_MAX + 1 }, 0, true },
		{ { 1, 2, EUR, 1, 0, 9 }, 0, false },
	};
	struct close_account account = { .pool = 1, .currency = EUR };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		account.carried_nano = wrong[i].carried;
		assert_int_equal(close_account_find(
					 &account, 1, wrong[i].tally.pool, wrong[i].tally.currency),
			wrong[i].known ? 0 : 1);
		assert_false(close_count(&wrong[i].tally, 1, &account, 1));
	}
	account.carried_nano = 0;
	assert_true(close_count(&good, 1, &account, 1));
	assert_int_equal(account.moved_minor, INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_close_moves_whole_units_and_carries_the_rest),
		cmocka_unit_test(test_close_tallies_of_one_pool_share_the_carry),
		cmocka_unit_test(test_close_cuts_do_not_change_the_sum),
		cmocka_unit_test(test_close_rejects_impossible_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
