/* Files of exported rows. */
#include "tools/jackpotctl/archive_file.h"

#include "libcommon/base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define CHUNK_BYTES 65536
#define DIGEST_BYTES 32
#define PART_ROOM (ARCHIVE_PATH_ROOM + 8)

static bool told(const char *what, const char *why)
{
	fprintf(stderr, "jackpotctl: %s: %s\n", what, why);
	return false;
}

static void digest_end(struct sha256 *state, char text_r[ARCHIVE_DIGEST_ROOM])
{
	uint8_t digest[DIGEST_BYTES];

	sha256_end(state, digest);
	for (size_t i = 0; i < DIGEST_BYTES; i++)
		(void)snprintf(text_r + 2 * i, 3, "%02x", digest[i]);
}

static void part_of(const struct archive_file *file, char part_r[PART_ROOM])
{
	(void)snprintf(part_r, PART_ROOM, "%s.part", file->path);
}

/* All rows into the file; what went in is digested on the way. */
static bool copy_out(
	PGconn *conn, const char *rows, gzFile out, struct sha256 *state, uint64_t *bytes_r)
{
	char *row;
	int length;

	*bytes_r = 0;
	while ((length = PQgetCopyData(conn, &row, 0)) > 0) {
		bool written = gzwrite(out, row, (unsigned)length) == length;
		sha256_add(state, row, (size_t)length);
		*bytes_r += (uint64_t)length;
		PQfreemem(row);
		if (!written)
			return told("archive", strerror(errno));
	}
	PGresult *result = PQgetResult(conn);
	bool whole = length == -1 && PQresultStatus(result) == PGRES_COMMAND_OK &&
		     strcmp(PQcmdTuples(result), rows) == 0;
	if (!whole)
		(void)told("export", PQresultStatus(result) == PGRES_COMMAND_OK
					     ? "rows that differ from those at the close"
					     : PQerrorMessage(conn));
	PQclear(result);
	while ((result = PQgetResult(conn)) != NULL)
		PQclear(result);
	return whole;
}

static bool synced(const char *path, int flags)
{
	int fd = open(path, flags);
	bool good = fd >= 0 && fsync(fd) == 0;

	if (!good)
		(void)told(path, strerror(errno));
	if (fd >= 0)
		(void)close(fd);
	return good;
}

bool archive_folder(const char *folder)
{
	return mkdir(folder, 0750) == 0 || errno == EEXIST || told(folder, strerror(errno));
}

bool archive_write(PGconn *conn, const char *copy, const char *rows, const char *folder,
	const char *name, struct archive_file *file_r)
{
	char part[PART_ROOM];
	struct sha256 state;
	bool written;

	(void)snprintf(file_r->path, sizeof(file_r->path), "%.3900s/%s.copy.gz", folder, name);
	part_of(file_r, part);
	gzFile out = gzopen(part, "wb6");
	if (out == NULL)
		return told(part, strerror(errno));
	sha256_begin(&state);
	PGresult *result = PQexec(conn, copy);
	written = PQresultStatus(result) == PGRES_COPY_OUT;
	if (!written)
		(void)told("export", PQerrorMessage(conn));
	PQclear(result);
	written = written && copy_out(conn, rows, out, &state, &file_r->bytes);
	if (gzclose(out) != Z_OK && written)
		written = told(part, "could not be closed");
	digest_end(&state, file_r->digest);
	return written && synced(part, O_RDONLY | O_CLOEXEC) &&
	       archive_proven(part, file_r->digest);
}

bool archive_settle(const char *folder, const struct archive_file *file)
{
	char part[PART_ROOM];

	part_of(file, part);
	return (rename(part, file->path) == 0 || told(file->path, strerror(errno))) &&
	       synced(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool archive_proven(const char *path, const char *digest)
{
	static uint8_t chunk[CHUNK_BYTES];
	char found[ARCHIVE_DIGEST_ROOM];
	struct sha256 state;
	gzFile in = gzopen(path, "rb");
	int n;
	int error;

	if (in == NULL)
		return told(path, errno == 0 ? "out of memory" : strerror(errno));
	sha256_begin(&state);
	while ((n = gzread(in, chunk, CHUNK_BYTES)) > 0)
		sha256_add(&state, chunk, (size_t)n);
	(void)gzerror(in, &error);
	(void)gzclose(in);
	digest_end(&state, found);
	if (n < 0 || (error != Z_OK && error != Z_STREAM_END))
		return told(path, "cannot be read back");
	if (strcmp(found, digest) != 0) {
		fprintf(stderr, "jackpotctl: %s: found digest %s, expected %s\n", path, found,
			digest);
		return false;
	}
	return true;
}
