/* Parameters and columns of statements, as text. */
#include "libcommon/io/pg_args.h"

#include "libcommon/io/stored.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

void pg_args_text(struct pg_args *args, const char *text)
{
	assert(args->n < PG_ARGS_MAX);
	args->value[args->n++] = text;
}

void pg_args_int(struct pg_args *args, int64_t value)
{
	assert(args->n < PG_ARGS_MAX);
	char *text = args->text[args->n];
	(void)snprintf(text, AMOUNT_TEXT_MAX, "%" PRId64, value);
	args->value[args->n++] = text;
}

void pg_args_int128(struct pg_args *args, int128 value)
{
	assert(args->n < PG_ARGS_MAX);
	char *text = args->text[args->n];
	(void)int128_format(value, text);
	args->value[args->n++] = text;
}

PGresult *pg_args_query(struct pg_args *args, PGconn *conn, const char *sql)
{
	PGresult *result = pg_query(conn, sql, args->n, args->value);
	args->n = 0;
	return result;
}

void pg_args_run(struct pg_args *args, PGconn *conn, const char *sql)
{
	PQclear(pg_args_query(args, conn, sql));
}

int128 pg_int128(const PGresult *result, int row, int column)
{
	int128 value;
	if (int128_parse(PQgetvalue(result, row, column), &value))
		return value;
	stored_wrong("postgres: column %s: found '%.100s', expected a whole number",
		PQfname(result, column), PQgetvalue(result, row, column));
	return 0;
}

uint32_t pg_u32(const PGresult *result, int row, int column)
{
	int64_t value = pg_number(result, row, column);
	if (value >= 0 && value <= UINT32_MAX)
		return (uint32_t)value;
	stored_wrong("postgres: column %s: found %" PRId64 ", expected 0 to 2^32 - 1",
		PQfname(result, column), value);
	return 0;
}

uint64_t pg_u64(const PGresult *result, int row, int column)
{
	int64_t value = pg_number(result, row, column);
	if (value >= 0)
		return (uint64_t)value;
	stored_wrong("postgres: column %s: found %" PRId64 ", expected 0 or more",
		PQfname(result, column), value);
	return 0;
}
