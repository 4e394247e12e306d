/* Folding of tallies: places become free, T stays exact to the last digit. Random play with a
 * printed seed is compared with a vector that never folds. */
#include "libcommon/jackpot/pool_tally.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define TALLIES 400 /* more than a vector holds */
#define SHARDS 4
#define STEPS 20000

static struct pool_vector vector;
static struct pool_tally tallies[TALLIES];
static uint64_t totals[TALLIES][SHARDS], stored[TALLIES][SHARDS];
static uint64_t random_state;

static uint64_t below(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

static struct pool_tally tally_of(uint32_t i)
{
	static const uint32_t exponents[] = { 0, 2, 3, 9 };
	return (struct pool_tally){ .id = i + 1,
		.game = 1,
		.currency = 100 + i % 7,
		.exponent = exponents[i % 4],
		.rate_nano = 1 + (int64_t)below(2000000000),
		.ppm = 1 + (uint32_t)below(POOL_PPM_MAX),
		.open = true };
}

static int128 sum_of_all(void)
{
	int128 sum = 0;
	for (size_t i = 0; i < TALLIES; i++) {
		for (size_t s = 0; s < SHARDS; s++) {
			int128 part;
			assert_true(pool_tally_contribution(&tallies[i], totals[i][s], &part));
			sum += part;
		}
	}
	return sum;
}

static int128 sum_here(void)
{
	int128 sum = vector.folded_e18;
	for (uint32_t i = 0; i < vector.entry_count; i++) {
		int128 part;
		assert_true(
			pool_tally_contribution(pool_vector_tally(&vector, vector.entry[i].tally),
				vector.entry[i].total_minor, &part));
		sum += part;
	}
	return sum;
}

/* Stores the dirty entries, as the vector's owner does. */
static void store(void)
{
	for (uint32_t i = 0; i < vector.entry_count; i++) {
		struct pool_vector_entry *entry = &vector.entry[i];
		stored[entry->tally - 1][entry->shard] = entry->total_minor;
		entry->dirty = false;
	}
}

static void bring_back(uint32_t i)
{
	tallies[i].open = false;
	assert_int_equal(pool_vector_add_tally(&vector, &tallies[i]), POOL_VECTOR_OK);
	for (uint32_t s = 0; s < SHARDS; s++)
		if (stored[i][s] > 0)
			assert_int_equal(pool_vector_unfold(&vector, s, i + 1, stored[i][s], 1),
				POOL_VECTOR_OK);
}

static void make_room(void)
{
	store();
	for (uint32_t n = vector.tally_count; n > 200; n--)
		assert_true(pool_vector_fold(&vector, vector.tally[below(vector.tally_count)].id));
}

static void test_fold_never_changes_t(void **state)
{
	const char *given = getenv("CARILLON_TEST_SEED");
	random_state = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) | 1;
	(void)state;
	print_message("CARILLON_TEST_SEED=%llu\n", (unsigned long long)random_state);
	memset(&vector, 0, sizeof(vector));
	for (uint32_t i = 0; i < TALLIES; i++) {
		tallies[i] = tally_of(i);
		tallies[i].open = false;
	}
	for (int step = 0; step < STEPS; step++) {
		uint32_t i = (uint32_t)below(TALLIES);
		uint32_t s = (uint32_t)below(SHARDS);
		if (vector.tally_count == POOL_TALLIES_MAX)
			make_room();
		if (pool_vector_tally(&vector, i + 1) == NULL)
			bring_back(i);
		uint64_t total = totals[i][s] + below(100000);
		enum pool_vector_status wanted =
			total > totals[i][s] ? POOL_VECTOR_OK : POOL_VECTOR_SEEN;
		assert_int_equal(pool_vector_offer(&vector, s, i + 1, total, 1), wanted);
		totals[i][s] = total;
		if (below(50) == 0)
			store();
		if (below(10) == 0 && pool_vector_fold(&vector, i + 1)) /* not while it is dirty */
			assert_null(pool_vector_tally(&vector, i + 1));
		if (step % 97 == 0) {
			assert_true(vector.t_e18 == sum_of_all());
			assert_true(vector.t_e18 == sum_here());
		}
	}
	assert_true(vector.t_e18 == sum_of_all() && vector.t_e18 == sum_here());
}

static void test_fold_rejects_unknown_open_and_dirty(void **state)
{
	struct pool_tally tally = { 1, 1, 978, 2, 1000000000, 5000, true };
	struct pool_tally other = { 2, 1, 978, 2, 1000000000, 5000, false };
	(void)state;
	memset(&vector, 0, sizeof(vector));
	assert_int_equal(pool_vector_add_tally(&vector, &tally), POOL_VECTOR_OK);
	assert_int_equal(pool_vector_offer(&vector, 0, 1, 100, 1), POOL_VECTOR_OK);
	assert_false(pool_vector_fold(&vector, 9)); /* unknown */
	assert_false(pool_vector_fold(&vector, 1)); /* open */
	vector.tally[0].open = false;
	assert_false(pool_vector_fold(&vector, 1)); /* not stored */
	vector.entry[0].dirty = false;
	assert_true(pool_vector_fold(&vector, 1));
	assert_int_equal(vector.tally_count + vector.entry_count, 0);
	assert_int_equal(pool_vector_offer(&vector, 0, 1, 200, 2), POOL_VECTOR_UNKNOWN);
	assert_int_equal(pool_vector_unfold(&vector, 0, 1, 100, 1), POOL_VECTOR_UNKNOWN);
	/* Unfolding more than was folded would take money out of T. */
	assert_int_equal(pool_vector_add_tally(&vector, &tally), POOL_VECTOR_OK);
	assert_int_equal(pool_vector_unfold(&vector, 0, 1, 101, 1), POOL_VECTOR_OVERFLOW);
	assert_int_equal(pool_vector_unfold(&vector, 0, 1, 100, 1), POOL_VECTOR_OK);
	assert_int_equal(pool_vector_unfold(&vector, 0, 1, 100, 1), POOL_VECTOR_SEEN);
	assert_true(vector.folded_e18 == 0);
	/* Loaded as folded, without a place. */
	int128 t = vector.t_e18;
	assert_int_equal(pool_vector_add_folded(&vector, &other, 100), POOL_VECTOR_OK);
	assert_true(vector.t_e18 == 2 * t && vector.folded_e18 == t);
	other.rate_nano = INT64_MAX;
	assert_int_equal(pool_vector_add_folded(&vector, &other, UINT64_MAX), POOL_VECTOR_OVERFLOW);
	assert_true(vector.t_e18 == 2 * t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fold_never_changes_t),
		cmocka_unit_test(test_fold_rejects_unknown_open_and_dirty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
