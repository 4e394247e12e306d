#include "libcommon/io/key_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define PATH_BYTES 1400

static __attribute__((format(printf, 3, 4))) bool say(
	char *error, size_t room, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(error, room, format, arguments);
	va_end(arguments);
	return false;
}

bool key_file_closed(const char *path, const struct stat *about, char *error, size_t room)
{
	if ((about->st_mode & 077) != 0)
		return say(error, room,
			"%.150s: found mode %o, expected %o, because only its owner "
			"may read it",
			path, (unsigned)about->st_mode & 0777u,
			S_ISDIR(about->st_mode) ? 0700u : 0600u);
	if (about->st_uid != geteuid() && about->st_uid != 0 && geteuid() != 0)
		return say(error, room, "%.150s: found the owner %u, expected %u or root", path,
			(unsigned)about->st_uid, (unsigned)geteuid());
	return true;
}

/* A file that is replaced at this moment may be gone. */
static bool entry_closed(int folder, const char *path, const char *name, char *error, size_t room)
{
	char whole[PATH_BYTES];
	struct stat about;
	if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT || say(error, room, "%.150s: %s", path, strerror(errno));
	(void)snprintf(whole, sizeof(whole), "%.1000s/%.255s", path, name);
	if (!S_ISREG(about.st_mode))
		return say(error, room, "%.150s: found a %s, expected a file", whole,
			S_ISDIR(about.st_mode)	 ? "folder"
			: S_ISLNK(about.st_mode) ? "link"
						 : "thing that is not a file");
	return key_file_closed(whole, &about, error, room);
}

bool key_files_closed(const char *folder, const char *service, char *error, size_t room)
{
	char path[PATH_BYTES];
	struct stat about;
	(void)snprintf(path, sizeof(path), "%.1000s/%.48s", folder, service);
	DIR *files = opendir(path);
	if (files == NULL)
		return say(error, room,
			"%.150s: %s, expected the folder of the keys of %.48s (scripts/keys.sh "
			"makes it)",
			path, strerror(errno), service);
	bool good = fstat(dirfd(files), &about) == 0 && key_file_closed(path, &about, error, room);
	for (const struct dirent *entry; good && (entry = readdir(files)) != NULL;)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			good = entry_closed(dirfd(files), path, entry->d_name, error, room);
	(void)closedir(files);
	return good;
}

/* A program that is not dumpable belongs to root under /proc. A sanitizer must read it. */
static bool keep_to_itself(void)
{
	static const struct rlimit none = { 0, 0 };
	bool good =
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && setrlimit(RLIMIT_CORE, &none) == 0;
#ifndef __SANITIZE_ADDRESS__
	good = good && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
#endif
	return good;
}

bool key_files_begin(const char *folder, const char *service, char *error, size_t room)
{
	if (!keep_to_itself())
		return say(
			error, room, "the process cannot be closed to others: %s", strerror(errno));
	return key_files_closed(folder, service, error, room);
}
