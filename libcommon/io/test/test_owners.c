/* The directory of owners, from results as Postgres gives them. */
#include "libcommon/io/owners.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const ROWS[][5] = {
	{ "wallet", "0", "ipc://nn/wallet-1", "7", "101" },
	{ "wallet", "3", "ipc://nn/wallet-2", "9", "102" },
	{ "spin-engine", "0", "ipc://nn/spin-engine-1", "2", "103" },
	{ "gateway", NULL, "ipc://nn/gateway-1", "0", "104" },
	{ "wallet", "999", "ipc://nn/wallet-3", "1", "0" },
};
#define ROWS_N (sizeof(ROWS) / sizeof(ROWS[0]))

static int listed;

static void count(void *context, const struct nn_bus_instance *instance)
{
	assert_null(context);
	assert_string_equal(instance->service, ROWS[listed][0]);
	assert_string_equal(instance->url, ROWS[listed][2]);
	assert_int_equal(instance->boot, strtoull(ROWS[listed][4], NULL, 10));
	listed++;
}

/* The first n rows. */
static PGresult *result_of(size_t n)
{
	static char names[5][8] = { "service", "shard", "url", "epoch", "boot" };
	PGresAttDesc columns[5] = { { .name = names[0] }, { .name = names[1] },
		{ .name = names[2] }, { .name = names[3] }, { .name = names[4] } };
	PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);

	assert_true(PQsetResultAttrs(result, 5, columns));
	for (size_t row = 0; row < n; row++)
		for (int i = 0; i < 5; i++) {
			char value[64] = "";
			const char *text = ROWS[row][i];
			if (text != NULL)
				memcpy(value, text, strlen(text) + 1);
			assert_true(PQsetvalue(result, (int)row, i, text == NULL ? NULL : value,
				text == NULL ? -1 : (int)strlen(text)));
		}
	return result;
}

static void test_owners_are_found_by_service_and_shard(void **state)
{
	struct owners *owners = owners_new();
	PGresult *rows = result_of(ROWS_N);

	(void)state;
	assert_int_equal(owners_of(owners, "wallet", 0)->epoch, 0);
	owners_take(owners, rows, count, NULL);
	assert_int_equal(listed, ROWS_N);
	assert_string_equal(owners_of(owners, "wallet", 3)->url, "ipc://nn/wallet-2");
	assert_int_equal(owners_of(owners, "wallet", 3)->epoch, 9);
	assert_string_equal(owners_of(owners, "spin-engine", 0)->url, "ipc://nn/spin-engine-1");
	assert_string_equal(owners_of(owners, "wallet", 1)->url, "");
	assert_string_equal(owners_of(owners, "gateway", 0)->url, "");
	assert_string_equal(owners_of(owners, "wallet", 999)->url, "");
	PQclear(rows);
	owners_free(&owners);
	assert_null(owners);
}

static void test_the_last_result_counts(void **state)
{
	struct owners *owners = owners_new();
	PGresult *all = result_of(ROWS_N), *one = result_of(1);

	(void)state;
	listed = 0;
	owners_take(owners, all, count, NULL);
	listed = 0;
	owners_take(owners, one, count, NULL);
	assert_int_equal(owners_of(owners, "wallet", 0)->epoch, 7);
	assert_int_equal(owners_of(owners, "wallet", 3)->epoch, 0);
	assert_string_equal(owners_of(owners, "spin-engine", 0)->url, "");
	PQclear(all);
	PQclear(one);
	owners_free(&owners);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owners_are_found_by_service_and_shard),
		cmocka_unit_test(test_the_last_result_counts),
	};

	return cmocka_run_group_tests_name("owners", tests, NULL, NULL);
}
