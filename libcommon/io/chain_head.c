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
#define HEX_LINE_MAX 80

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

bool chain_head_read(const char *line, const uint8_t public_key[CHAIN_PUBLIC_BYTES],
	struct chain_head *head_r, const char **wrong_r)
{
	char text[CHAIN_HEAD_LINE_MAX + sizeof(SIGNED_PREFIX)];
	uint8_t signature[crypto_sign_BYTES];
	const char *at;
	int n;

	*wrong_r = "a line that is not a head";
	if (strlen(line) >= CHAIN_HEAD_LINE_MAX || !fields_read(line, head_r))
		return false;
	at = strrchr(line, ' ');
	if (at == NULL || !bytes_read(at + 1, SIGNATURE_HEX, signature, sizeof(signature)))
		return false;
	n = snprintf(text, sizeof(text), SIGNED_PREFIX "%.*s", (int)(at - line), line);
	*wrong_r = "a signature by another key";
	return crypto_sign_verify_detached(signature, (const unsigned char *)text,
		       (unsigned long long)n, public_key) == 0;
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

/* Writes a temporary file and moves it to the path. Without `replace` an existing file stays. */
static bool hex_file_write(
	const char *path, const uint8_t bytes[32], mode_t mode, bool replace, char *error)
{
	char text[HEX_LINE_MAX], temporary[1100];
	int fd;
	bool good;

	(void)snprintf(temporary, sizeof(temporary), "%.1000s.%ld", path, (long)getpid());
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	(void)sodium_bin2hex(text, 65, bytes, 32);
	text[64] = '\n';
	good = fd >= 0 && write(fd, text, 65) == 65 && fsync(fd) == 0;
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
	uint8_t there[CHAIN_PUBLIC_BYTES];

	if (chain_public_read(path, there, error) &&
		memcmp(there, key->public_key, sizeof(there)) == 0)
		return true;
	return hex_file_write(path, key->public_key, 0644, true, error);
}

bool chain_public_read(const char *path, uint8_t public_key_r[CHAIN_PUBLIC_BYTES], char *error)
{
	return hex_file_read(path, false, public_key_r, error);
}
