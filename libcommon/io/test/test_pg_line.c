/* Rows as the parameters of a prepared statement. libpq's function is defined here, so that the
 * test sees what would be sent. */
#include "libcommon/io/pg_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FIELDS 4

static struct {
	int n, lengths[FIELDS];
	char name[32], bytes[FIELDS][64];
	bool null[FIELDS];
} sent[4];
static size_t sent_n;

int PQsendQueryPrepared(PGconn *conn, const char *name, int n, const char *const *values,
	const int *lengths, const int *formats, int result_format)
{
	assert_null(conn);
	assert_int_equal(result_format, 0);
	assert_in_range(n, 1, FIELDS);
	sent[sent_n].n = n;
	(void)strcpy(sent[sent_n].name, name);
	for (int i = 0; i < n; i++) {
		assert_int_equal(formats[i], 1);
		sent[sent_n].null[i] = values[i] == NULL;
		sent[sent_n].lengths[i] = lengths[i];
		if (values[i] != NULL)
			memcpy(sent[sent_n].bytes[i], values[i], (size_t)lengths[i]);
	}
	sent_n++;
	return 1;
}

static void test_rows_are_parameters(void **state)
{
	struct pg_line line = { .conn = NULL };
	struct pg_copy *copy = pg_copy_gather();
	(void)state;
	pg_copy_row(copy, 4);
	pg_copy_int32(copy, 258);
	pg_copy_null(copy);
	pg_copy_bytes(copy, "ab", 2);
	pg_copy_bytes(copy, NULL, 0);
	pg_copy_row(copy, 1);
	pg_copy_int64(copy, -2);
	assert_int_equal(pg_copy_in_line(copy, &line, "some_row"), 2);
	assert_int_equal(sent_n, 2);
	assert_int_equal(line.n, 2);
	assert_int_equal(pg_line_room(&line), PG_LINE_MAX - 2);
	assert_int_equal(line.sent[0].rows, 1);
	assert_string_equal(sent[0].name, "some_row");
	assert_int_equal(sent[0].n, 4);
	assert_int_equal(sent[0].lengths[0], 4);
	assert_memory_equal(sent[0].bytes[0], "\0\0\1\2", 4);
	assert_true(sent[0].null[1]);
	assert_int_equal(sent[0].lengths[2], 2);
	assert_memory_equal(sent[0].bytes[2], "ab", 2);
	assert_false(sent[0].null[3]); /* empty is not null */
	assert_int_equal(sent[0].lengths[3], 0);
	assert_int_equal(sent[1].n, 1);
	assert_memory_equal(sent[1].bytes[0], "\xff\xff\xff\xff\xff\xff\xff\xfe", 8);
}

static void test_no_rows_send_nothing(void **state)
{
	struct pg_line line = { .conn = NULL };
	size_t before = sent_n;
	(void)state;
	assert_int_equal(pg_copy_in_line(pg_copy_gather(), &line, "some_row"), 0);
	assert_int_equal(sent_n, before);
	assert_int_equal(line.n, 0);
}

static void test_rows_are_arrays(void **state)
{
	static const Oid types[] = { 23, 25 };
	static const char numbers[] = "\0\0\0\1\0\0\0\0\0\0\0\x17\0\0\0\2\0\0\0\1"
				      "\0\0\0\4\0\0\0\7\0\0\0\4\0\0\1\2";
	static const char texts[] = "\0\0\0\1\0\0\0\1\0\0\0\x19\0\0\0\2\0\0\0\1"
				    "\0\0\0\2ab\xff\xff\xff\xff";
	struct pg_line line = { .conn = NULL };
	struct pg_copy *copy = pg_copy_gather();
	(void)state;
	sent_n = 0;
	pg_copy_row(copy, 2);
	pg_copy_int32(copy, 7);
	pg_copy_bytes(copy, "ab", 2);
	pg_copy_row(copy, 2);
	pg_copy_int32(copy, 258);
	pg_copy_null(copy);
	assert_int_equal(pg_copy_in_arrays(copy, &line, "some_rows", types), 2);
	assert_int_equal(sent_n, 1);
	assert_int_equal(line.sent[0].rows, 2);
	assert_int_equal(sent[0].lengths[0], sizeof(numbers) - 1);
	assert_memory_equal(sent[0].bytes[0], numbers, sizeof(numbers) - 1);
	assert_int_equal(sent[0].lengths[1], sizeof(texts) - 1);
	assert_memory_equal(sent[0].bytes[1], texts, sizeof(texts) - 1);
	assert_int_equal(pg_copy_in_arrays(pg_copy_gather(), &line, "some_rows", types), 0);
	assert_int_equal(sent_n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_parameters),
		cmocka_unit_test(test_no_rows_send_nothing),
		cmocka_unit_test(test_rows_are_arrays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
