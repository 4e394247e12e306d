/* Opening and bounding the logs of the programs. */
#include "tools/carillon-supervisor/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/carillon-supervisor/config.h"

enum { PATH_ROOM = SUP_NAME_MAX + 16, COPY_BYTES = 64 * 1024, MODE = 0640 };

static void log_path(const char *name, const char *ending, char out[PATH_ROOM])
{
	(void)snprintf(out, PATH_ROOM, "log/%.*s.log%s", SUP_NAME_MAX, name, ending);
}

int sup_log_open(const char *name)
{
	char path[PATH_ROOM];

	log_path(name, "", path);
	return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, MODE);
}

static bool write_whole(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, bytes, length);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			bytes += n;
			length -= (size_t)n;
		}
	}
	return true;
}

/* Up to the end, which the program may move meanwhile. */
static bool copy(int from, int to)
{
	static char bytes[COPY_BYTES];
	ssize_t n;

	while ((n = read(from, bytes, sizeof(bytes))) != 0)
		if ((n < 0 && errno != EINTR) || (n > 0 && !write_whole(to, bytes, (size_t)n)))
			return false;
	return true;
}

static enum sup_log_status rotate(const char *path, const char *old)
{
	int from = open(path, O_RDWR | O_CLOEXEC);
	int to = from < 0 ? -1 : open(old, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, MODE);
	bool emptied = to >= 0 && copy(from, to) && ftruncate(from, 0) == 0;
	int error = errno;

	if (to >= 0)
		(void)close(to);
	if (from >= 0)
		(void)close(from);
	if (emptied)
		return SUP_LOG_EMPTIED;
	(void)unlink(old);
	errno = error;
	return SUP_LOG_NOT_COPIED;
}

enum sup_log_status sup_log_bound(const char *name, int64_t bytes_max)
{
	char path[PATH_ROOM], old[PATH_ROOM];
	struct stat st;

	log_path(name, "", path);
	log_path(name, ".1", old);
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= bytes_max)
		return SUP_LOG_OK;
	return rotate(path, old);
}
