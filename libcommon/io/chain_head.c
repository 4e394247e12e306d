#include "libcommon/io/chain_head.h"

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

#define SIGNED_PREFIX "carillon head 1 "
#define SIGNATURE_HEX (2 * (size_t)crypto_sign_BYTES)
#define KEY_PREFIX "carillon head key 1 "
#define HEX_LINE_MAX 80
#define KEY_LINE_MAX 320

_Static_assert(crypto_sign_PUBLICKEYBYTES == CHAIN_PUBLIC_BYTES, "of libsodium");
_Static_assert(crypto_sign_SECRETKEYBYTES == CHAIN_SECRET_BYTES, "of libsodium");

static __attribute__((format(printf, 2, 3))) bool say(char *error, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(error, CHAIN_ERROR_MAX, format, arguments);
	va_end(arguments);
	return false;
}

/* ---- lines ---- */

size_t chain_head_format(const struct chain_head *head, const struct chain_key *key,
	char line_r[CHAIN_HEAD_LINE_MAX])
{
	char text[CHAIN_HEAD_LINE_MAX + sizeof(SIGNED_PREFIX)];
	char digest[2 * CHAIN_DIGEST_BYTES + 1];
	char signature_hex[SIGNATURE_HEX + 1];
	uint8_t signature[crypto_sign_BYTES];
	int n;

	(void)sodium_bin2hex(digest, sizeof(digest), head->digest, sizeof(head->digest));
	n = snprintf(text, sizeof(text), SIGNED_PREFIX "%u %" PRIu64 " %" PRIu64 " %s %" PRIu64,
		head->shard, head->batch, head->seq, digest, head->time_us);
	(void)crypto_sign_detached(
		signature, NULL, (const unsigned char *)text, (unsigned long long)n, key->secret);
	(void)sodium_bin2hex(signature_hex, sizeof(signature_hex), signature, sizeof(signature));
	n = snprintf(line_r, CHAIN_HEAD_LINE_MAX, "%s %s\n", text + sizeof(SIGNED_PREFIX) - 1,
		signature_hex);
	return (size_t)n;
}

static bool bytes_read(const char *hex, size_t hex_length, uint8_t *bytes, size_t length)
{
	size_t got;

	return strlen(hex) >= hex_length && hex_length == 2 * length &&
	       sodium_hex2bin(bytes, length, hex, hex_length, NULL, &got, NULL) == 0 &&
	       got == length;
}

/* Reads a whole number and the space after it. */
static bool number_read(const char **at, uint64_t *number_r)
{
	char *end;

	errno = 0;
	if (**at < '0' || **at > '9')
		return false;
	*number_r = strtoull(*at, &end, 10);
	if (errno != 0 || *end != ' ')
		return false;
	*at = end + 1;
	return true;
}

static bool fields_read(const char *line, struct chain_head *head_r)
{
	uint64_t shard;

	if (!number_read(&line, &shard) || shard > UINT32_MAX ||
		!number_read(&line, &head_r->batch) || !number_read(&line, &head_r->seq) ||
		!bytes_read(line, 2 * (size_t)CHAIN_DIGEST_BYTES, head_r->digest,
			sizeof(head_r->digest)))
		return false;
	line += 2 * (size_t)CHAIN_DIGEST_BYTES;
	head_r->shard = (uint32_t)shard;
	return *line++ == ' ' && number_read(&line, &head_r->time_us) &&
	       strlen(line) == SIGNATURE_HEX;
}

/* Is this a signature of the text by any of the keys? `from` is hex. */
static bool signed_by(const struct chain_publics *keys, const char *text, const char *from)
{
	uint8_t signature[crypto_sign_BYTES];

	if (strlen(from) != SIGNATURE_HEX ||
		!bytes_read(from, SIGNATURE_HEX, signature, sizeof(signature)))
		return false;
	for (size_t i = keys->n; i-- > 0;)
		if (crypto_sign_verify_detached(signature, (const unsigned char *)text,
			    (unsigned long long)strlen(text), keys->key[i]) == 0)
			return true;
	return false;
}

bool chain_head_read(const char *line, const struct chain_publics *keys, struct chain_head *head_r,
	const char **wrong_r)
{
	char text[CHAIN_HEAD_LINE_MAX + sizeof(SIGNED_PREFIX)];
	const char *at;

	*wrong_r = "a line that is not a head";
	if (strlen(line) >= CHAIN_HEAD_LINE_MAX || !fields_read(line, head_r))
		return false;
	at = strrchr(line, ' ');
	if (at == NULL || strspn(at + 1, "0123456789abcdefABCDEF") != SIGNATURE_HEX)
		return false;
	(void)snprintf(text, sizeof(text), SIGNED_PREFIX "%.*s", (int)(at - line), line);
	*wrong_r = "a signature by another key";
	return signed_by(keys, text, at + 1);
}

