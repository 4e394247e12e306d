#include "services/spin-engine/adapters/keys.h"

#include "libcommon/base/sha256.h"
#include "libcommon/io/clock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct key {
	uint32_t number;
	uint64_t since_s; /* makes salts from then on */
	struct hmac256 hmac;
};

/* Allocated with sodium_malloc: locked, guarded, wiped when freed. */
struct keys {
	size_t count;
	struct key key[KEYS_MAX];
};

static struct keys *keys_new(void)
{
	struct keys *keys = sodium_malloc(sizeof(*keys));

	if (keys)
		memset(keys, 0, sizeof(*keys));
	return keys;
}

void keys_free(struct keys **keys)
{
	sodium_free(*keys);
	*keys = NULL;
}

struct keys *keys_of(const uint8_t bytes[SECRET_BYTES])
{
	struct keys *keys = keys_new();

	assert(keys);
	keys->count = 1;
	keys->key[0].number = 1;
	hmac256_key(&keys->key[0].hmac, bytes);
	return keys;
}

/* What follows the digits: nothing (since ever), or a space and seconds. */
static bool since_read(const char *from, uint64_t *since_r)
{
	char *end;

	*since_r = 0;
	if (from[0] == '\0')
		return true;
	if (from[0] != ' ' || from[1] < '0' || from[1] > '9')
		return false;
	errno = 0;
	*since_r = strtoull(from + 1, &end, 10);
	return errno == 0 && *end == '\0';
}

/* One line: "NUMBER HEX", or "NUMBER HEX SINCE". */
static bool read_line(struct keys *keys, char *line)
{
	char *end;
	uint8_t bytes[SECRET_BYTES];
	unsigned long number = strtoul(line, &end, 10);
	size_t length;

	if (keys->count == KEYS_MAX || end == line || *end != ' ' || number == 0 ||
		number > UINT32_MAX ||
		(keys->count > 0 && number <= keys->key[keys->count - 1].number))
		return false;
	end++;
	end[strcspn(end, "\r\n")] = '\0';
	if (strlen(end) < (size_t)2 * SECRET_BYTES ||
		!since_read(end + 2 * SECRET_BYTES, &keys->key[keys->count].since_s) ||
		sodium_hex2bin(bytes, sizeof(bytes), end, (size_t)2 * SECRET_BYTES, NULL, &length,
			NULL) != 0 ||
		length != SECRET_BYTES)
		return false;
	hmac256_key(&keys->key[keys->count].hmac, bytes);
	sodium_memzero(bytes, sizeof(bytes));
	keys->key[keys->count++].number = (uint32_t)number;
	return true;
}

static enum keys_status read_file(const char *path, FILE *file, struct keys *keys, char *error)
{
	char line[160];
	int at = 0;
	bool good = true;

	while (good && fgets(line, sizeof(line), file)) {
		at++;
		good = line[0] == '#' || line[0] == '\n' || read_line(keys, line);
	}
	sodium_memzero(line, sizeof(line));
	if (!good) {
		snprintf(error, KEYS_ERROR_MAX,
			"%s line %d: expected \"NUMBER HEX\" or \"NUMBER HEX SINCE\", HEX being 64 "
			"hex digits, numbers > 0 in rising order, at most %d keys",
			path, at, KEYS_MAX);
		return KEYS_REFUSED;
	}
	if (keys->count == 0) {
		snprintf(error, KEYS_ERROR_MAX, "%s: the file has no key", path);
		return KEYS_REFUSED;
	}
	return KEYS_OK;
}

enum keys_status keys_load(const char *path, struct keys **keys_r, char *error)
{
	FILE *file = fopen(path, "re");
	struct stat about;
	struct keys *keys;
	enum keys_status status;

	if (!file) {
		snprintf(error, KEYS_ERROR_MAX, "%s: %s", path, strerror(errno));
		return errno == ENOENT ? KEYS_MISSING : KEYS_REFUSED;
	}
	setvbuf(file, NULL, _IONBF, 0); /* no buffer, because it would keep a copy of the key */
	if (fstat(fileno(file), &about) != 0 || (about.st_mode & 077) != 0) {
		snprintf(error, KEYS_ERROR_MAX,
			"%s: found mode %03o, expected 600: others may read the key", path,
			(unsigned)about.st_mode & 0777);
		fclose(file);
		return KEYS_REFUSED;
	}
	keys = keys_new();
	assert(keys);
	status = read_file(path, file, keys, error);
	fclose(file);
	if (status != KEYS_OK) {
		keys_free(&keys);
		return status;
	}
	*keys_r = keys;
	return KEYS_OK;
}

