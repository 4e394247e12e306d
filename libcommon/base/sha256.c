#include "libcommon/base/sha256.h"

/* OpenSSL's interface from before 3.0, which 3.0 still has: the new one allocates for each
 * message. */
#define OPENSSL_API_COMPAT 10100
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <string.h>

#define BLOCK_BYTES 64
#define INNER 0x36
#define OUTER 0x5c

_Static_assert(sizeof(SHA256_CTX) == sizeof(struct sha256), "room for OpenSSL's state");
_Static_assert(SHA256_BYTES == SHA256_DIGEST_LENGTH, "bytes of a digest");

static SHA256_CTX *context(struct sha256 *sha)
{
	return (SHA256_CTX *)(void *)sha->state;
}

void sha256_begin(struct sha256 *sha)
{
	(void)SHA256_Init(context(sha));
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t length)
{
	if (length > 0)
		(void)SHA256_Update(context(sha), bytes, length);
}

void sha256_end(struct sha256 *sha, uint8_t digest_r[SHA256_BYTES])
{
	(void)SHA256_Final(digest_r, context(sha));
}

static void pad_add(struct sha256 *sha, const uint8_t key[SHA256_BYTES], uint8_t with)
{
	uint8_t block[BLOCK_BYTES];

	memset(block, with, sizeof(block));
	for (size_t i = 0; i < SHA256_BYTES; i++)
		block[i] ^= key[i];
	sha256_begin(sha);
	sha256_add(sha, block, sizeof(block));
	OPENSSL_cleanse(block, sizeof(block));
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
	OPENSSL_cleanse(&sha, sizeof(sha));
}
