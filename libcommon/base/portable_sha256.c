#include "libcommon/base/portable_hash.h"

#include <string.h>

#define BLOCK_BYTES 64u
#define LENGTH_BYTES 8u
#define ROUNDS 64

static const uint32_t ROUND_CONSTANTS[ROUNDS] = { 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
	0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
	0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
	0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
	0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3,
	0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2 };

static uint32_t rotated(uint32_t word, unsigned bits)
{
	return word >> bits | word << (32 - bits);
}

/* The message schedule: sixteen words of the block, then 48 that follow from them. */
static void schedule(const uint8_t *block, uint32_t w[ROUNDS])
{
	for (uint32_t i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (uint32_t i = 16; i < ROUNDS; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[i - 7] +
		       (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
	}
}

static void compress(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[ROUNDS], s[8];

	schedule(block, w);
	memcpy(s, state, sizeof(s));
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
		uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		uint32_t first = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) +
				 choice + ROUND_CONSTANTS[i] + w[i];
		uint32_t second =
			(rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) + majority;

		memmove(s + 1, s, 7 * sizeof(s[0]));
		s[4] += first;
		s[0] = first + second;
	}
	for (uint32_t i = 0; i < 8; i++)
		state[i] += s[i];
}

void portable_sha256_begin(struct portable_sha256 *sha)
{
	static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

	memcpy(sha->state, start, sizeof(start));
	sha->length = 0;
}

void portable_sha256_add(struct portable_sha256 *sha, const void *bytes, size_t length)
{
	const uint8_t *from = bytes;

	while (length > 0) {
		size_t at = sha->length % BLOCK_BYTES, some = BLOCK_BYTES - at;

		if (some > length)
			some = length;
		memcpy(sha->block + at, from, some);
		sha->length += some;
		from += some;
		length -= some;
		if (at + some == BLOCK_BYTES)
			compress(sha->state, sha->block);
	}
}

void portable_sha256_end(struct portable_sha256 *sha, uint8_t digest_r[SHA256_BYTES])
{
	static const uint8_t padding[BLOCK_BYTES] = { 0x80 };
	uint64_t bits = sha->length * 8;
	size_t at = sha->length % BLOCK_BYTES, end = BLOCK_BYTES - LENGTH_BYTES;
	uint8_t length[LENGTH_BYTES];

	for (uint32_t i = 0; i < LENGTH_BYTES; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	portable_sha256_add(sha, padding, at < end ? end - at : end + BLOCK_BYTES - at);
	portable_sha256_add(sha, length, sizeof(length));
	for (uint32_t i = 0; i < SHA256_BYTES; i++)
		digest_r[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}
