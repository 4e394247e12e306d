/* SHA-256 (FIPS 180-4) and ChaCha20 (RFC 8439) in plain C, for WebAssembly, where neither OpenSSL
 * nor libsodium exists. Services use sha256.h and chacha20.h, which are several times as fast; a
 * test compares both. Pure. */
#ifndef CARILLON_BASE_PORTABLE_HASH_H
#define CARILLON_BASE_PORTABLE_HASH_H

#include "libcommon/base/chacha20.h"
#include "libcommon/base/sha256.h"

struct portable_sha256 {
	uint32_t state[8];
	uint64_t length; /* bytes so far */
	uint8_t block[64];
};

void portable_sha256_begin(struct portable_sha256 *sha);
void portable_sha256_add(struct portable_sha256 *sha, const void *bytes, size_t length);
void portable_sha256_end(struct portable_sha256 *sha, uint8_t digest_r[SHA256_BYTES]);

/* As chacha20_stream. */
void portable_chacha20_stream(
	uint8_t *out, size_t bytes, const uint8_t key[CHACHA20_KEY_BYTES], uint32_t block);

#endif
