#include "tools/jackpotctl/archive_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SIGNATURE "PGCOPY\n\377\r\n"
#define SIGNATURE_BYTES 11 /* with its final zero */
#define ROW_BYTES_MAX (1U << 20)

struct archive_rows {
	gzFile file;  /* else */
	PGconn *conn; /* a chunk at a time */
	char *chunk;
	size_t chunk_n, chunk_at;
	bool begun;
};

static struct archive_rows *rows_new(void)
{
	struct archive_rows *rows = calloc(1, sizeof(*rows));

	if (rows == NULL) {
		fprintf(stderr, "jackpotctl: out of memory\n");
		exit(2);
	}
	return rows;
}

struct archive_rows *archive_rows_file(const char *path)
{
	gzFile file = gzopen(path, "rb");
	struct archive_rows *rows;

	if (file == NULL)
		return NULL;
	rows = rows_new();
	rows->file = file;
	return rows;
}

struct archive_rows *archive_rows_query(PGconn *conn, const char *copy)
{
	PGresult *result = PQexec(conn, copy);
	bool good = PQresultStatus(result) == PGRES_COPY_OUT;
	struct archive_rows *rows;

	PQclear(result);
	if (!good)
		return NULL;
	rows = rows_new();
	rows->conn = conn;
	return rows;
}

void archive_rows_free(struct archive_rows **rows)
{
	PGresult *result;
	char *chunk;

	if (*rows == NULL)
		return;
	if ((*rows)->file != NULL)
		(void)gzclose((*rows)->file);
	PQfreemem((*rows)->chunk);
	if ((*rows)->conn != NULL) {
		while (PQgetCopyData((*rows)->conn, &chunk, 0) > 0)
			PQfreemem(chunk);
		while ((result = PQgetResult((*rows)->conn)) != NULL)
			PQclear(result);
	}
	free(*rows);
	*rows = NULL;
}

/* ---- bytes ---- */

static bool chunk_next(struct archive_rows *rows)
{
	int length;

	PQfreemem(rows->chunk);
	rows->chunk = NULL;
	length = PQgetCopyData(rows->conn, &rows->chunk, 0);
	rows->chunk_n = length > 0 ? (size_t)length : 0;
	rows->chunk_at = 0;
	return length > 0;
}

static bool take(struct archive_rows *rows, void *out, size_t n)
{
	uint8_t *to = out;

	if (rows->file != NULL)
		return gzread(rows->file, out, (unsigned)n) == (int)n;
	while (n > 0) {
		size_t left = rows->chunk_n - rows->chunk_at;
		size_t some = left < n ? left : n;

		if (left == 0) {
			if (!chunk_next(rows))
				return false;
			continue;
		}
		memcpy(to, rows->chunk + rows->chunk_at, some);
		rows->chunk_at += some;
		to += some;
		n -= some;
	}
	return true;
}

static int64_t number_of(const uint8_t *bytes, size_t length)
{
	uint64_t value = length > 0 && (bytes[0] & 0x80) != 0 ? UINT64_MAX : 0;

	for (size_t i = 0; i < length; i++)
		value = value << 8 | bytes[i];
	return (int64_t)value;
}

static bool take_number(struct archive_rows *rows, size_t bytes, int32_t *value_r)
{
	uint8_t at[4];

	if (!take(rows, at, bytes))
		return false;
	*value_r = (int32_t)number_of(at, bytes);
	return true;
}

/* ---- rows ---- */

static bool header_taken(struct archive_rows *rows)
{
	char signature[SIGNATURE_BYTES];
	uint8_t byte;
	int32_t flags, length;

	if (!take(rows, signature, sizeof(signature)) ||
		memcmp(signature, SIGNATURE, sizeof(signature)) != 0 ||
		!take_number(rows, 4, &flags) || flags != 0 || !take_number(rows, 4, &length) ||
		length < 0)
		return false;
	for (int32_t i = 0; i < length; i++)
		if (!take(rows, &byte, 1))
			return false;
	rows->begun = true;
	return true;
}

static bool field_taken(struct archive_rows *rows, struct archive_row *row)
{
	struct archive_field *field = &row->field[row->fields_n];
	size_t need;

	if (!take_number(rows, 4, &field->length) || field->length < -1)
		return false;
	field->at = row->used;
	need = row->used + (field->length > 0 ? (size_t)field->length : 0);
	if (need > ROW_BYTES_MAX)
		return false;
	if (need > row->room) {
		row->room = 2 * need;
		row->bytes = realloc(row->bytes, row->room);
		if (row->bytes == NULL) {
			fprintf(stderr, "jackpotctl: out of memory\n");
			exit(2);
		}
	}
	if (need > row->used && !take(rows, row->bytes + row->used, need - row->used))
		return false;
	row->used = need;
	row->fields_n++;
	return true;
}

bool archive_rows_next(struct archive_rows *rows, struct archive_row *row, bool *whole_r)
{
	int32_t fields;

	*whole_r = false;
	row->fields_n = row->used = 0;
	if (!rows->begun && !header_taken(rows))
		return false;
	if (!take_number(rows, 2, &fields))
		return false;
	if (fields == -1) {
		*whole_r = true;
		return false;
	}
	if (fields < 1 || fields > ARCHIVE_FIELDS_MAX)
		return false;
	while (row->fields_n < (size_t)fields)
		if (!field_taken(rows, row))
			return false;
	return true;
}

const uint8_t *archive_row_bytes(const struct archive_row *row, size_t field)
{
	return row->bytes + row->field[field].at;
}

int64_t archive_row_number(const struct archive_row *row, size_t field)
{
	int32_t length = field < row->fields_n ? row->field[field].length : -1;

	return length == 2 || length == 4 || length == 8
		       ? number_of(archive_row_bytes(row, field), (size_t)length)
		       : 0;
}

bool archive_row_same(const struct archive_row *one, const struct archive_row *other, size_t field)
{
	int32_t length = one->field[field].length;

	return length == other->field[field].length &&
	       (length <= 0 || memcmp(archive_row_bytes(one, field),
				       archive_row_bytes(other, field), (size_t)length) == 0);
}
