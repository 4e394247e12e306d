#include "services/jackpot-cards/adapters/card_keys.h"

#include "libcommon/base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLAIM_BYTES 20 /* player and move as 8, index as 4, big endian */

static bool read_line(struct card_keys *keys, char *line)
{
	char *end;
	size_t length;
	unsigned long number = strtoul(line, &end, 10);
	if (keys->count == CARD_KEYS_MAX || end == line || *end != ' ' || number == 0 ||
		number > INT32_MAX || (keys->count > 0 && number <= keys->number[keys->count - 1]))
		return false;
	end++;
	end[strcspn(end, "\r\n")] = '\0';
	if (strlen(end) != (size_t)2 * CARD_SECRET_BYTES ||
		sodium_hex2bin(keys->bytes[keys->count], CARD_SECRET_BYTES, end, strlen(end), NULL,
			&length, NULL) != 0 ||
		length != CARD_SECRET_BYTES)
		return false;
	keys->number[keys->count++] = (uint32_t)number;
	return true;
}

static bool read_lines(FILE *file, struct card_keys *keys)
{
	char line[160];
	bool good = true;
	while (good && fgets(line, sizeof(line), file) != NULL)
		good = line[0] == '#' || line[0] == '\n' || read_line(keys, line);
	sodium_memzero(line, sizeof(line));
	return good && keys->count > 0;
}

enum card_keys_status card_keys_load(const char *path, struct card_keys *keys_r, char *error)
{
	struct stat about;
	FILE *file = fopen(path, "re");
	memset(keys_r, 0, sizeof(*keys_r));
	if (file == NULL) {
		(void)snprintf(error, CARD_KEYS_ERROR_MAX, "%.180s: %s", path, strerror(errno));
		return errno == ENOENT ? CARD_KEYS_MISSING : CARD_KEYS_REFUSED;
	}
	(void)setvbuf(file, NULL, _IONBF, 0); /* unbuffered: no copy of a key stays in memory */
	bool closed = fstat(fileno(file), &about) == 0 && (about.st_mode & 077) == 0;
	bool good = closed && read_lines(file, keys_r);
	(void)fclose(file);
	if (good)
		return CARD_KEYS_OK;
	(void)snprintf(error, CARD_KEYS_ERROR_MAX, "%.140s: found %s, expected %s", path,
		closed ? "a malformed line, or no key" : "a file that others may read",
		closed ? "\"NUMBER HEX\", HEX being 64 hex digits, numbers > 0 and rising"
		       : "mode 600");
	return CARD_KEYS_REFUSED;
}

bool card_keys_create(const char *path, char *error)
{
	uint8_t bytes[CARD_SECRET_BYTES];
	char hex[2 * CARD_SECRET_BYTES + 1], text[160], temporary[1200];
	(void)snprintf(temporary, sizeof(temporary), "%.1100s.%ld", path, (long)getpid());
	int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	randombytes_buf(bytes, sizeof(bytes));
	(void)sodium_bin2hex(hex, sizeof(hex), bytes, sizeof(bytes));
	int length = snprintf(text, sizeof(text), "1 %s\n", hex);
	bool good = fd >= 0 && write(fd, text, (size_t)length) == length && fsync(fd) == 0;
	if (fd >= 0)
		(void)close(fd);
	/* link, not rename: if several instances start at once, only one creates the key */
	if (good && link(temporary, path) != 0 && errno != EEXIST)
		good = false;
	if (!good)
		(void)snprintf(error, CARD_KEYS_ERROR_MAX, "%.150s: cannot be written: %s", path,
			strerror(errno));
	(void)unlink(temporary);
	sodium_memzero(bytes, sizeof(bytes));
	sodium_memzero(hex, sizeof(hex));
	sodium_memzero(text, sizeof(text));
	return good;
}

uint32_t card_keys_current(const struct card_keys *keys)
{
	return keys->number[keys->count - 1];
}

static void put(uint64_t value, size_t bytes, uint8_t *out)
{
	for (size_t i = 0; i < bytes; i++)
		out[i] = (uint8_t)(value >> (8 * (bytes - 1 - i)));
}

static void claim_bytes(const struct claim_id *claim, uint8_t out[CLAIM_BYTES])
{
	put((uint64_t)claim->player, 8, out);
	put(claim->move, 8, out + 8);
	put(claim->index, 4, out + 16);
}

bool card_keys_secret(const struct card_keys *keys, uint32_t number, const struct claim_id *claim,
	const uint8_t salt[CARD_SALT_BYTES], uint8_t secret_r[CARD_SECRET_BYTES])
{
	uint8_t head[CLAIM_BYTES];
	struct hmac256 hmac;
	claim_bytes(claim, head);
	for (size_t i = 0; i < keys->count; i++) {
		if (keys->number[i] != number)
			continue;
		hmac256_key(&hmac, keys->bytes[i]);
		hmac256(&hmac, head, sizeof(head), salt, CARD_SALT_BYTES, secret_r);
		sodium_memzero(&hmac, sizeof(hmac));
		return true;
	}
	return false;
}

void card_keys_hash(const uint8_t secret[CARD_SECRET_BYTES], uint8_t hash_r[CARD_SECRET_BYTES])
{
	struct sha256 sha;
	sha256_begin(&sha);
	sha256_add(&sha, secret, CARD_SECRET_BYTES);
	sha256_end(&sha, hash_r);
}

void card_keys_deal(const uint8_t secret[CARD_SECRET_BYTES], const struct claim_id *claim,
	const uint32_t weight[CARD_LEVELS], struct rng_health *watch, struct card_deal *deal_r)
{
	static const char purpose[] = "deal";
	uint8_t head[CLAIM_BYTES], key[RNG_KEY_BYTES];
	struct hmac256 hmac;
	struct rng rng;
	claim_bytes(claim, head);
	hmac256_key(&hmac, secret);
	hmac256(&hmac, head, sizeof(head), purpose, sizeof(purpose) - 1, key);
	rng_init(&rng, key);
	if (watch != NULL)
		rng_watch(&rng, watch);
	card_deal_draw(&rng, card_level_draw(&rng, weight), deal_r);
	sodium_memzero(&rng, sizeof(rng));
}
