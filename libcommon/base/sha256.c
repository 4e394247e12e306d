#include "libcommon/base/sha256.h"

/* OpenSSL's interface from before 3.0, which 3.0 still has: the new one allocates for each
 * message. */
#define OPENSSL_API_COMPAT 10100
#include <openssl/crypto.h>
#include <openssl/sha.h>

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

void sha256_wipe(void *bytes, size_t length)
{
	OPENSSL_cleanse(bytes, length);
}
