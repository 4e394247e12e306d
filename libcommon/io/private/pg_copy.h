/* The encoder of COPY BINARY, separate from the connection so that tests can check its bytes. */
#ifndef CARILLON_IO_PRIVATE_PG_COPY_H
#define CARILLON_IO_PRIVATE_PG_COPY_H

#include "libcommon/io/pg.h"

#define PG_COPY_FLUSH_BYTES ((size_t)64 << 10)
#define PG_COPY_HEADER_BYTES 19 /* before the first row */

struct pg_copy {
	PGconn *conn; /* NULL for a line, and in tests: nothing is sent, the buffer grows */
	uint8_t *bytes;
	size_t length, room;
	uint64_t rows;
	int fields_left; /* of the current row */
	bool sent;
	char table[128]; /* for messages */
};

/* Writes the header into an empty buffer. */
void pg_copy_init(struct pg_copy *copy, PGconn *conn, const char *table);

#endif
