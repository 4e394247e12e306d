#include "libcommon/game/montecarlo_stream.h"

#include <string.h>

#include <sodium/crypto_stream_chacha20.h>

#define BLOCK_BYTES 64u
#define WIDE_BLOCKS 16u

/* The key only identifies the stream; it is not secret. */
void stream_open(
	struct word_stream *stream, uint64_t seed, uint64_t block, uint32_t which, bool avx512)
{
	static const char label[12] = "simulation\n";

	memcpy(stream->key, &seed, sizeof(seed));
	memcpy(stream->key + 8, &block, sizeof(block));
	memcpy(stream->key + 16, &which, sizeof(which));
	memcpy(stream->key + 20, label, sizeof(label));
	stream->avx512 = avx512;
	stream->block = 0;
	stream->at = STREAM_WORDS;
}

void stream_fill(struct word_stream *stream, uint32_t *out, uint32_t count)
{
	static const uint8_t nonce[crypto_stream_chacha20_NONCEBYTES];
	unsigned char *bytes;

	for (; stream->avx512 && count >= STREAM_WIDE_WORDS &&
		(uint32_t)stream->block <= UINT32_MAX - WIDE_BLOCKS;
		count -= STREAM_WIDE_WORDS) {
		stream_blocks_avx512(stream->key, stream->block, out);
		stream->block += WIDE_BLOCKS;
		out += STREAM_WIDE_WORDS;
	}
	if (count == 0)
		return;
	bytes = (unsigned char *)out;
	memset(bytes, 0, (size_t)count * sizeof(*out));
	crypto_stream_chacha20_xor_ic(bytes, bytes, (unsigned long long)count * sizeof(*out), nonce,
		stream->block, stream->key);
	stream->block += count * sizeof(*out) / BLOCK_BYTES;
}

void stream_refill(struct word_stream *stream)
{
	stream_fill(stream, stream->word, STREAM_WORDS);
	stream->at = 0;
}