/* ---- keys ---- */

/* Reads 64 hex digits from a file. With `closed`, only its owner may be able to read the file. */
static bool hex_file_read(const char *path, bool closed, uint8_t bytes_r[32], char *error)
{
	char line[HEX_LINE_MAX] = "";
	struct stat about;
	FILE *file = fopen(path, "re");
	bool good;

	if (file == NULL)
		return say(error, "%.180s: %s", path, strerror(errno));
	(void)setvbuf(file, NULL, _IONBF,
		0); /* a buffer would keep a copy of the key that is not wiped */
	if (closed && (fstat(fileno(file), &about) != 0 || (about.st_mode & 077) != 0)) {
		(void)fclose(file);
		return say(error, "%.150s: found a file that others may read, expected mode 600",
			path);
	}
	good = fgets(line, sizeof(line), file) != NULL;
	(void)fclose(file);
	line[strcspn(line, "\r\n")] = '\0';
	good = good && strlen(line) == 64 && bytes_read(line, 64, bytes_r, 32);
	sodium_memzero(line, sizeof(line));
	return good || say(error, "%.180s: found no key, expected 64 hex digits", path);
}

/* Gives a new file the owner of the one that it replaces, if there is one. */
static bool owner_keep(int fd, const char *path)
{
	struct stat about;

	return geteuid() != 0 || stat(path, &about) != 0 ||
	       fchown(fd, about.st_uid, about.st_gid) == 0;
}

/* Writes a temporary file and moves it to the path. Without `replace` an existing file stays. */
static bool hex_file_write(
	const char *path, const uint8_t bytes[32], mode_t mode, bool replace, char *error)
{
	char text[HEX_LINE_MAX], temporary[1100];
	int fd;
	bool good;

	(void)snprintf(temporary, sizeof(temporary), "%.1000s.%ld", path, (long)getpid());
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
	(void)sodium_bin2hex(text, 65, bytes, 32);
	text[64] = '\n';
	good = fd >= 0 && owner_keep(fd, path) && write(fd, text, 65) == 65 && fsync(fd) == 0;
	if (fd >= 0)
		(void)close(fd);
	if (good && replace)
		good = rename(temporary, path) == 0;
	else if (good)
		good = link(temporary, path) == 0 || errno == EEXIST;
	if (!good)
		(void)say(error, "%.150s: cannot be written: %s", path, strerror(errno));
	(void)unlink(temporary);
	sodium_memzero(text, sizeof(text));
	return good;
}

bool chain_key_load(const char *path, struct chain_key *key_r, char *error)
{
	uint8_t seed[crypto_sign_SEEDBYTES];
	bool good = true;

	if (access(path, F_OK) != 0 && errno == ENOENT) {
		randombytes_buf(seed, sizeof(seed));
		good = hex_file_write(path, seed, 0600, false, error);
	}
	good = good && hex_file_read(path, true, seed, error);
	if (good)
		(void)crypto_sign_seed_keypair(key_r->public_key, key_r->secret, seed);
	sodium_memzero(seed, sizeof(seed));
	return good;
}

bool chain_public_write(const char *path, const struct chain_key *key, char *error)
{
	struct chain_publics there;
	bool whole = chain_publics_read(path, &there, error);
	struct stat about;

	for (size_t i = 0; i < there.n; i++)
		if (memcmp(there.key[i], key->public_key, sizeof(there.key[i])) == 0)
			return true;
	/* Without the earlier keys, nobody could read the earlier heads. */
	if (stat(path, &about) == 0 && about.st_size > 0 && !(whole && there.n == 1))
		return say(error,
			"%.120s: found %zu readable keys, but not the key that signs now; "
			"expected that key among them",
			path, there.n);
	return hex_file_write(path, key->public_key, 0644, true, error);
}

bool chain_public_read(const char *path, uint8_t public_key_r[CHAIN_PUBLIC_BYTES], char *error)
{
	return hex_file_read(path, false, public_key_r, error);
}

/* ---- public keys, one after the other ---- */

/* Takes a line of the public file (changes it). Lines that say a known key again are skipped. */
static bool key_line_take(struct chain_publics *keys, char *line)
{
	char text[sizeof(KEY_PREFIX) + KEY_LINE_MAX];
	uint8_t key[CHAIN_PUBLIC_BYTES];
	char *at = strrchr(line, ' ');

	if (!bytes_read(line, 2 * sizeof(key), key, sizeof(key)) || keys->n == CHAIN_KEYS_MAX)
		return false;
	for (size_t i = 0; i < keys->n; i++)
		if (memcmp(keys->key[i], key, sizeof(key)) == 0)
			return true;
	if (keys->n == 0 && line[2 * sizeof(key)] != '\0')
		return false;
	if (keys->n > 0) {
		if (at == NULL || line[2 * sizeof(key)] != ' ')
			return false;
		*at = '\0';
		(void)snprintf(text, sizeof(text), KEY_PREFIX "%s", line);
		if (!signed_by(keys, text, at + 1))
			return false;
	}
	memcpy(keys->key[keys->n++], key, sizeof(key));
	return true;
}

