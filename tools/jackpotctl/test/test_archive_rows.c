/* Rows of a binary COPY, read from a compressed file. */
#include "tools/jackpotctl/archive_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define HEADER "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\3abc" /* with an extension of three bytes */
#define ROW "\0\3\0\0\0\4\377\377\377\376\0\0\0\10\0\0\0\0\0\0\1\0\377\377\377\377"
#define OTHER "\0\1\0\0\0\2xy"
#define END "\377\377"
#define TEXT(text) text, sizeof(text) - 1

static char path[] = "/tmp/test_archive_rows.XXXXXX";

static struct archive_rows *rows_of(const char *bytes, size_t n)
{
	gzFile file = gzopen(path, "wb");
	struct archive_rows *rows;

	assert_non_null(file);
	assert_int_equal(gzwrite(file, bytes, (unsigned)n), (int)n);
	assert_int_equal(gzclose(file), Z_OK);
	rows = archive_rows_file(path);
	assert_non_null(rows);
	return rows;
}

static void test_rows_are_read(void **state)
{
	struct archive_rows *rows = rows_of(TEXT(HEADER ROW OTHER END));
	struct archive_row row = { 0 }, other = { 0 };
	bool whole;

	(void)state;
	assert_true(archive_rows_next(rows, &row, &whole));
	assert_int_equal(row.fields_n, 3);
	assert_int_equal(archive_row_number(&row, 0), -2);
	assert_int_equal(archive_row_number(&row, 1), 256);
	assert_int_equal(row.field[2].length, -1);
	assert_int_equal(archive_row_number(&row, 2), 0);
	assert_int_equal(archive_row_number(&row, 3), 0);
	assert_true(archive_rows_next(rows, &other, &whole));
	assert_memory_equal(archive_row_bytes(&other, 0), "xy", 2);
	assert_true(archive_row_same(&row, &row, 0) && archive_row_same(&row, &row, 2));
	assert_false(archive_row_same(&row, &other, 0));
	assert_false(archive_rows_next(rows, &other, &whole));
	assert_true(whole);
	free(row.bytes);
	free(other.bytes);
	archive_rows_free(&rows);
	assert_null(rows);
}

static void test_other_bytes_are_rejected(void **state)
{
	static const struct {
		const char *bytes;
		size_t n, rows;
	} cases[] = {
		{ TEXT(""), 0 },
		{ TEXT("PGCOPY\n\377\r\n"), 0 },
		{ TEXT("PGCOPX\n\377\r\n\0\0\0\0\0\0\0\0\0" END), 0 },
		{ TEXT("PGCOPY\n\377\r\n\0\0\1\0\0\0\0\0\0" END), 0 }, /* with oids */
		{ TEXT(HEADER), 0 },
		{ TEXT(HEADER ROW), 1 }, /* without an end */
		{ TEXT(HEADER ROW "\0\1\0\0\0\2x"), 1 },
		{ TEXT(HEADER ROW "\0\1\377\377\377\376"), 1 }, /* a length below -1 */
		{ TEXT(HEADER "\0\1\177\377\377\377"), 0 },
		{ TEXT(HEADER "\0\0"), 0 },
		{ TEXT(HEADER "\0\101"), 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct archive_rows *rows = rows_of(cases[i].bytes, cases[i].n);
		struct archive_row row = { 0 };
		bool whole = true;
		size_t n = 0;

		while (archive_rows_next(rows, &row, &whole))
			n++;
		if (n != cases[i].rows || whole)
			fail_msg("case %zu: %zu rows", i, n);
		free(row.bytes);
		archive_rows_free(&rows);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_read),
		cmocka_unit_test(test_other_bytes_are_rejected),
	};
	int fd = mkstemp(path);
	int failed;

	if (fd < 0)
		return 1;
	(void)close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	(void)unlink(path);
	return failed;
}
