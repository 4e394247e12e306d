#include "services/spin-engine/simulate/fast_stream.h"

#include <string.h>

#include <sodium/crypto_stream_chacha20.h>

#define BLOCK_BYTES 64u

/* The key is what names the stream; nothing is secret here. */
void stream_open(struct word_stream *stream, uint64_t seed, uint64_t block, uint32_t which)
{
	static const char label[12] = "simulation\n";

	memcpy(stream->key, &seed, sizeof(seed));
	memcpy(stream->key + 8, &block, sizeof(block));
	memcpy(stream->key + 16, &which, sizeof(which));
	memcpy(stream->key + 20, label, sizeof(label));
	stream->block = 0;
	stream->at = STREAM_WORDS;
}

void stream_fill(struct word_stream *stream, uint32_t *out, uint32_t count)
{
	static const uint8_t nonce[crypto_stream_chacha20_NONCEBYTES];
	unsigned char *bytes = (unsigned char *)out;

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
