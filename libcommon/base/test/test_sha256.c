/* The results equal libsodium's for every length around the block boundaries and for every division
 * into two parts. */
#include "libcommon/base/sha256.h"

#include <sodium.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH_MAX 200

static uint8_t text[LENGTH_MAX];

static void test_sha256_equals_libsodium(void **state)
{
	(void)state;
	for (size_t length = 0; length <= LENGTH_MAX; length++) {
		uint8_t expected[SHA256_BYTES], digest[SHA256_BYTES];
		struct sha256 sha;

		(void)crypto_hash_sha256(expected, text, length);
		sha256_begin(&sha);
		sha256_add(&sha, text, length / 3);
		sha256_add(&sha, NULL, 0);
		sha256_add(&sha, text + length / 3, length - length / 3);
		sha256_end(&sha, digest);
		assert_memory_equal(digest, expected, sizeof(digest));
	}
}

static void test_hmac256_equals_libsodium(void **state)
{
	uint8_t key[SHA256_BYTES];
	struct hmac256 hmac;

	(void)state;
	for (size_t length = 0; length <= LENGTH_MAX; length++) {
		uint8_t expected[SHA256_BYTES], code[SHA256_BYTES];

		memcpy(key, text + length % 100, sizeof(key));
		hmac256_key(&hmac, key);
		(void)crypto_auth_hmacsha256(expected, text, length, key);
		for (int again = 0; again < 2; again++) { /* a key serves several messages */
			hmac256(&hmac, text, length / 2, text + length / 2, length - length / 2,
				code);
			assert_memory_equal(code, expected, sizeof(code));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sha256_equals_libsodium),
		cmocka_unit_test(test_hmac256_equals_libsodium),
	};

	if (sodium_init() < 0)
		return 1;
	for (size_t i = 0; i < LENGTH_MAX; i++)
		text[i] = (uint8_t)(i * 131 + 7);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
