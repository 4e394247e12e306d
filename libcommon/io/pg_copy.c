/* COPY .. FROM STDIN BINARY. Format: https://www.postgresql.org/docs/15/sql-copy.html, "Binary
 * Format": big endian, each row its number of fields, each field its length and bytes, -1 for null;
 * a final -1. */
#include "libcommon/io/private/pg_copy.h"

#include "libcommon/io/log.h"

#include <assert.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INT4_OID 23
/* Postgres counts from 2000-01-01. */
#define EPOCH_2000_US INT64_C(946684800000000)

static void room_make(struct pg_copy *copy, size_t more)
{
	if (copy->room - copy->length >= more)
		return;
	size_t room = copy->room == 0 ? 2 * PG_COPY_FLUSH_BYTES : copy->room * 2;
	while (room - copy->length < more)
		room *= 2;
	uint8_t *bytes = realloc(copy->bytes, room);
	if (bytes == NULL)
		fatal("postgres: out of memory");
	copy->bytes = bytes;
	copy->room = room;
}

static void put(struct pg_copy *copy, const void *bytes, size_t length)
{
	room_make(copy, length);
	if (length > 0)
		memcpy(copy->bytes + copy->length, bytes, length);
	copy->length += length;
}

static void put_16(struct pg_copy *copy, uint16_t value)
{
	uint16_t big = htobe16(value);
	put(copy, &big, sizeof(big));
}

static void put_32(struct pg_copy *copy, uint32_t value)
{
	uint32_t big = htobe32(value);
	put(copy, &big, sizeof(big));
}

static void put_64(struct pg_copy *copy, uint64_t value)
{
	uint64_t big = htobe64(value);
	put(copy, &big, sizeof(big));
}

__attribute__((noreturn)) static void copy_failed(
	const struct pg_copy *copy, const PGresult *result)
{
	char what[1024];
	(void)snprintf(what, sizeof(what), "copy into %s", copy->table);
	pg_fatal(copy->conn, result, what);
}

static void flush(struct pg_copy *copy)
{
	if (copy->conn == NULL || copy->length == 0)
		return;
	if (PQputCopyData(copy->conn, (const char *)copy->bytes, (int)copy->length) != 1)
		copy_failed(copy, NULL);
	copy->length = 0;
}

static void field_begin(struct pg_copy *copy, uint32_t length)
{
	assert(copy->fields_left > 0);
	copy->fields_left--;
	put_32(copy, length);
}

void pg_copy_init(struct pg_copy *copy, PGconn *conn, const char *table)
{
	static const char HEADER[] = "PGCOPY\n\377\r\n"; /* the NUL is part of the header */
	*copy = (struct pg_copy){ .conn = conn };
	(void)snprintf(copy->table, sizeof(copy->table), "%s", table);
	put(copy, HEADER, sizeof(HEADER));
	put_32(copy, 0); /* flags */
	put_32(copy, 0); /* no header extension */
}

struct pg_copy *pg_copy_begin(PGconn *conn, const char *table_and_columns)
{
	char sql[1024];
	struct pg_copy *copy = malloc(sizeof(*copy));
	if (copy == NULL)
		fatal("postgres: out of memory");
	int n = snprintf(sql, sizeof(sql), "copy %s from stdin (format binary)", table_and_columns);
	assert(n > 0 && (size_t)n < sizeof(sql));
	PGresult *result = PQexec(conn, sql);
	if (PQresultStatus(result) != PGRES_COPY_IN)
		pg_fatal(conn, result, sql);
	PQclear(result);
	pg_copy_init(copy, conn, table_and_columns);
	return copy;
}

void pg_copy_row(struct pg_copy *copy, int fields)
{
	assert(copy->fields_left == 0);
	assert(fields > 0 && fields <= INT16_MAX);
	if (copy->length >= PG_COPY_FLUSH_BYTES)
		flush(copy);
	put_16(copy, (uint16_t)fields);
	copy->fields_left = fields;
	copy->rows++;
}

void pg_copy_null(struct pg_copy *copy)
{
	field_begin(copy, UINT32_MAX);
}

void pg_copy_int16(struct pg_copy *copy, int16_t value)
{
	field_begin(copy, sizeof(value));
	put_16(copy, (uint16_t)value);
}

void pg_copy_int32(struct pg_copy *copy, int32_t value)
{
	field_begin(copy, sizeof(value));
	put_32(copy, (uint32_t)value);
}

void pg_copy_int64(struct pg_copy *copy, int64_t value)
{
	field_begin(copy, sizeof(value));
	put_64(copy, (uint64_t)value);
}

void pg_copy_bool(struct pg_copy *copy, bool value)
{
	uint8_t byte = value ? 1 : 0;
	field_begin(copy, 1);
	put(copy, &byte, 1);
}

void pg_copy_bytes(struct pg_copy *copy, const void *bytes, size_t length)
{
	assert(length <= INT32_MAX);
	field_begin(copy, (uint32_t)length);
	put(copy, bytes, length);
}

void pg_copy_time_us(struct pg_copy *copy, uint64_t unix_us)
{
	assert(unix_us <= INT64_MAX);
	pg_copy_int64(copy, (int64_t)unix_us - EPOCH_2000_US);
}

void pg_copy_int32_array(struct pg_copy *copy, const int32_t *values, size_t n)
{
	bool empty = n == 0;
	assert(n <= 65536);
	field_begin(copy, (uint32_t)(empty ? 12 : 20 + 8 * n));
	put_32(copy, empty ? 0 : 1); /* dimensions */
	put_32(copy, 0);	     /* no nulls */
	put_32(copy, INT4_OID);
	if (empty)
		return;
	put_32(copy, (uint32_t)n);
	put_32(copy, 1); /* index of the first element */
	for (size_t i = 0; i < n; i++) {
		put_32(copy, sizeof(values[i]));
		put_32(copy, (uint32_t)values[i]);
	}
}

static void result_check(struct pg_copy *copy)
{
	PGresult *result = PQgetResult(copy->conn);
	if (PQresultStatus(result) != PGRES_COMMAND_OK)
		copy_failed(copy, result);
	unsigned long long rows = strtoull(PQcmdTuples(result), NULL, 10);
	if (rows != copy->rows)
		fatal("postgres: copy into %s: found %llu rows written, expected %llu", copy->table,
			rows, (unsigned long long)copy->rows);
	PQclear(result);
	while ((result = PQgetResult(copy->conn)) != NULL)
		PQclear(result);
}

void pg_copy_sent(struct pg_copy *copy)
{
	assert(copy->fields_left == 0);
	assert(!copy->sent);
	put_16(copy, UINT16_MAX);
	flush(copy);
	if (PQputCopyEnd(copy->conn, NULL) != 1 || PQflush(copy->conn) != 0)
		copy_failed(copy, NULL);
	copy->sent = true;
}

uint64_t pg_copy_end(struct pg_copy *copy)
{
	uint64_t rows = copy->rows;
	if (!copy->sent)
		pg_copy_sent(copy);
	result_check(copy);
	free(copy->bytes);
	free(copy);
	return rows;
}
