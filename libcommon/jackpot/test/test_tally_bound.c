/* T has a bound, so that the books of a pool always have room for it: a total beyond it is refused
 * and changes nothing, wherever it comes from. */
#include "libcommon/jackpot/pool_books.h"
#include "libcommon/jackpot/pool_tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The largest rate, and the whole stake. */
static struct pool_vector vector_of(void)
{
	const struct pool_tally tally = { .id = 7,
		.game = 1,
		.currency = 978,
		.exponent = 2,
		.rate_nano = POOL_RATE_NANO_MAX,
		.ppm = POOL_PPM_MAX,
		.open = true };
	static struct pool_vector vector;
	memset(&vector, 0, sizeof(vector));
	assert_int_equal(pool_vector_add_tally(&vector, &tally), POOL_VECTOR_OK);
	return vector;
}

static void test_total_beyond_the_bound_changes_nothing(void **state)
{
	(void)state;
	static struct pool_vector vector;
	uint64_t most = 0;
	vector = vector_of();
	for (uint64_t step = UINT64_C(1) << 62; step > 0; step >>= 1) {
		int128 t = vector.t_e18;
		enum pool_vector_status status = pool_vector_offer(&vector, 0, 7, most + step, 1);
		assert_true(status == POOL_VECTOR_OK || status == POOL_VECTOR_OVERFLOW);
		if (status == POOL_VECTOR_OK)
			most += step;
		else
			assert_true(vector.t_e18 == t);
	}
	assert_true(vector.t_e18 <= POOL_T_E18_MAX && most > 0);
	assert_int_equal(
		pool_vector_offer(&vector, 1, 7, UINT64_MAX >> 1, 1), POOL_VECTOR_OVERFLOW);
	assert_int_equal(pool_vector_add_folded(&vector, &vector.tally[0], UINT64_MAX >> 1),
		POOL_VECTOR_OVERFLOW);
}

static void test_books_have_room_for_the_bound(void **state)
{
	(void)state;
	static const int64_t shares[] = { 0, 188000000, POOL_NANO };
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		struct pool_books books = { 0 };
		assert_true(pool_books_contribute(&books, POOL_T_E18_MAX, shares[i], POOL_NANO));
	}
}

/* T of a set is all wagers: its bound is larger, and levels of 0.5 % fit. */
static void test_sets_count_more(void **state)
{
	(void)state;
	static struct pool_vector vector;
	struct pool_books books = { 0 };
	uint64_t cents = (uint64_t)(POOL_WAGERS_E18_MAX / 10000000000000000);
	vector = vector_of();
	vector.tally[0].rate_nano = 1000000000;
	assert_int_equal(pool_vector_offer(&vector, 0, 7, cents, 1), POOL_VECTOR_OVERFLOW);
	assert_true(vector.t_e18 == 0);
	vector.most_e18 = POOL_WAGERS_E18_MAX;
	assert_int_equal(pool_vector_offer(&vector, 0, 7, cents, 1), POOL_VECTOR_OK);
	assert_int_equal(pool_vector_offer(&vector, 0, 7, cents + 1, 2), POOL_VECTOR_OVERFLOW);
	assert_true(vector.t_e18 == POOL_WAGERS_E18_MAX);
	assert_true(vector.t_e18 / 1000000000000 <= INT64_MAX);
	assert_true(pool_books_contribute(&books, vector.t_e18, 5000000, 5000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_total_beyond_the_bound_changes_nothing),
		cmocka_unit_test(test_books_have_room_for_the_bound),
		cmocka_unit_test(test_sets_count_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
