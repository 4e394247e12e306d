/* Secrets and streams: known answers made by another implementation (Python's hmac), and the key
 * of new moves. */
#include "services/spin-engine/adapters/keys.h"

#include <setjmp.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PLAYER INT64_C(0x0001000000000007)

static void assert_hex(const uint8_t *bytes, const char *expected)
{
	char hex[2 * SECRET_BYTES + 1];

	sodium_bin2hex(hex, sizeof(hex), bytes, SECRET_BYTES);
	assert_string_equal(hex, expected);
}

static void test_keys_known_answers(void **unused)
{
	uint8_t key[SECRET_BYTES], nonce[20], secret[SECRET_BYTES], out[SECRET_BYTES];
	struct player_salt salt = { .key = 1 };
	struct keys *keys;

	(void)unused;
	for (uint8_t i = 0; i < SECRET_BYTES; i++)
		key[i] = i;
	for (uint8_t i = 0; i < PLAYER_SALT_BYTES; i++)
		salt.bytes[i] = (uint8_t)(16 + i);
	memset(nonce, 0xab, sizeof(nonce));
	keys = keys_of(key);
	assert_true(keys_secret(keys, PLAYER, 3, &salt, secret));
	assert_hex(secret, "4848e89a27165e4d5744de094c27fc56635687aebc321f7d349c899485805da2");
	keys_secret_hash(secret, out);
	assert_hex(out, "18fa99634ec6eaa7ae372bc7e80bf6dd3fabcd708b92ebf717cb349b849490fc");
	keys_stream(secret, nonce, sizeof(nonce), "game", out);
	assert_hex(out, "8e1f534882c2c649f236cfd6f5f3a1e041a9e60aa32877c5db12810ad57cacd5");
	keys_stream(secret, nonce, sizeof(nonce), "gamble", out);
	assert_hex(out, "546b80ab7a12ddc28e9077fc32c2c8d749c22a3849ffb89c63863064aa1a843c");
	keys_stream(secret, nonce, sizeof(nonce), "cards", out);
	assert_hex(out, "c4420250aee94a1a76aa92c50f79f2e8231b6480ae4218999626029398523f0e");
	salt.key = 2; /* an unknown key */
	assert_false(keys_secret(keys, PLAYER, 3, &salt, secret));
	keys_free(&keys);
	assert_null(keys);
}

static void test_keys_salts_differ(void **unused)
{
	uint8_t key[SECRET_BYTES] = { 1 };
	struct player_salt one, two;
	struct keys *keys = keys_of(key);

	(void)unused;
	keys_salt(keys, &one);
	keys_salt(keys, &two);
	assert_int_equal(one.key, 1);
	assert_memory_not_equal(one.bytes, two.bytes, sizeof(one.bytes));
	keys_free(&keys);
}

#define HEX "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

static void load_text(const char *path, const char *text, struct keys **keys_r)
{
	FILE *file = fopen(path, "w");
	char error[KEYS_ERROR_MAX];

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(keys_load(path, keys_r, error), NUMBERED_KEYS_OK);
}

/* An added key makes salts from its time on; earlier keys stay. */
static void test_keys_rotate(void **unused)
{
	char folder[] = "/tmp/test_keys.XXXXXX", path[64], error[KEYS_ERROR_MAX];
	struct keys *keys = NULL, *fresh = NULL;
	struct player_salt salt;
	uint8_t secret[SECRET_BYTES], check[2][KEY_CHECK_BYTES];

	(void)unused;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/key", folder);
	assert_int_equal(keys_load(path, &keys, error), NUMBERED_KEYS_MISSING);
	assert_null(keys);
	load_text(path, "1 " HEX "\n", &keys);
	keys_salt(keys, &salt);
	assert_int_equal(salt.key, 1);
	keys_check(keys, 0, check[0]);
	/* Not yet: the year is 5138. */
	load_text(path, "1 " HEX "\n2 " HEX " 99999999999\n", &fresh);
	assert_true(keys_follow(path, fresh, keys, error));
	keys_take(keys, &fresh);
	assert_null(fresh);
	assert_int_equal(keys_count(keys), 2);
	assert_int_equal(keys_current(keys), 1);
	load_text(path, "1 " HEX "\n2 " HEX " 1000\n", &fresh);
	assert_true(keys_follow(path, fresh, keys, error));
	keys_take(keys, &fresh);
	assert_int_equal(keys_current(keys), 2);
	assert_int_equal(keys_number(keys, 1), 2);
	assert_true(keys_secret(keys, PLAYER, 3, &salt, secret)); /* of the first key */
	keys_check(keys, 0, check[1]);
	assert_memory_equal(check[0], check[1], KEY_CHECK_BYTES);
	load_text(path, "2 " HEX "\n", &fresh);
	assert_false(keys_follow(path, fresh, keys, error));
	assert_non_null(strstr(error, "key 1 is missing"));
	keys_free(&fresh);
	keys_free(&keys);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_known_answers),
		cmocka_unit_test(test_keys_salts_differ),
		cmocka_unit_test(test_keys_rotate),
	};

	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
