#include "libcommon/io/numbered_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEX_BYTES ((size_t)2 * NUMBERED_KEY_BYTES)
#define LINE_ROOM 160
#define PATH_ROOM 1200

/* ---- reading ---- */

/* Digits only: no sign, no space before them. `end_r` is behind them. */
static bool read_number(char *from, uint64_t max, uint64_t *number_r, char **end_r)
{
	if (from[0] < '0' || from[0] > '9')
		return false;
	errno = 0;
	*number_r = strtoull(from, end_r, 10);
	return errno == 0 && *number_r <= max;
}

/* What follows the digits of a key: nothing (the key was always in use), or a space and seconds. */
static bool read_since(char *from, uint64_t *since_r)
{
	char *end;

	*since_r = 0;
	if (from[0] == '\0')
		return true;
	return from[0] == ' ' && read_number(from + 1, INT64_MAX, since_r, &end) && *end == '\0';
}

static bool read_line(struct numbered_keys *keys, char *line)
{
	struct numbered_key *key = &keys->key[keys->count];
	char *end;
	uint64_t number;
	size_t length;

	if (keys->count == NUMBERED_KEYS_MAX || !read_number(line, INT32_MAX, &number, &end) ||
		*end != ' ' || number == 0 ||
		(keys->count > 0 && number <= keys->key[keys->count - 1].number))
		return false;
	end++;
	end[strcspn(end, "\r\n")] = '\0';
	if (strlen(end) < HEX_BYTES || !read_since(end + HEX_BYTES, &key->since_s) ||
		sodium_hex2bin(
			key->bytes, sizeof(key->bytes), end, HEX_BYTES, NULL, &length, NULL) != 0 ||
		length != sizeof(key->bytes))
		return false;
	key->number = (uint32_t)number;
	keys->count++;
	return true;
}

static bool read_file(const char *path, FILE *file, struct numbered_keys *keys, char *error)
{
	char line[LINE_ROOM];
	int at = 0;
	bool good = true;

	while (good && fgets(line, sizeof(line), file)) {
		at++;
		good = line[0] == '#' || line[0] == '\n' || read_line(keys, line);
	}
	sodium_memzero(line, sizeof(line));
	if (good && keys->count > 0)
		return true;
	if (good)
		(void)snprintf(error, NUMBERED_KEYS_ERROR_MAX,
			"%.120s: found no key, expected lines of \"number hex64\"", path);
	else
		(void)snprintf(error, NUMBERED_KEYS_ERROR_MAX,
			"%.80s line %d: expected \"number hex64\" or "
			"\"number hex64 since\", numbers > 0 in rising order, at most %d keys",
			path, at, NUMBERED_KEYS_MAX);
	return false;
}

enum numbered_keys_status numbered_keys_load(
	const char *path, struct numbered_keys *keys_r, char *error)
{
	FILE *file = fopen(path, "re");
	struct stat about;
	bool good;

	memset(keys_r, 0, sizeof(*keys_r));
	if (!file) {
		(void)snprintf(error, NUMBERED_KEYS_ERROR_MAX, "%.180s: %s", path, strerror(errno));
		return errno == ENOENT ? NUMBERED_KEYS_MISSING : NUMBERED_KEYS_REFUSED;
	}
	(void)setvbuf(file, NULL, _IONBF, 0); /* a buffer would keep a copy of the keys */
	good = fstat(fileno(file), &about) == 0 && (about.st_mode & 077) == 0;
	if (!good)
		(void)snprintf(error, NUMBERED_KEYS_ERROR_MAX,
			"%.150s: found mode %03o, expected 600: others may read the keys", path,
			(unsigned)about.st_mode & 0777);
	good = good && read_file(path, file, keys_r, error);
	(void)fclose(file);
	if (good)
		return NUMBERED_KEYS_OK;
	sodium_memzero(keys_r, sizeof(*keys_r));
	return NUMBERED_KEYS_REFUSED;
}

/* ---- creating and replacing ---- */

static bool write_first(const char *temporary)
{
	uint8_t bytes[NUMBERED_KEY_BYTES];
	char hex[HEX_BYTES + 1], text[LINE_ROOM];
	int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), length;
	bool good;

	if (fd < 0)
		return false;
	randombytes_buf(bytes, sizeof(bytes));
	(void)sodium_bin2hex(hex, sizeof(hex), bytes, sizeof(bytes));
	length = snprintf(text, sizeof(text), "1 %s\n", hex);
	good = write(fd, text, (size_t)length) == length && fsync(fd) == 0;
	(void)close(fd);
	sodium_memzero(bytes, sizeof(bytes));
	sodium_memzero(hex, sizeof(hex));
	sodium_memzero(text, sizeof(text));
	return good;
}

bool numbered_keys_create(const char *path, char *error)
{
	char temporary[PATH_ROOM];
	bool good;

	(void)snprintf(temporary, sizeof(temporary), "%.1100s.%ld", path, (long)getpid());
	/* link, not rename: if several instances start at once, only one creates the key */
	good = write_first(temporary) && (link(temporary, path) == 0 || errno == EEXIST);
	if (!good)
		(void)snprintf(error, NUMBERED_KEYS_ERROR_MAX, "%.150s: cannot be written: %s",
			path, strerror(errno));
	(void)unlink(temporary);
	return good;
}

bool numbered_keys_changed(const char *path, struct stat *seen)
{
	struct stat now;
	bool same;

	if (stat(path, &now) != 0)
		return false;
	same = now.st_ino == seen->st_ino && now.st_size == seen->st_size &&
	       now.st_mtim.tv_sec == seen->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == seen->st_mtim.tv_nsec;
	*seen = now;
	return !same;
}

bool numbered_keys_follow(const char *path, const struct numbered_keys *fresh,
	const struct numbered_keys *known, char *error)
{
	for (size_t i = 0; i < known->count; i++) {
		const struct numbered_key *key = numbered_keys_find(fresh, known->key[i].number);

		if (key && sodium_memcmp(key->bytes, known->key[i].bytes, sizeof(key->bytes)) == 0)
			continue;
		(void)snprintf(error, NUMBERED_KEYS_ERROR_MAX,
			"%.120s: key %" PRIu32 " %s, expected every key that was in the file", path,
			known->key[i].number, key ? "differs" : "is missing");
		return false;
	}
	return true;
}

/* ---- choosing ---- */

const struct numbered_key *numbered_keys_current(const struct numbered_keys *keys, uint64_t now_s)
{
	size_t at = keys->count - 1;

	while (at > 0 && keys->key[at].since_s > now_s)
		at--;
	return &keys->key[at];
}

const struct numbered_key *numbered_keys_find(const struct numbered_keys *keys, uint32_t number)
{
	for (size_t i = 0; i < keys->count; i++)
		if (keys->key[i].number == number)
			return &keys->key[i];
	return NULL;
}
