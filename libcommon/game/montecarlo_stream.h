/* Random words for Monte Carlo: ChaCha20 in large pieces, and unbiased numbers from them by the
 * method of libcommon/base/rng.h. Words are in the machine's byte order. */
#ifndef CARILLON_GAME_MONTECARLO_STREAM_H
#define CARILLON_GAME_MONTECARLO_STREAM_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 stream_wide;

#define STREAM_WORDS 1024u     /* in a stream's buffer */
#define STREAM_WIDE_WORDS 256u /* sixteen blocks */

struct word_stream {
	uint8_t key[32];
	bool avx512;
	uint64_t block; /* next block of ChaCha20 */
	uint32_t at;
	uint32_t word[STREAM_WORDS];
};

/* Opens stream number `which` of block `block` of the run with this seed. `avx512`: uses AVX-512,
 * which the processor must have; the words are the same. */
void stream_open(
	struct word_stream *stream, uint64_t seed, uint64_t block, uint32_t which, bool avx512);
/* Writes the next `count` words, a multiple of 16, to `out`. Do not mix it with stream_word. */
void stream_fill(struct word_stream *stream, uint32_t *out, uint32_t count);
void stream_refill(struct word_stream *stream);
/* Writes ChaCha20 blocks `block` .. `block` + 15 to `out`, which holds STREAM_WIDE_WORDS words. The
 * low half of the block number must not wrap within these blocks. Defined in montecarlo/chacha.c.
 */
void stream_blocks_avx512(const uint8_t key[32], uint64_t block, uint32_t *out);

static inline uint32_t stream_word(struct word_stream *stream)
{
	if (stream->at == STREAM_WORDS)
		stream_refill(stream);
	return stream->word[stream->at++];
}

static inline uint64_t stream_word64(struct word_stream *stream)
{
	uint64_t low = stream_word(stream);

	return low | (uint64_t)stream_word(stream) << 32;
}

/* Uniform in 0..n-1, n > 0. */
static inline uint32_t stream_below(struct word_stream *stream, uint32_t n)
{
	uint64_t product = (uint64_t)stream_word(stream) * n;

	if ((uint32_t)product < n) {
		uint32_t threshold = (0u - n) % n;

		while ((uint32_t)product < threshold)
			product = (uint64_t)stream_word(stream) * n;
	}
	return (uint32_t)(product >> 32);
}

static inline uint64_t stream_below64(struct word_stream *stream, uint64_t n)
{
	stream_wide product = (stream_wide)stream_word64(stream) * n;

	if ((uint64_t)product < n) {
		uint64_t threshold = (0u - n) % n;

		while ((uint64_t)product < threshold)
			product = (stream_wide)stream_word64(stream) * n;
	}
	return (uint64_t)(product >> 64);
}

#endif