bool chain_publics_read(const char *path, struct chain_publics *keys_r, char *error)
{
	char line[KEY_LINE_MAX];
	FILE *file = fopen(path, "re");
	bool good = true;

	keys_r->n = 0;
	if (file == NULL)
		return say(error, "%.180s: %s", path, strerror(errno));
	while (good && fgets(line, sizeof(line), file) != NULL) {
		size_t length = strcspn(line, "\r\n");
		if (line[length] == '\0' && keys_r->n > 0)
			break; /* it is being written */
		line[length] = '\0';
		good = key_line_take(keys_r, line);
	}
	(void)fclose(file);
	if (good && keys_r->n > 0)
		return true;
	return keys_r->n == 0 ? say(error, "%.180s: found no key, expected 64 hex digits", path)
			      : say(error,
					"%.120s: found a key after key %zu that no earlier key "
					"signed",
					path, keys_r->n);
}

bool chain_publics_agree(const struct chain_publics *a, const struct chain_publics *b)
{
	size_t n = a->n < b->n ? a->n : b->n;

	return n > 0 && memcmp(a->key, b->key, n * sizeof(a->key[0])) == 0;
}

/* Adds a line to a file that others read meanwhile: a temporary file, moved to the path. */
static bool line_add(const char *path, const char *line, char *error)
{
	char temporary[1100], bytes[4096];
	FILE *from = fopen(path, "re");
	FILE *to;
	size_t n;
	bool good;

	(void)snprintf(temporary, sizeof(temporary), "%.1000s.%ld", path, (long)getpid());
	(void)unlink(temporary);
	to = fopen(temporary, "wxe");
	good = from != NULL && to != NULL && owner_keep(fileno(to), path);
	while (good && (n = fread(bytes, 1, sizeof(bytes), from)) > 0)
		good = fwrite(bytes, 1, n, to) == n;
	good = good && fputs(line, to) >= 0 && fflush(to) == 0 && fsync(fileno(to)) == 0;
	if (from != NULL)
		(void)fclose(from);
	if (to != NULL && fclose(to) != 0)
		good = false;
	good = good && chmod(temporary, 0644) == 0 && rename(temporary, path) == 0;
	if (!good)
		(void)say(error, "%.150s: cannot be written: %s", path, strerror(errno));
	if (!good && to != NULL)
		(void)unlink(temporary);
	return good;
}

bool chain_key_rotate(const char *key_path, const char *public_path, uint64_t time_us, char *error)
{
	char text[sizeof(KEY_PREFIX) + KEY_LINE_MAX], hex[SIGNATURE_HEX + 1];
	uint8_t seed[crypto_sign_SEEDBYTES], signature[crypto_sign_BYTES];
	struct chain_key old, key;
	struct chain_publics keys;
	int n;
	bool good =
		access(key_path, F_OK) == 0 || say(error, "%.180s: %s", key_path, strerror(errno));

	good = good && chain_key_load(key_path, &old, error) &&
	       chain_public_write(public_path, &old, error) &&
	       chain_publics_read(public_path, &keys, error);
	if (good && keys.n == CHAIN_KEYS_MAX)
		good = say(error,
			"%.120s: found %d keys, expected fewer: the file has no room for another key",
			public_path, CHAIN_KEYS_MAX);
	if (!good)
		return false;
	randombytes_buf(seed, sizeof(seed));
	(void)crypto_sign_seed_keypair(key.public_key, key.secret, seed);
	(void)sodium_bin2hex(hex, sizeof(hex), key.public_key, sizeof(key.public_key));
	n = snprintf(text, sizeof(text), KEY_PREFIX "%s %" PRIu64, hex, time_us);
	(void)crypto_sign_detached(
		signature, NULL, (const unsigned char *)text, (unsigned long long)n, old.secret);
	(void)sodium_bin2hex(hex, sizeof(hex), signature, sizeof(signature));
	(void)snprintf(text + n, sizeof(text) - (size_t)n, " %s\n", hex);
	good = line_add(public_path, text + sizeof(KEY_PREFIX) - 1, error) &&
	       hex_file_write(key_path, seed, 0600, true, error);
	sodium_memzero(seed, sizeof(seed));
	sodium_memzero(&old, sizeof(old));
	sodium_memzero(&key, sizeof(key));
	return good;
}
