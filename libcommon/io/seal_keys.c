#include "libcommon/io/seal_keys.h"

#include "libcommon/io/key_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX 65536
#define LINE_MAX_BYTES 256
#define NUMBER_MAX 65535
#define PATH_BYTES 1200

static __attribute__((format(printf, 2, 3))) bool say(char *error, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(error, SEAL_ERROR_MAX, format, arguments);
	va_end(arguments);
	return false;
}

/* A key for one purpose and one direction, so that no key serves two. */
static void derive(uint8_t out[SEAL_KEY_BYTES], const char *purpose, const char *from,
	const char *to, const uint8_t key[SEAL_KEY_BYTES])
{
	char text[3 * LINE_MAX_BYTES];
	int n = snprintf(text, sizeof(text), "carillon %s 1 %s %s", purpose, from, to);
	(void)crypto_generichash(out, SEAL_KEY_BYTES, (const unsigned char *)text,
		(unsigned long long)n, key, SEAL_KEY_BYTES);
}

struct line {
	char from[SEAL_NAME_BYTES], to[SEAL_NAME_BYTES], hex[2 * SEAL_KEY_BYTES + 2];
	uint64_t number, since_s;
};

static bool line_split(const char *text, struct line *line)
{
	int end = 0;
	return sscanf(text, "%23s %23s %" SCNu64 " %65s %" SCNu64 "%n", line->from, line->to,
		       &line->number, line->hex, &line->since_s, &end) == 5 &&
	       text[end] == '\0' && line->number >= 1 && line->number <= NUMBER_MAX &&
	       strlen(line->hex) == 2 * (size_t)SEAL_KEY_BYTES;
}

static bool line_read(const char *text, const char *service, struct seal_key *key_r)
{
	struct line line;
	uint8_t bytes[SEAL_KEY_BYTES];
	size_t n = 0;
	bool ok = line_split(text, &line) &&
		  sodium_hex2bin(
			  bytes, sizeof(bytes), line.hex, strlen(line.hex), NULL, &n, NULL) == 0 &&
		  n == sizeof(bytes);
	*key_r = (struct seal_key){ 0 };
	if (ok) {
		key_r->from_us = strcmp(line.from, service) == 0;
		key_r->to_us = strcmp(line.to, service) == 0;
		ok = key_r->from_us || key_r->to_us;
		key_r->number = (uint32_t)line.number;
		key_r->since_s = line.since_s;
		memcpy(key_r->with, key_r->from_us ? line.to : line.from, SEAL_NAME_BYTES);
		derive(key_r->parcel, "parcel", line.from, line.to, bytes);
		derive(key_r->event, "event", line.from, line.to, bytes);
	}
	sodium_memzero(&line, sizeof(line));
	sodium_memzero(bytes, sizeof(bytes));
	return ok;
}

static bool lines_read(
	const char *text, size_t n, const char *service, struct seal_keys *keys_r, char *error)
{
	char line[LINE_MAX_BYTES];
	size_t at = 0;
	for (size_t number = 1; at < n; number++) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t length = end == NULL ? n - at : (size_t)(end - (text + at));
		bool ok = length < sizeof(line) && memchr(text + at, '\0', length) == NULL;
		bool too_many = false;
		if (ok && length > 0) {
			memcpy(line, text + at, length);
			line[length] = '\0';
			if (keys_r->n < SEAL_KEYS_MAX)
				ok = line_read(line, service, &keys_r->key[keys_r->n++]);
			else
				too_many = true;
		}
		sodium_memzero(line, sizeof(line));
		if (too_many)
			return say(error,
				"line %zu: found a further line, expected at most %d keys", number,
				SEAL_KEYS_MAX);
		if (!ok)
			return say(error,
				"line %zu: found %zu characters that are not a key of %.23s, "
				"expected \"SENDER RECEIVER NUMBER HEX SINCE\"",
				number, length, service);
		at += length + 1;
	}
	return keys_r->n > 0 || say(error, "found no key, expected one key per line");
}

bool seal_keys_parse(
	const char *text, size_t n, const char *service, struct seal_keys *keys_r, char *error)
{
	keys_r->n = 0;
	if (lines_read(text, n, service, keys_r, error))
		return true;
	sodium_memzero(keys_r, sizeof(*keys_r));
	return false;
}

const struct seal_key *seal_key_out(const struct seal_keys *keys, const char *to, uint64_t now_s)
{
	const struct seal_key *best = NULL, *first = NULL;
	for (size_t i = 0; i < keys->n; i++) {
		const struct seal_key *key = &keys->key[i];
		if (!key->from_us || strcmp(key->with, to) != 0)
			continue;
		if (first == NULL || key->since_s < first->since_s)
			first = key;
		if (key->since_s <= now_s && (best == NULL || key->since_s > best->since_s))
			best = key;
	}
	return best != NULL ? best : first;
}

const struct seal_key *seal_key_in(const struct seal_keys *keys, const char *from, uint32_t number)
{
	for (size_t i = 0; i < keys->n; i++) {
		const struct seal_key *key = &keys->key[i];
		if (key->to_us && key->number == number && strcmp(key->with, from) == 0)
			return key;
	}
	return NULL;
}

/* ---- the file ---- */

static bool file_read(int fd, const char *service, struct seal_keys *keys_r, char *error)
{
	char *text = malloc(FILE_BYTES_MAX);
	ssize_t n = 0, more = 1;
	bool ok;
	if (text == NULL)
		return say(error, "out of memory");
	while (n < FILE_BYTES_MAX && more > 0)
		n += more = read(fd, text + n, (size_t)(FILE_BYTES_MAX - n));
	ok = more == 0 ? seal_keys_parse(text, (size_t)n, service, keys_r, error)
		       : say(error, "the file cannot be read, or has more than %d bytes",
				 FILE_BYTES_MAX);
	sodium_memzero(text, FILE_BYTES_MAX);
	free(text);
	return ok;
}

static bool same(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool seal_keys_load(const char *folder, const char *service, struct timespec *changed,
	struct seal_keys *keys_r, bool *changed_r, char *error)
{
	char path[PATH_BYTES], why[SEAL_ERROR_MAX];
	struct stat about;
	*changed_r = false;
	(void)snprintf(path, sizeof(path), "%.1000s/%s", folder, service);
	if (stat(path, &about) != 0)
		return say(error, "%.150s: %s; to make it, run scripts/bus-keys.sh make", path,
			strerror(errno));
	if (!key_file_closed(path, &about, error, SEAL_ERROR_MAX))
		return false;
	(void)snprintf(path, sizeof(path), "%.1000s/%s/bus.keys", folder, service);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &about) != 0) {
		(void)say(error, "%.150s: %s; to make it, run scripts/bus-keys.sh make", path,
			strerror(errno));
		if (fd >= 0)
			(void)close(fd);
		return false;
	}
	bool ok = key_file_closed(path, &about, error, SEAL_ERROR_MAX);
	*changed_r = ok && !same(changed, &about.st_mtim);
	if (*changed_r) {
		ok = file_read(fd, service, keys_r, why) || say(error, "%.100s: %.150s", path, why);
		*changed_r = ok;
		if (ok)
			*changed = about.st_mtim;
	}
	(void)close(fd);
	return ok;
}
