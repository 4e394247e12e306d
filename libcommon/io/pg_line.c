/* Statements in one round trip. A COPY cannot be part of it, so rows go as the parameters of an
 * insert; the fields of COPY BINARY are parameters in binary already. */
#include "libcommon/io/pg_line.h"

#include "libcommon/io/log.h"
#include "libcommon/io/private/pg_copy.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 32
#define ARRAY_HEADER 20u /* dimensions, nulls, type, length, first index */

void pg_line_prepare(PGconn *conn, const char *name, const char *sql, int n, const Oid *types)
{
	PGresult *result = PQprepare(conn, name, sql, n, types);
	if (PQresultStatus(result) != PGRES_COMMAND_OK)
		pg_fatal(conn, result, name);
	PQclear(result);
}

void pg_line_begin(struct pg_line *line, PGconn *conn)
{
	line->conn = conn;
	line->n = 0;
	if (PQenterPipelineMode(conn) != 1)
		pg_fatal(conn, NULL, "enter pipeline mode");
}

size_t pg_line_room(const struct pg_line *line)
{
	return PG_LINE_MAX - line->n;
}

void pg_line_send(struct pg_line *line, const char *what, int64_t rows, const char *name, int n,
	const char *const *values, const int *lengths, const int *formats)
{
	assert(line->n < PG_LINE_MAX);
	line->sent[line->n].what = what;
	line->sent[line->n++].rows = rows;
	if (PQsendQueryPrepared(line->conn, name, n, values, lengths, formats, 0) != 1)
		pg_fatal(line->conn, NULL, what);
}

/* The answer to one statement, and the NULL behind it. */
static void answer_check(PGconn *conn, const char *what, int64_t rows)
{
	PGresult *result = PQgetResult(conn);
	ExecStatusType status = PQresultStatus(result);
	if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
		pg_fatal(conn, result, what);
	if (rows != PG_LINE_ANY && strtoll(PQcmdTuples(result), NULL, 10) != rows)
		fatal("%s: found %s rows changed, expected %lld", what, PQcmdTuples(result),
			(long long)rows);
	PQclear(result);
	if (PQgetResult(conn) != NULL)
		fatal("postgres: %s: found several results, expected one", what);
}

void pg_line_end(struct pg_line *line)
{
	PGconn *conn = line->conn;
	if (PQpipelineSync(conn) != 1)
		pg_fatal(conn, NULL, "sync");
	for (size_t i = 0; i < line->n; i++)
		answer_check(conn, line->sent[i].what, line->sent[i].rows);
	PGresult *sync = PQgetResult(conn);
	if (PQresultStatus(sync) != PGRES_PIPELINE_SYNC || PQexitPipelineMode(conn) != 1)
		pg_fatal(conn, sync, "end of the pipeline");
	PQclear(sync);
}

/* ---- rows ---- */

struct pg_copy *pg_copy_gather(void)
{
	struct pg_copy *copy = malloc(sizeof(*copy));
	if (copy == NULL)
		fatal("postgres: out of memory");
	pg_copy_init(copy, NULL, "");
	return copy;
}

static uint32_t take_32(const uint8_t **at)
{
	uint32_t big;
	memcpy(&big, *at, sizeof(big));
	*at += sizeof(big);
	return be32toh(big);
}

static uint16_t fields_take(const uint8_t **at)
{
	uint16_t fields;
	memcpy(&fields, *at, sizeof(fields));
	*at += sizeof(fields);
	fields = be16toh(fields);
	assert(fields <= FIELDS_MAX);
	return fields;
}

static void row_send(struct pg_line *line, const char *statement, const uint8_t **at)
{
	const char *values[FIELDS_MAX];
	int lengths[FIELDS_MAX], formats[FIELDS_MAX];
	uint16_t fields = fields_take(at);
	for (uint16_t i = 0; i < fields; i++) {
		uint32_t length = take_32(at);
		formats[i] = 1;
		lengths[i] = length == UINT32_MAX ? 0 : (int)length;
		values[i] = length == UINT32_MAX ? NULL : (const char *)*at;
		*at += lengths[i];
	}
	pg_line_send(line, statement, 1, statement, fields, values, lengths, formats);
}

uint64_t pg_copy_in_line(struct pg_copy *copy, struct pg_line *line, const char *statement)
{
	const uint8_t *at = copy->bytes + PG_COPY_HEADER_BYTES;
	assert(copy->fields_left == 0);
	uint64_t rows = copy->rows;
	for (uint64_t i = 0; i < rows; i++)
		row_send(line, statement, &at);
	assert(at == copy->bytes + copy->length);
	free(copy->bytes);
	free(copy);
	return rows;
}

/* ---- columns ---- */

/* A field's length and bytes stand in an array as they stand in a row. */
static size_t field_bytes(const uint8_t *at, bool *null_r)
{
	uint32_t length = take_32(&at);
	*null_r = length == UINT32_MAX;
	return sizeof(length) + (*null_r ? 0 : length);
}

static void header_put(uint8_t *array, bool nulls, Oid type, uint64_t n)
{
	const uint32_t header[] = { htobe32(1), htobe32(nulls), htobe32(type), htobe32((uint32_t)n),
		htobe32(1) };
	memcpy(array, header, sizeof(header));
}

/* Copies column `which` of all rows to `array`; returns the bytes. */
static size_t column_copy(const struct pg_copy *copy, uint16_t which, Oid type, uint8_t *array)
{
	const uint8_t *at = copy->bytes + PG_COPY_HEADER_BYTES;
	size_t used = ARRAY_HEADER;
	bool nulls = false;
	for (uint64_t row = 0; row < copy->rows; row++) {
		uint16_t fields = fields_take(&at);
		for (uint16_t i = 0; i < fields; i++) {
			bool null;
			size_t n = field_bytes(at, &null);
			if (i == which) {
				memcpy(array + used, at, n);
				used += n;
				nulls = nulls || null;
			}
			at += n;
		}
	}
	header_put(array, nulls, type, copy->rows);
	return used;
}

uint64_t pg_copy_in_arrays(
	struct pg_copy *copy, struct pg_line *line, const char *statement, const Oid *types)
{
	const char *values[FIELDS_MAX];
	int lengths[FIELDS_MAX], formats[FIELDS_MAX];
	const uint8_t *at = copy->bytes + PG_COPY_HEADER_BYTES;
	uint64_t rows = copy->rows;
	uint16_t fields = rows == 0 ? 0 : fields_take(&at);
	uint8_t *arrays = malloc(copy->length + (size_t)fields * ARRAY_HEADER + 1);
	size_t used = 0;
	assert(copy->fields_left == 0);
	if (arrays == NULL)
		fatal("postgres: out of memory");
	for (uint16_t i = 0; i < fields; i++) {
		size_t n = column_copy(copy, i, types[i], arrays + used);
		values[i] = (const char *)arrays + used;
		lengths[i] = (int)n;
		formats[i] = 1;
		used += n;
	}
	if (rows > 0)
		pg_line_send(line, statement, (int64_t)rows, statement, fields, values, lengths,
			formats);
	free(arrays);
	free(copy->bytes);
	free(copy);
	return rows;
}
