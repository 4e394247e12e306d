#include "libcommon/base/chacha20.h"

#include <string.h>

#include <sodium/crypto_stream_chacha20.h>

void chacha20_stream(
	uint8_t *out, size_t bytes, const uint8_t key[CHACHA20_KEY_BYTES], uint32_t block)
{
	static const uint8_t nonce[crypto_stream_chacha20_ietf_NONCEBYTES];

	memset(out, 0, bytes);
	crypto_stream_chacha20_ietf_xor_ic(out, out, bytes, nonce, block, key);
}
