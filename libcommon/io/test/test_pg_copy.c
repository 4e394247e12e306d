/* COPY BINARY, byte by byte as the manual of Postgres 15 describes it ("sql-copy", "Binary
 * Format"). */
#include "libcommon/io/private/pg_copy.h"

#include <stdio.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HEADER_BYTES 19

static void assert_hex(const struct pg_copy *copy, size_t from, const char *expected)
{
	char hex[1024] = "";
	for (size_t i = from; i < copy->length && 2 * (i - from) < sizeof(hex) - 3; i++)
		(void)snprintf(hex + 2 * (i - from), 3, "%02x", copy->bytes[i]);
	assert_string_equal(hex, expected);
}

static void test_copy_header(void **state)
{
	struct pg_copy copy;
	(void)state;
	pg_copy_init(&copy, NULL, "t");
	assert_int_equal(copy.length, HEADER_BYTES);
	assert_hex(&copy, 0, "5047434f50590aff0d0a000000000000000000");
	free(copy.bytes);
}

static void test_copy_fields(void **state)
{
	static const int32_t ARRAY[] = { 5, -1 };
	struct pg_copy copy;
	(void)state;
	pg_copy_init(&copy, NULL, "t");
	pg_copy_row(&copy, 10);
	pg_copy_null(&copy);
	pg_copy_int16(&copy, -2);
	pg_copy_int32(&copy, 258);
	pg_copy_int64(&copy, INT64_MIN);
	pg_copy_bool(&copy, true);
	pg_copy_bytes(&copy, "ab", 2);
	pg_copy_bytes(&copy, NULL, 0);
	pg_copy_time_us(&copy, UINT64_C(946684800000001));
	pg_copy_int32_array(&copy, ARRAY, 2);
	pg_copy_int32_array(&copy, NULL, 0);
	assert_int_equal(copy.fields_left, 0);
	assert_hex(&copy, HEADER_BYTES,
		"000a"			   /* fields */
		"ffffffff"		   /* null */
		"00000002fffe"		   /* -2 */
		"0000000400000102"	   /* 258 */
		"000000088000000000000000" /* the smallest int64 */
		"0000000101"		   /* true */
		"000000026162"		   /* ab */
		"00000000"		   /* empty, not null */
		"000000080000000000000001" /* the first microsecond of 2000 */
		"000000240000000100000000000000170000000200000001" /* array: one dimension, two
								      elements, first index 1 */
		"000000040000000500000004ffffffff"
		"0000000c000000000000000000000017" /* array: empty */
	);
	free(copy.bytes);
}

static void test_copy_time_before_2000(void **state)
{
	struct pg_copy copy;
	(void)state;
	pg_copy_init(&copy, NULL, "t");
	pg_copy_row(&copy, 1);
	pg_copy_time_us(&copy, 0);
	assert_hex(&copy, HEADER_BYTES, "000100000008fffca2fec4c82000");
	free(copy.bytes);
}

static void test_copy_many_rows_are_counted(void **state)
{
	struct pg_copy copy;
	(void)state;
	pg_copy_init(&copy, NULL, "t");
	for (int i = 0; i < 50000; i++) {
		pg_copy_row(&copy, 1);
		pg_copy_int64(&copy, i);
	}
	assert_int_equal(copy.rows, 50000);
	assert_int_equal(copy.length, HEADER_BYTES + 50000 * 14);
	free(copy.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copy_header),
		cmocka_unit_test(test_copy_fields),
		cmocka_unit_test(test_copy_time_before_2000),
		cmocka_unit_test(test_copy_many_rows_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
