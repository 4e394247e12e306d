/* Which pools are shown when there are too many. The test makes the rows of Postgres. */
#include "services/gateway/adapters/counters.c"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COLUMNS 12

static void set(PGresult *result, int row, int column, const char *text)
{
	assert_true(PQsetvalue(result, row, column, (char *)(uintptr_t)text, (int)strlen(text)));
}

/* Pools first..last, two rows each. */
static void polled(uint32_t first, uint32_t last)
{
	static char names[COLUMNS][3] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k",
		"l" };
	PGresAttDesc columns[COLUMNS] = { 0 };
	PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
	for (int i = 0; i < COLUMNS; i++)
		columns[i].name = names[i];
	assert_true(PQsetResultAttrs(result, COLUMNS, columns));
	for (uint32_t i = 0; i < 2 * (last - first + 1); i++) {
		char number[16];
		(void)snprintf(number, sizeof(number), "%u", first + i / 2);
		for (int column = 0; column < COLUMNS; column++)
			set(result, (int)i, column, "1");
		set(result, (int)i, 0, number);
		set(result, (int)i, 4, "978");
		set(result, (int)i, 5, i % 2 == 0 ? "20" : "50");
	}
	on_pools(NULL, result, NULL);
	PQclear(result);
}

static void assert_shown(uint32_t first, uint32_t last)
{
	assert_int_equal(counters.pools_n, last - first + 1);
	for (uint32_t i = 0; i < counters.pools_n; i++) {
		assert_int_equal(counters.pool[i].pool, first + i);
		assert_int_equal(counters.pool[i].rows_n, 2);
	}
}

static void test_counters_show_the_lowest_pool_numbers(void **state)
{
	(void)state;
	polled(5, 36);
	assert_shown(5, 36); /* as many as fit */
	assert_int_equal(counters.left_out, 0);
	polled(5, 38);
	assert_shown(5, 36);
	assert_int_equal(counters.left_out, 2);
	polled(1, 38); /* new lower numbers replace known pools */
	assert_shown(1, 32);
	assert_int_equal(counters.left_out, 6);
	polled(1, 32);
	assert_shown(1, 32);
	assert_int_equal(counters.left_out, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters_show_the_lowest_pool_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
