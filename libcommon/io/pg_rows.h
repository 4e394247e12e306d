/* Many rows as text arrays, one array per column, for statements like
 *
 *     insert into t (a, b) select e.a, e.b from unnest($1::integer[], $2::text[]) as e(a, b)
 *
 * which write all rows of a commit at once. Keeps its memory from one batch to the next; fatal when
 * memory runs out. For one thread. */
#ifndef CARILLON_IO_PG_ROWS_H
#define CARILLON_IO_PG_ROWS_H

#include "libcommon/base/amount.h"

#include <libpq-fe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PG_ROWS_COLUMNS_MAX 32

struct pg_rows_text {
	char *bytes;
	size_t n, room;
};

/* To start with no rows, set columns and zero every other member. */
struct pg_rows {
	int columns;			/* at most PG_ROWS_COLUMNS_MAX */
	size_t n;			/* rows */
	bool told[PG_ROWS_COLUMNS_MAX]; /* does the column have a value in the current row? */
	struct pg_rows_text array[PG_ROWS_COLUMNS_MAX];
	struct pg_rows_text value; /* the value under construction */
};

void pg_rows_begin(struct pg_rows *rows);
/* Appends to `value`, the value under construction. pg_rows_told stores that value in a column of
 * the current row and empties it for the next value. */
__attribute__((format(printf, 2, 3))) void pg_rows_put(
	struct pg_rows *rows, const char *format, ...);
void pg_rows_told(struct pg_rows *rows, int column);
void pg_rows_int(struct pg_rows *rows, int column, int64_t value);
void pg_rows_int128(struct pg_rows *rows, int column, int128 value);
void pg_rows_text(struct pg_rows *rows, int column, const char *value);
/* Ends the row. A column without a value is null. */
void pg_rows_end(struct pg_rows *rows);
/* If there are rows: runs the statement with the arrays as $1, $2, .. and empties them. Fatal on
 * error. */
void pg_rows_run(struct pg_rows *rows, PGconn *conn, const char *sql);

#endif
