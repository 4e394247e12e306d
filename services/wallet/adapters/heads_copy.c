#include "services/wallet/adapters/heads_copy.h"

#include "libcommon/io/chain_head.h"
#include "libcommon/io/log.h"
#include "libcommon/io/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK 65536

/* A file that only grows, and its copy. */
struct copied {
	char from[SETTING_TEXT_MAX + 128], to[SETTING_TEXT_MAX + 128];
	off_t at;   /* of `from`; all before it is copied */
	bool known; /* is `at`? It follows from the copy's size; instances share the public keys */
	bool shared;
};

static struct copied heads, publics;

static void names_set(struct copied *copied, const char *folder, const char *copy, const char *name)
{
	(void)snprintf(copied->from, sizeof(copied->from), "%s/%s", folder, name);
	(void)snprintf(copied->to, sizeof(copied->to), "%s/%s", copy, name);
}

void heads_copy_start(const char *folder, const char *copy, const char *instance)
{
	char name[128];

	if (folder[0] == '\0' || copy[0] == '\0')
		return;
	(void)snprintf(name, sizeof(name), "%.100s.heads", instance);
	names_set(&heads, folder, copy, name);
	names_set(&publics, folder, copy, CHAIN_PUBLIC_FILE);
	publics.shared = true;
}

static bool alarm_raise(const struct copied *copied, const char *why)
{
	log_error_as(
		"wallet.heads_copy.failed", "ALARM WALLET_HEADS_COPY: %s: %s", copied->to, why);
	return false;
}

/* Where to go on: at the copy's end, which must be the end of a line of the first file. */
static bool place_find(struct copied *copied, int from, int to)
{
	struct stat first, second;
	char last = '\n';

	if (fstat(from, &first) != 0 || fstat(to, &second) != 0)
		return alarm_raise(copied, strerror(errno));
	if (copied->known && !copied->shared && first.st_size >= copied->at)
		return true;
	copied->at = second.st_size;
	copied->known = true;
	if (second.st_size <= first.st_size &&
		(second.st_size == 0 ||
			(pread(from, &last, 1, second.st_size - 1) == 1 && last == '\n')))
		return true;
	copied->at = first.st_size;
	return alarm_raise(copied, "the copy has lines that the first file does not have: lines "
				   "were removed there");
}

static bool bytes_copy(struct copied *copied, int from, int to)
{
	char bytes[CHUNK];
	ssize_t got, put;

	while ((got = pread(from, bytes, sizeof(bytes), copied->at)) > 0) {
		put = write(to, bytes, (size_t)got);
		if (put > 0)
			copied->at += put;
		if (put != got)
			return alarm_raise(copied, put < 0 ? strerror(errno) : "no space");
	}
	return (got == 0 && fdatasync(to) == 0) || alarm_raise(copied, strerror(errno));
}

static void copy(struct copied *copied)
{
	int from, to;

	if (copied->to[0] == '\0')
		return;
	from = open(copied->from, O_RDONLY | O_CLOEXEC);
	to = open(copied->to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (from < 0 || to < 0 || flock(to, LOCK_EX) != 0)
		(void)alarm_raise(copied, strerror(errno));
	else if (place_find(copied, from, to))
		(void)bytes_copy(copied, from, to);
	if (to >= 0)
		(void)close(to);
	if (from >= 0)
		(void)close(from);
}

void heads_copy_due(void)
{
	copy(&publics);
	copy(&heads);
}
