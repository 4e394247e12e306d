/* What every service does with its keys and with itself before it reads a key: it makes sure that
 * nobody else can read its folder of keys, and gives up what it does not need. */
#ifndef CARILLON_IO_KEY_FILES_H
#define CARILLON_IO_KEY_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#define KEY_FILES_ERROR_MAX 320

/* May nobody but the owner read the file or folder, and is the owner this process's user or root?
 * (Root itself may read those of others.) If not: false, and error says what was found and what is
 * expected. */
bool key_file_closed(const char *path, const struct stat *about, char *error, size_t room);

/* Checks <folder>/<service> and each file in it as key_file_closed does. A folder or a link in it
 * is refused. On failure: false, with error set. */
bool key_files_closed(const char *folder, const char *service, char *error, size_t room);

/* The start of a service: from now on no program that it starts has more power than it has, its
 * memory is never written to a core file, and no other process of its user can read that memory.
 * Then key_files_closed. On failure: false, with error set. */
bool key_files_begin(const char *folder, const char *service, char *error, size_t room);

#endif
