/* A line: several prepared statements that are sent in one round trip (libpq's pipeline mode). A
 * small transaction spends most of its time waiting for round trips, and each round trip costs both
 * sides a wake-up.
 *
 *     pg_line_begin, then for each statement pg_line_send, then pg_line_end
 *
 * Between pg_line_begin and pg_line_end, use the connection for nothing else. Any failure is
 * fatal. Only pg_line_end checks the results. Put code that depends on a result after
 * pg_line_end, especially code that must run after a commit. */
#ifndef CARILLON_IO_PG_LINE_H
#define CARILLON_IO_PG_LINE_H

#include "libcommon/io/pg.h"

#define PG_LINE_MAX 64 /* statements of one line */

struct pg_line {
	PGconn *conn;
	size_t n;
	struct {
		const char *what; /* for messages; static */
		int64_t rows;	  /* how many it must change; PG_LINE_ANY: any number */
	} sent[PG_LINE_MAX];
};

#define PG_LINE_ANY INT64_C(-1)

/* Prepares a statement; fatal on error. `types` may be NULL. */
void pg_line_prepare(PGconn *conn, const char *name, const char *sql, int n, const Oid *types);

void pg_line_begin(struct pg_line *line, PGconn *conn);
/* Statements that still fit. */
size_t pg_line_room(const struct pg_line *line);
/* Parameters as for PQsendQueryPrepared; they are copied. */
void pg_line_send(struct pg_line *line, const char *what, int64_t rows, const char *name, int n,
	const char *const *values, const int *lengths, const int *formats);
/* Returns when all statements have succeeded and each has changed the number of rows that it must
 * change. */
void pg_line_end(struct pg_line *line);

/* Sends rows as statements of a line instead of by COPY. Call pg_copy_gather, then pg_copy_row and
 * its fields as for COPY, then pg_copy_in_line. That sends the prepared statement once for each
 * row, with the fields as its parameters, frees the copy, and returns the number of rows. */
struct pg_copy *pg_copy_gather(void);
uint64_t pg_copy_in_line(struct pg_copy *copy, struct pg_line *line, const char *statement);
/* The same with one statement for all rows. Each parameter is a column, as an array; `types` are
 * the types of the elements. The statement must change as many rows as were gathered. Cheaper from
 * the second row on. */
uint64_t pg_copy_in_arrays(
	struct pg_copy *copy, struct pg_line *line, const char *statement, const Oid *types);

#endif
