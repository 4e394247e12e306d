#include "tools/jackpotctl/keys.h"

#include "libcommon/io/chain_head.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/numbered_keys.h"
#include "libcommon/io/proof_stream.h"
#include "tools/jackpotctl/rows_print.h"

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
#define CARDS_FILE "jackpot-cards.key"

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
		return say(path, strerror(errno), "a file of keys");
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

static bool may_rotate(
	const char *path, const char *what, const struct numbered_keys *keys, uint64_t now_s)
{
	if (keys->count == NUMBERED_KEYS_MAX)
		return say(path, "16 keys", "at most 15 before another is added");
	if (keys->key[keys->count - 1].since_s <= now_s)
		return true;
	fprintf(stderr,
		"jackpotctl: %s: found a new key of the %s that is not used yet, expected one "
		"rotation at a time: wait %" PRIu64 " s\n",
		path, what, keys->key[keys->count - 1].since_s - now_s);
	return false;
}

/* A line with this key after those of the file, whose comments stay. */
static bool key_add(const char *path, uint32_t number, uint64_t since_s)
{
	char text[FILE_ROOM], hex[2 * NUMBERED_KEY_BYTES + 1];
	uint8_t bytes[NUMBERED_KEY_BYTES];
	struct stat about;
	size_t length;
	bool good = file_read(path, text, &about);

	if (good) {
		length = strlen(text);
		randombytes_buf(bytes, sizeof(bytes));
		(void)sodium_bin2hex(hex, sizeof(hex), bytes, sizeof(bytes));
		(void)snprintf(text + length, sizeof(text) - length,
			"%s%" PRIu32 " %s %" PRIu64 "\n", text[length - 1] == '\n' ? "" : "\n",
			number, hex, since_s);
		good = file_write(path, text, &about);
	}
	sodium_memzero(bytes, sizeof(bytes));
	sodium_memzero(hex, sizeof(hex));
	sodium_memzero(text, sizeof(text));
	return good;
}

/* What the service would refuse is not added to. */
static bool numbered_rotate(
	const char *service, const char *name, const char *what, uint64_t wait_s, bool json)
{
	char room[PATH_ROOM], error[NUMBERED_KEYS_ERROR_MAX];
	const char *path = proof_key_path(NULL, service, name, room, sizeof(room));
	uint64_t now_s = clock_wall_us() / 1000000;
	uint32_t number = 0;
	struct numbered_keys keys;
	bool good;

	if (sodium_init() < 0)
		return false;
	good = numbered_keys_load(path, &keys, error) == NUMBERED_KEYS_OK;
	if (!good)
		fprintf(stderr, "jackpotctl: keys of the %s: %s\n", what, error);
	good = good && may_rotate(path, what, &keys, now_s);
	if (good)
		number = keys.key[keys.count - 1].number + 1;
	sodium_memzero(&keys, sizeof(keys));
	if (!good || !key_add(path, number, now_s + wait_s))
		return false;
	return outcome_print(json, true, json_pack("{s:I}", "key", (json_int_t)number),
		"key %" PRIu32 " of the %s is used from %" PRIu64 " s from now on; back up %s",
		number, what, wait_s, path);
}

bool keys_rotate_draw(uint64_t wait_s, bool json)
{
	return numbered_rotate("spin-engine", DRAW_FILE, "draws", wait_s, json);
}

bool keys_rotate_cards(uint64_t wait_s, bool json)
{
	return numbered_rotate("jackpot-cards", CARDS_FILE, "cards", wait_s, json);
}

bool keys_rotate_heads(const char *heads, bool json)
{
	char room[PATH_ROOM], public_path[PATH_ROOM], error[CHAIN_ERROR_MAX];
	const char *path = proof_key_path(NULL, "wallet", CHAIN_KEY_FILE, room, sizeof(room));
	struct chain_publics keys;

	(void)snprintf(public_path, sizeof(public_path), "%.4000s/" CHAIN_PUBLIC_FILE, heads);
	if (sodium_init() < 0 || !chain_key_rotate(path, public_path, clock_wall_us(), error) ||
		!chain_publics_read(public_path, &keys, error)) {
		fprintf(stderr, "jackpotctl: %s\n", error);
		return false;
	}
	return outcome_print(json, true, json_pack("{s:I}", "key", (json_int_t)keys.n),
		"key %zu of the heads signs the next heads; back up %s and copy %s", keys.n, path,
		public_path);
}
