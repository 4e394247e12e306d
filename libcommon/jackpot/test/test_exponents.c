/* What depends on a currency's decimals. Contributions to T are exact up to three decimals; with
 * more they are floored once, from the running total. Prices and their costs are always exact. */
#include "libcommon/base/currency.h"
#include "libcommon/jackpot/pool_row.h"
#include "libcommon/jackpot/pool_tally.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define RATE INT64_C(123456789) /* 0.123456789 EUR */
#define PPM 5000

static struct pool_tally tally_of(uint32_t exponent)
{
	return (struct pool_tally){
		.id = 1, .game = 1, .exponent = exponent, .rate_nano = RATE, .ppm = PPM
	};
}

static int128 power(uint32_t n)
{
	int128 product = 1;
	while (n-- > 0)
		product *= 10;
	return product;
}

static uint64_t draw(uint64_t *random, uint64_t n)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return 1 + *random % n;
}

/* One unit of a currency contributes the same, whatever its decimals: 0.5 % of the rate. */
static void test_contribution_of_a_unit_is_equal_in_all_currencies(void **state)
{
	(void)state;
	for (size_t i = 0; currency_at(i) != NULL; i++) {
		const struct pool_tally tally = tally_of(currency_at(i)->exponent);
		int128 e18 = 0;
		assert_true(pool_tally_contribution(
			&tally, (uint64_t)power(currency_at(i)->exponent), &e18));
		assert_true(e18 == (int128)RATE * PPM * 1000);
	}
}

static void test_contribution_is_exact_up_to_three_decimals(void **state)
{
	(void)state;
	for (uint32_t exponent = 0; exponent <= 3; exponent++) {
		const struct pool_tally tally = tally_of(exponent);
		uint64_t random = 1 + exponent;
		uint64_t total = 0;
		int128 sum = 0;
		for (int i = 0; i < 1000; i++) {
			uint64_t stake = draw(&random, 1000000);
			int128 one, all;
			total += stake;
			assert_true(pool_tally_contribution(&tally, stake, &one));
			assert_true(pool_tally_contribution(&tally, total, &all));
			sum += one;
			assert_true(sum == all);
			assert_true(all * power(exponent) == (int128)total * RATE * PPM * 1000);
		}
	}
}

/* With more than three decimals, flooring each stake would lose too much. T follows the total to
 * within 10^-18 EUR, however it was divided into messages. */
static void test_contribution_beyond_three_decimals_is_floored_once(void **state)
{
	(void)state;
	for (uint32_t exponent = 4; exponent <= 9; exponent++) {
		static struct pool_vector vector;
		const struct pool_tally tally = tally_of(exponent);
		uint64_t random = 1 + exponent;
		uint64_t total = 0;
		int128 alone = 0;
		vector = (struct pool_vector){ 0 };
		assert_int_equal(pool_vector_add_tally(&vector, &tally), POOL_VECTOR_OK);
		for (int i = 0; i < 1000; i++) {
			uint64_t stake = draw(&random, 1000);
			int128 one, exact;
			total += stake;
			assert_true(pool_tally_contribution(&tally, stake, &one));
			alone += one;
			if (draw(&random, 3) == 1) /* some messages are lost */
				continue;
			assert_int_equal(
				pool_vector_offer(&vector, 0, 1, total, total), POOL_VECTOR_OK);
			exact = (int128)total * RATE * PPM; /* x 10^(3 - exponent) is T */
			assert_true(vector.t_e18 == exact / power(exponent - 3));
		}
		assert_true(pool_vector_offer(&vector, 0, 1, total + 1, total) == POOL_VECTOR_OK);
		assert_true(alone <= vector.t_e18);
	}
}

/* paid is in whole minor units, cost is exactly paid x unit, and the remainder is less than a
 * unit. */
static void test_pool_price_is_floored_to_the_minor_unit(void **state)
{
	(void)state;
	for (uint32_t exponent = 0; exponent <= 9; exponent++) {
		struct pool_row row = { .exponent = exponent,
			.coin_minor = 1,
			.terms = { (int64_t)power(exponent) * 100, RATE, 7654321 } };
		const int128 unit = (int128)RATE * power(18 - exponent);
		struct amount seen;
		struct pool_price price;
		assert_true(pool_unit(RATE, exponent, &seen));
		assert_true(seen.e27 == unit);
		assert_int_equal(
			pool_row_price(&row, power(18) * 12345 + 678, &price), POOL_ROW_OK);
		assert_true(price.cost.e27 == (int128)price.paid_minor * unit);
		assert_true(price.value.e27 == price.cost.e27 + price.carry.e27);
		assert_true(price.carry.e27 >= 0 && price.carry.e27 < unit);
		assert_true(price.paid_minor >= row.terms.seed_minor);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contribution_of_a_unit_is_equal_in_all_currencies),
		cmocka_unit_test(test_contribution_is_exact_up_to_three_decimals),
		cmocka_unit_test(test_contribution_beyond_three_decimals_is_floored_once),
		cmocka_unit_test(test_pool_price_is_floored_to_the_minor_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
