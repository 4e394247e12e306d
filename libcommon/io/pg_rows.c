/* Arrays in text. */
#include "libcommon/io/pg_rows.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUT_MAX 4096 /* bytes of one pg_rows_put */

static void room(struct pg_rows_text *text, size_t more)
{
	if (text->room - text->n > more)
		return;
	text->room = text->room * 2 + more + PUT_MAX;
	text->bytes = realloc(text->bytes, text->room);
	if (text->bytes == NULL)
		fatal("out of memory: an array of %zu bytes", text->room);
}

void pg_rows_begin(struct pg_rows *rows)
{
	rows->n++;
	memset(rows->told, 0, sizeof(rows->told));
}

void pg_rows_put(struct pg_rows *rows, const char *format, ...)
{
	va_list arguments;
	room(&rows->value, PUT_MAX);
	va_start(arguments, format);
	int n = vsnprintf(rows->value.bytes + rows->value.n, PUT_MAX, format, arguments);
	va_end(arguments);
	if (n < 0 || n >= PUT_MAX)
		fatal("one part of a value has %d bytes, expected fewer than %d", n, PUT_MAX);
	rows->value.n += (size_t)n;
}

void pg_rows_told(struct pg_rows *rows, int column)
{
	struct pg_rows_text *array = &rows->array[column];
	room(array, 2 * rows->value.n + 4);
	array->bytes[array->n++] = rows->n == 1 ? '{' : ',';
	array->bytes[array->n++] = '"';
	for (size_t i = 0; i < rows->value.n; i++) {
		char c = rows->value.bytes[i];
		if (c == '"' || c == '\\')
			array->bytes[array->n++] = '\\';
		array->bytes[array->n++] = c;
	}
	array->bytes[array->n++] = '"';
	rows->value.n = 0;
	rows->told[column] = true;
}

void pg_rows_int(struct pg_rows *rows, int column, int64_t value)
{
	pg_rows_put(rows, "%" PRId64, value);
	pg_rows_told(rows, column);
}

void pg_rows_int128(struct pg_rows *rows, int column, int128 value)
{
	char text[AMOUNT_TEXT_MAX];
	(void)int128_format(value, text);
	pg_rows_put(rows, "%s", text);
	pg_rows_told(rows, column);
}

void pg_rows_text(struct pg_rows *rows, int column, const char *value)
{
	pg_rows_put(rows, "%s", value);
	pg_rows_told(rows, column);
}

void pg_rows_end(struct pg_rows *rows)
{
	for (int i = 0; i < rows->columns; i++) {
		struct pg_rows_text *array = &rows->array[i];
		if (rows->told[i])
			continue;
		room(array, 8);
		array->bytes[array->n++] = rows->n == 1 ? '{' : ',';
		memcpy(array->bytes + array->n, "null", 4);
		array->n += 4;
	}
}

void pg_rows_run(struct pg_rows *rows, PGconn *conn, const char *sql)
{
	const char *parameters[PG_ROWS_COLUMNS_MAX];
	if (rows->n == 0)
		return;
	for (int i = 0; i < rows->columns; i++) {
		struct pg_rows_text *array = &rows->array[i];
		room(array, 2);
		array->bytes[array->n++] = '}';
		array->bytes[array->n] = '\0';
		array->n = 0;
		parameters[i] = array->bytes;
	}
	PQclear(pg_query(conn, sql, rows->columns, parameters));
	rows->n = 0;
}
