/* Text parameters of one statement for pg_query. Numbers are formatted into the struct's own
 * memory; no allocation. */
#ifndef CARILLON_IO_PG_ARGS_H
#define CARILLON_IO_PG_ARGS_H

#include "libcommon/base/amount.h"
#include "libcommon/io/pg.h"

#define PG_ARGS_MAX 32

struct pg_args {
	int n;
	const char *value[PG_ARGS_MAX];
	char text[PG_ARGS_MAX][AMOUNT_TEXT_MAX];
};

void pg_args_int(struct pg_args *args, int64_t value);
void pg_args_int128(struct pg_args *args, int128 value);
void pg_args_text(struct pg_args *args, const char *text); /* borrowed; NULL is SQL null */
/* Runs the statement with the added parameters, clears the result and empties args. Fatal on
 * error. */
void pg_args_run(struct pg_args *args, PGconn *conn, const char *sql);
/* The same, but returns the result; the caller calls PQclear. */
PGresult *pg_args_query(struct pg_args *args, PGconn *conn, const char *sql);

/* Numbers in columns of a result. A text that is not a number of that type: stored_wrong
 * (stored.h), and 0. */
int128 pg_int128(const PGresult *result, int row, int column);
uint32_t pg_u32(const PGresult *result, int row, int column);
uint64_t pg_u64(const PGresult *result, int row, int column);

#endif
