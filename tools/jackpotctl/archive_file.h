/* Rows exported into a file that is proven before anybody relies on it: compressed, digested on the
 * way, read back and compared. Failures are told on stderr. */
#ifndef CARILLON_JACKPOTCTL_ARCHIVE_FILE_H
#define CARILLON_JACKPOTCTL_ARCHIVE_FILE_H

#include <libpq-fe.h>

#include <stdbool.h>
#include <stdint.h>

#define ARCHIVE_PATH_ROOM 4096
#define ARCHIVE_DIGEST_ROOM 65 /* SHA-256 in hex */

struct archive_file {
	char path[ARCHIVE_PATH_ROOM];
	char digest[ARCHIVE_DIGEST_ROOM]; /* of what is in it, before it was compressed */
	uint64_t bytes;			  /* likewise */
};

/* The folder, made where it is missing. */
bool archive_folder(const char *folder);
/* copy: a "copy .. to stdout" of so many rows, which go into folder/name.part and are read back. */
bool archive_write(PGconn *conn, const char *copy, const char *rows, const char *folder,
	const char *name, struct archive_file *file_r);
/* The file gets its name and is on the disk. */
bool archive_settle(const char *folder, const struct archive_file *file);
/* The file holds what its digest says. */
bool archive_proven(const char *path, const char *digest);

#endif
