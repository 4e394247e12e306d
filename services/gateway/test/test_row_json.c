/* Rows as JSON: each type of column, the two names that mean more than their number, and what is
 * left out. */
#include "services/gateway/adapters/row_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COLUMNS_MAX 4

struct cell {
	const char *name;
	Oid type;
	const char *value; /* NULL: null */
};

static PGresult *row_of(const struct cell *cells, int n)
{
	PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
	PGresAttDesc columns[COLUMNS_MAX] = { 0 };

	assert_non_null(result);
	for (int i = 0; i < n; i++) {
		columns[i].name = (char *)(uintptr_t)cells[i].name;
		columns[i].typid = cells[i].type;
	}
	assert_true(PQsetResultAttrs(result, n, columns));
	for (int i = 0; i < n; i++) {
		char *value = (char *)(uintptr_t)cells[i].value;
		assert_true(
			PQsetvalue(result, 0, i, value, value == NULL ? -1 : (int)strlen(value)));
	}
	return result;
}

static void test_row_json_writes_columns_by_type_and_name(void **state)
{
	static const struct {
		struct cell cells[COLUMNS_MAX];
		const char *json;
	} ROWS[] = {
		{ { { "a", 20, "-9223372036854775808" }, { "b", 23, "7" }, { "c", 21, "0" } },
			"{\"a\":-9223372036854775808,\"b\":7,\"c\":0}" },
		{ { { "yes", 16, "t" }, { "no", 16, "f" }, { "none", 16, NULL } },
			"{\"yes\":true,\"no\":false,\"none\":null}" },
		{ { { "text", 25, "a \"b\"" }, { "number", 1700, "12" }, { "empty", 25, "" } },
			"{\"text\":\"a \\\"b\\\"\",\"number\":\"12\",\"empty\":\"\"}" },
		{ { { "body", 114, "{\"x\": [1]}" }, { "more", 3802, "[]" }, { "n", 114, NULL } },
			"{\"body\":{\"x\": [1]},\"more\":[],\"n\":null}" },
		{ { { "player", 20, "281474976710673" }, { "currency", 23, "978" } },
			"{\"player\":\"1-17\",\"currency\":\"EUR\"}" },
		{ { { "player", 20, NULL }, { "currency", 20, "0" } },
			"{\"player\":null,\"currency\":\"\"}" },
		{ { { "player", 25, "as text" }, { "currency", 25, "USD" } },
			"{\"player\":\"as text\",\"currency\":\"USD\"}" },
		{ { { "_first", 20, "1" }, { "a", 20, "2" }, { "_last", 25, "x" } }, "{\"a\":2}" },
	};
	struct json_out out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		int n = 0;
		while (n < COLUMNS_MAX && ROWS[i].cells[n].name != NULL)
			n++;
		PGresult *result = row_of(ROWS[i].cells, n);
		out_begin(&out);
		row_json(&out, result, 0);
		assert_int_equal(out.n, strlen(ROWS[i].json));
		assert_memory_equal(out.bytes, ROWS[i].json, out.n);
		PQclear(result);
	}
	out_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_row_json_writes_columns_by_type_and_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
