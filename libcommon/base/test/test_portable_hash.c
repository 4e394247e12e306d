/* SHA-256 and ChaCha20 in plain C give what OpenSSL and libsodium give: for every length around the
 * block boundaries, for random texts in random parts, and for random keys and blocks. */
#include "libcommon/base/portable_hash.h"

#include "libcommon/base/rng.h"

#include <sodium.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH_MAX 4096
#define TEXTS 2000
#define STREAMS 2000
#define BLOCKS_MAX 8

static struct rng source = { .key = { 0xca, 0x51 } };

static void compare_sha256(const uint8_t *text, size_t length, size_t first)
{
	uint8_t expected[SHA256_BYTES], digest[SHA256_BYTES];
	struct portable_sha256 portable;
	struct sha256 sha;

	sha256_begin(&sha);
	sha256_add(&sha, text, length);
	sha256_end(&sha, expected);
	portable_sha256_begin(&portable);
	portable_sha256_add(&portable, text, first);
	portable_sha256_add(&portable, text, 0);
	portable_sha256_add(&portable, text + first, length - first);
	portable_sha256_end(&portable, digest);
	assert_memory_equal(digest, expected, sizeof(digest));
}

static void test_portable_sha256_equals_openssl(void **state)
{
	static uint8_t text[LENGTH_MAX];

	(void)state;
	rng_bytes(&source, text, sizeof(text));
	for (size_t length = 0; length <= 200; length++)
		for (size_t first = 0; first <= length; first += 1 + length / 7)
			compare_sha256(text, length, first);
	for (int i = 0; i < TEXTS; i++) {
		size_t length = rng_below(&source, LENGTH_MAX + 1);

		compare_sha256(text, length, rng_below(&source, (uint32_t)length + 1));
	}
}

static void test_portable_chacha20_equals_libsodium(void **state)
{
	uint8_t expected[BLOCKS_MAX * CHACHA20_BLOCK_BYTES], stream[sizeof(expected)];

	(void)state;
	for (int i = 0; i < STREAMS; i++) {
		uint8_t key[CHACHA20_KEY_BYTES];
		size_t bytes = (1 + (size_t)rng_below(&source, BLOCKS_MAX)) * CHACHA20_BLOCK_BYTES;
		uint32_t block = i % 2 ? rng_below(&source, UINT32_MAX - BLOCKS_MAX) : 0;

		rng_bytes(&source, key, sizeof(key));
		chacha20_stream(expected, bytes, key, block);
		portable_chacha20_stream(stream, bytes, key, block);
		assert_memory_equal(stream, expected, bytes);
	}
}

/* RFC 8439, appendix A.1, test vector 1: neither implementation can be wrong in the same way. */
static void test_portable_chacha20_gives_the_known_answer(void **state)
{
	static const uint8_t first[] = { 0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90 };
	static const uint8_t zeros[CHACHA20_KEY_BYTES];
	uint8_t stream[CHACHA20_BLOCK_BYTES];

	(void)state;
	portable_chacha20_stream(stream, sizeof(stream), zeros, 0);
	assert_memory_equal(stream, first, sizeof(first));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_portable_sha256_equals_openssl),
		cmocka_unit_test(test_portable_chacha20_equals_libsodium),
		cmocka_unit_test(test_portable_chacha20_gives_the_known_answer),
	};

	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