bool keys_create(const char *path, char *error)
{
	uint8_t bytes[SECRET_BYTES];
	char hex[2 * SECRET_BYTES + 1], text[160], temporary[1100];
	int fd, length, written;
	bool good;

	snprintf(temporary, sizeof(temporary), "%s.%ld", path, (long)getpid());
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		snprintf(error, KEYS_ERROR_MAX, "%.150s: %s", temporary, strerror(errno));
		return false;
	}
	randombytes_buf(bytes, sizeof(bytes));
	sodium_bin2hex(hex, sizeof(hex), bytes, sizeof(bytes));
	length = snprintf(text, sizeof(text), "1 %s\n", hex);
	written = (int)write(fd, text, (size_t)length);
	good = written == length && fsync(fd) == 0;
	close(fd);
	/* link, not rename: if several instances start at once, only one creates the key */
	if (good && link(temporary, path) != 0 && errno != EEXIST)
		good = false;
	if (!good)
		snprintf(error, KEYS_ERROR_MAX, "%s: cannot write the file: %s", path,
			strerror(errno));
	unlink(temporary);
	sodium_memzero(bytes, sizeof(bytes));
	sodium_memzero(hex, sizeof(hex));
	sodium_memzero(text, sizeof(text));
	return good;
}

bool keys_follow(const struct keys *fresh, const struct keys *keys, char *error)
{
	uint8_t was[KEY_CHECK_BYTES], is[KEY_CHECK_BYTES];
	bool same;

	for (size_t i = 0; i < keys->count; i++) {
		same = i < fresh->count && fresh->key[i].number == keys->key[i].number;
		keys_check(keys, i, was);
		if (same)
			keys_check(fresh, i, is);
		if (same && sodium_memcmp(was, is, sizeof(was)) == 0)
			continue;
		snprintf(error, KEYS_ERROR_MAX,
			"spin-engine.key: key %" PRIu32
			" is missing or differs, expected every key that was in use",
			keys->key[i].number);
		return false;
	}
	return true;
}

void keys_take(struct keys *keys, struct keys **fresh)
{
	*keys = **fresh;
	keys_free(fresh);
}

uint32_t keys_current(const struct keys *keys)
{
	uint64_t now_s = clock_wall_us() / 1000000;
	size_t at = keys->count - 1;

	while (at > 0 && keys->key[at].since_s > now_s)
		at--;
	return keys->key[at].number;
}

size_t keys_count(const struct keys *keys)
{
	return keys->count;
}

uint32_t keys_number(const struct keys *keys, size_t at)
{
	return keys->key[at].number;
}

void keys_check(const struct keys *keys, size_t at, uint8_t check_r[KEY_CHECK_BYTES])
{
	static const char what[] = "carillon key check";
	uint8_t full[SECRET_BYTES];

	hmac256(&keys->key[at].hmac, NULL, 0, what, sizeof(what) - 1, full);
	memcpy(check_r, full, KEY_CHECK_BYTES);
}

static void put_number(uint64_t value, uint8_t out[8])
{
	for (int i = 0; i < 8; i++)
		out[i] = (uint8_t)(value >> (56 - 8 * i));
}

bool keys_secret(const struct keys *keys, player_id player, uint64_t move,
	const struct player_salt *salt, uint8_t secret_r[SECRET_BYTES])
{
	uint8_t head[16];

	for (size_t i = 0; i < keys->count; i++) {
		if (keys->key[i].number != salt->key)
			continue;
		put_number((uint64_t)player, head);
		put_number(move, head + 8);
		hmac256(&keys->key[i].hmac, head, sizeof(head), salt->bytes, PLAYER_SALT_BYTES,
			secret_r);
		return true;
	}
	return false;
}

void keys_secret_hash(const uint8_t secret[SECRET_BYTES], uint8_t hash_r[SECRET_BYTES])
{
	struct sha256 sha;

	sha256_begin(&sha);
	sha256_add(&sha, secret, SECRET_BYTES);
	sha256_end(&sha, hash_r);
}

void keys_stream(const uint8_t secret[SECRET_BYTES], const uint8_t *nonce, size_t nonce_length,
	const char *purpose, uint8_t key_r[PLAYER_KEY_BYTES])
{
	struct hmac256 hmac;

	hmac256_key(&hmac, secret);
	hmac256(&hmac, nonce, nonce_length, purpose, strlen(purpose), key_r);
	sodium_memzero(&hmac, sizeof(hmac));
}

void keys_salt(const struct keys *keys, struct player_salt *salt_r)
{
	randombytes_buf(salt_r->bytes, sizeof(salt_r->bytes));
	salt_r->key = keys_current(keys);
}
