#include "libcommon/base/portable_hash.h"

#include <string.h>

#define WORDS 16
#define DOUBLE_ROUNDS 10

static uint32_t rotated(uint32_t word, unsigned bits)
{
	return word << bits | word >> (32 - bits);
}

static void quarter(uint32_t *w, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	w[a] += w[b];
	w[d] = rotated(w[d] ^ w[a], 16);
	w[c] += w[d];
	w[b] = rotated(w[b] ^ w[c], 12);
	w[a] += w[b];
	w[d] = rotated(w[d] ^ w[a], 8);
	w[c] += w[d];
	w[b] = rotated(w[b] ^ w[c], 7);
}

static void one_block(const uint32_t start[WORDS], uint8_t *out)
{
	uint32_t w[WORDS];

	memcpy(w, start, sizeof(w));
	for (uint32_t i = 0; i < DOUBLE_ROUNDS; i++) {
		for (uint32_t column = 0; column < 4; column++)
			quarter(w, column, 4 + column, 8 + column, 12 + column);
		for (uint32_t k = 0; k < 4; k++)
			quarter(w, k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4);
	}
	for (uint32_t i = 0; i < WORDS; i++) {
		uint32_t word = w[i] + start[i];

		for (uint32_t k = 0; k < 4; k++)
			out[4 * i + k] = (uint8_t)(word >> 8 * k);
	}
}

void portable_chacha20_stream(
	uint8_t *out, size_t bytes, const uint8_t key[CHACHA20_KEY_BYTES], uint32_t block)
{
	uint32_t start[WORDS] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 };

	for (uint32_t i = 0; i < CHACHA20_KEY_BYTES / 4; i++)
		start[4 + i] = (uint32_t)key[4 * i] | (uint32_t)key[4 * i + 1] << 8 |
			       (uint32_t)key[4 * i + 2] << 16 | (uint32_t)key[4 * i + 3] << 24;
	for (size_t at = 0; at < bytes; at += CHACHA20_BLOCK_BYTES) {
		start[12] = block++;
		one_block(start, out + at);
	}
}
