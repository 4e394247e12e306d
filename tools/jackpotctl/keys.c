#include "tools/jackpotctl/keys.h"

#include "libcommon/io/chain_head.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/proof_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_ROOM 4200
#define FILE_ROOM 4096
#define DRAW_FILE "spin-engine.key"
#define DRAW_KEYS_MAX 16 /* what an engine reads */
#define KEY_BYTES 32

static bool say(const char *path, const char *found, const char *expected)
{
	fprintf(stderr, "jackpotctl: %s: found %s, expected %s\n", path, found, expected);
	return false;
}

/* The whole file, with room for one line more. */
static bool file_read(const char *path, char text_r[FILE_ROOM], struct stat *about_r)
{
	FILE *file = fopen(path, "re");
	size_t length;
	bool good;

	if (file == NULL)
		return say(path, strerror(errno), "the keys of the draws");
	(void)setvbuf(file, NULL, _IONBF, 0); /* a buffer would keep a copy of the keys */
	good = fstat(fileno(file), about_r) == 0;
	length = fread(text_r, 1, FILE_ROOM - 1, file);
	text_r[length] = '\0';
	(void)fclose(file);
	return (good && length > 0 && length < FILE_ROOM - 256) ||
	       say(path, "no keys, or too many bytes",
		       "lines of \"NUMBER HEX\", HEX being 64 hex digits");
}

/* A new file of the same owner, moved to the path: services never read half of it. */
static bool file_write(const char *path, const char *text, const struct stat *about)
{
	char temporary[PATH_ROOM + 32];
	size_t length = strlen(text);
	bool good;
	int fd;

	(void)snprintf(temporary, sizeof(temporary), "%s.%ld", path, (long)getpid());
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return say(temporary, strerror(errno), "a file that can be written");
	good = fchmod(fd, about->st_mode & 0777) == 0 &&
	       (geteuid() != 0 || fchown(fd, about->st_uid, about->st_gid) == 0) &&
	       write(fd, text, length) == (ssize_t)length && fsync(fd) == 0;
	(void)close(fd);
	good = good && rename(temporary, path) == 0;
	if (good)
		return true;
	(void)say(path, strerror(errno), "a file that can be written");
	(void)unlink(temporary);
	return false;
}

/* Number and time of the last key, and how many there are. */
static size_t keys_scan(const char *text, uint64_t *number_r, uint64_t *since_r)
{
	size_t n = 0;
	int skipped;

	for (; text != NULL && text[0] != '\0'; text = strchr(text, '\n')) {
		text += text[0] == '\n';
		skipped = 0;
		if (sscanf(text, "%" SCNu64 " %*64[0-9a-fA-F]%n", number_r, &skipped) != 1 ||
			skipped == 0)
			continue;
		n++;
		*since_r = text[skipped] == ' ' ? strtoull(text + skipped, NULL, 10) : 0;
	}
	return n;
}

bool keys_rotate_draw(uint64_t wait_s)
{
	char room[PATH_ROOM], text[FILE_ROOM], hex[2 * KEY_BYTES + 1];
	const char *path = proof_key_path(NULL, DRAW_FILE, room, sizeof(room));
	uint64_t now_s = clock_wall_us() / 1000000, number = 0, since = 0;
	uint8_t bytes[KEY_BYTES];
	struct stat about;
	size_t n, length;
	bool good;

	if (sodium_init() < 0 || !file_read(path, text, &about))
		return false;
	n = keys_scan(text, &number, &since);
	length = strlen(text);
	good = n == 0 ? say(path, "no key", "lines of \"NUMBER HEX\", HEX being 64 hex digits")
	       : n == DRAW_KEYS_MAX ? say(path, "16 keys", "at most 15 before another is added")
	       : since > now_s	    ? say(path, "a new key that is not used yet",
					      "one rotation at a time: wait until that key is used")
				    : true;
	if (good) {
		randombytes_buf(bytes, sizeof(bytes));
		(void)sodium_bin2hex(hex, sizeof(hex), bytes, sizeof(bytes));
		(void)snprintf(text + length, sizeof(text) - length,
			"%s%" PRIu64 " %s %" PRIu64 "\n", text[length - 1] == '\n' ? "" : "\n",
			number + 1, hex, now_s + wait_s);
		good = file_write(path, text, &about);
	}
	if (good)
		printf("key %" PRIu64 " of the draws will be used in %" PRIu64 " s; back up %s\n",
			number + 1, wait_s, path);
	sodium_memzero(bytes, sizeof(bytes));
	sodium_memzero(hex, sizeof(hex));
	sodium_memzero(text, sizeof(text));
	return good;
}

bool keys_rotate_heads(const char *heads)
{
	char room[PATH_ROOM], public_path[PATH_ROOM], error[CHAIN_ERROR_MAX];
	const char *path = proof_key_path(NULL, CHAIN_KEY_FILE, room, sizeof(room));
	struct chain_publics keys;

	(void)snprintf(public_path, sizeof(public_path), "%.4000s/" CHAIN_PUBLIC_FILE, heads);
	if (sodium_init() < 0 || !chain_key_rotate(path, public_path, clock_wall_us(), error) ||
		!chain_publics_read(public_path, &keys, error)) {
		fprintf(stderr, "jackpotctl: %s\n", error);
		return false;
	}
	printf("key %zu of the heads signs the next heads; back up %s and copy %s\n", keys.n, path,
		public_path);
	return true;
}
