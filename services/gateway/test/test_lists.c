/* Lists of operators as CSV. */
#include "services/gateway/adapters/lists.h"

#include <jansson.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void check(const char *columns, const char *rows, const char *expected)
{
	json_t *list = json_loads(rows, 0, NULL);
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(list);
	assert_non_null(out);
	list_csv(out, columns, list);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
	free(text);
	json_decref(list);
}

static void test_lists_csv(void **state)
{
	static const struct {
		const char *columns, *rows, *expected;
	} cases[] = {
		{ "a b", "[]", "a,b\r\n" },
		{ "a", "[{\"a\":1},{\"a\":-2},{}]", "a\r\n1\r\n-2\r\n\r\n" },
		{ "a b c", "[{\"c\":true,\"a\":null,\"d\":9}]", "a,b,c\r\n,,true\r\n" },
		{ "a", "[{\"a\":\"\"},{\"a\":\"x,y\\\"z\\r\\n\"}]",
			"a\r\n\"\"\r\n\"x,y\"\"z\r\n\"\r\n" },
		{ "a.b a.c.d", "[{\"a\":{\"b\":\"x\",\"c\":{\"d\":2}}},{\"a\":null},{\"a\":3}]",
			"a.b,a.c.d\r\n\"x\",2\r\n,\r\n,\r\n" },
		{ "a", "[{\"a\":[1,\"t\"]},{\"a\":{\"b\":\"c\"}}]",
			"a\r\n\"[1,\"\"t\"\"]\"\r\n\"{\"\"b\"\":\"\"c\"\"}\"\r\n" },
		{ "a", "[{\"a\":9007199254740993}]", "a\r\n9007199254740993\r\n" },
		{ "a", "[{\"a\":\"\\u00e5\\ud83c\\udf52\"}]", "a\r\n\"\u00e5\U0001f352\"\r\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(cases[i].columns, cases[i].rows, cases[i].expected);
}

/* A spreadsheet calculates what begins like a formula. */
static void test_lists_csv_has_no_formula(void **state)
{
	static const char *const texts[] = { "=1", "+1", "@a", "-a", "-", "-1+1", "-1+cmd|x", "-1.",
		"-.5", "-1.5.", "-1 ", "\\t1", "\\r1", "\\n=1", NULL };
	static const char *const plain[] = { "-1", "-12.50", "a=1", " =1", "1", "'=1", NULL };
	char rows[64];

	(void)state;
	for (size_t i = 0; texts[i] != NULL; i++) {
		json_t *list;
		char *text = NULL;
		size_t length = 0;
		FILE *out = open_memstream(&text, &length);
		(void)snprintf(rows, sizeof(rows), "[{\"a\":\"%s\"}]", texts[i]);
		list = json_loads(rows, 0, NULL);
		list_csv(out, "a", list);
		assert_int_equal(fclose(out), 0);
		assert_memory_equal(text, "a\r\n\"'", 5);
		free(text);
		json_decref(list);
	}
	for (size_t i = 0; plain[i] != NULL; i++) {
		char expected[32];
		(void)snprintf(rows, sizeof(rows), "[{\"a\":\"%s\"}]", plain[i]);
		(void)snprintf(expected, sizeof(expected), "a\r\n\"%s\"\r\n", plain[i]);
		check("a", rows, expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_csv),
		cmocka_unit_test(test_lists_csv_has_no_formula),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
