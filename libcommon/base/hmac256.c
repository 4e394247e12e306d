/* HMAC (RFC 2104) over the SHA-256 of sha256.h. */
#include "libcommon/base/sha256.h"

#include <string.h>

#define BLOCK_BYTES 64
#define INNER 0x36
#define OUTER 0x5c

static void pad_add(struct sha256 *sha, const uint8_t key[SHA256_BYTES], uint8_t with)
{
	uint8_t block[BLOCK_BYTES];

	memset(block, with, sizeof(block));
	for (size_t i = 0; i < SHA256_BYTES; i++)
		block[i] ^= key[i];
	sha256_begin(sha);
	sha256_add(sha, block, sizeof(block));
	sha256_wipe(block, sizeof(block));
}

void hmac256_key(struct hmac256 *hmac, const uint8_t key[SHA256_BYTES])
{
	pad_add(&hmac->inner, key, INNER);
	pad_add(&hmac->outer, key, OUTER);
}

void hmac256(const struct hmac256 *hmac, const void *first, size_t first_length, const void *second,
	size_t second_length, uint8_t code_r[SHA256_BYTES])
{
	struct sha256 sha = hmac->inner;

	sha256_add(&sha, first, first_length);
	sha256_add(&sha, second, second_length);
	sha256_end(&sha, code_r);
	sha = hmac->outer;
	sha256_add(&sha, code_r, SHA256_BYTES);
	sha256_end(&sha, code_r);
	sha256_wipe(&sha, sizeof(sha));
}
