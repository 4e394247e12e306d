/* Rows of Postgres' binary COPY, from a file of the archive or from the database. */
#ifndef CARILLON_JACKPOTCTL_ARCHIVE_ROWS_H
#define CARILLON_JACKPOTCTL_ARCHIVE_ROWS_H

#include <libpq-fe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCHIVE_FIELDS_MAX 64

struct archive_field {
	size_t at;	/* in the row's bytes */
	int32_t length; /* -1: null */
};

struct archive_row {
	size_t fields_n;
	struct archive_field field[ARCHIVE_FIELDS_MAX];
	uint8_t *bytes; /* malloc'ed; kept from row to row */
	size_t room, used;
};

struct archive_rows;

/* Opens a compressed file, or begins a "copy .. to stdout (format binary)". NULL: errno or the
 * connection says why. */
struct archive_rows *archive_rows_file(const char *path);
struct archive_rows *archive_rows_query(PGconn *conn, const char *copy);
/* Reads the next row. False: there is none; *whole_r then says whether the end was reached, or the
 * bytes are no rows. */
bool archive_rows_next(struct archive_rows *rows, struct archive_row *row, bool *whole_r);
void archive_rows_free(struct archive_rows **rows);

/* A whole number of 2, 4 or 8 bytes; 0 if the field is null or of another length. */
int64_t archive_row_number(const struct archive_row *row, size_t field);
const uint8_t *archive_row_bytes(const struct archive_row *row, size_t field);
bool archive_row_same(const struct archive_row *one, const struct archive_row *other, size_t field);

#endif
