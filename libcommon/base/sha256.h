/* SHA-256 and HMAC-SHA-256 by OpenSSL, for the hot path: OpenSSL uses the processor's own
 * instructions and is six times as fast as portable C, and a round hashes a few dozen blocks. Code
 * off the hot path may use libsodium instead; the results are the same. Where OpenSSL is missing
 * (in a browser), portable_hash.h takes its place. */
#ifndef CARILLON_BASE_SHA256_H
#define CARILLON_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32
#define SHA256_STATE_WORDS 14 /* room for OpenSSL's state, which stays out of this header */

struct sha256 {
	uint64_t state[SHA256_STATE_WORDS];
};
/* A key with its first blocks already hashed, for any number of messages. As secret as the key
 * itself. */
struct hmac256 {
	struct sha256 inner, outer;
};

void sha256_begin(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t length);
void sha256_end(struct sha256 *sha, uint8_t digest_r[SHA256_BYTES]);
/* Overwrites a secret. The compiler cannot optimise this away. */
void sha256_wipe(void *bytes, size_t length);

void hmac256_key(struct hmac256 *hmac, const uint8_t key[SHA256_BYTES]);
/* The authentication code (MAC) of a message given in two pieces. Either piece may be empty. */
void hmac256(const struct hmac256 *hmac, const void *first, size_t first_length, const void *second,
	size_t second_length, uint8_t code_r[SHA256_BYTES]);

#endif
