/* Signed heads: a signed line reads back; any other line is rejected. */
#include "libcommon/io/chain_head.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static const char *path_of(const char *name)
{
	static char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static struct chain_key key_of(uint8_t fill)
{
	uint8_t seed[32];
	struct chain_key key;

	memset(seed, fill, sizeof(seed));
	(void)crypto_sign_seed_keypair(key.public_key, key.secret, seed);
	return key;
}

static void head_line(char line[CHAIN_HEAD_LINE_MAX], const struct chain_key *key)
{
	struct chain_head head = {
		.shard = 3, .batch = 17, .seq = 4711, .time_us = 1795219200000001
	};

	for (size_t i = 0; i < sizeof(head.digest); i++)
		head.digest[i] = (uint8_t)(i * 7);
	size_t length = chain_head_format(&head, key, line);
	assert_int_equal(strlen(line), length);
	assert_int_equal(line[length - 1], '\n');
	line[length - 1] = '\0';
}

static struct chain_publics publics_of(const struct chain_key *key)
{
	struct chain_publics keys = { .n = 1 };

	memcpy(keys.key[0], key->public_key, sizeof(keys.key[0]));
	return keys;
}

static void test_chain_head_round_trip(void **state)
{
	struct chain_key key = key_of(1);
	struct chain_publics keys = publics_of(&key);
	struct chain_head head;
	char line[CHAIN_HEAD_LINE_MAX];
	const char *wrong;

	(void)state;
	head_line(line, &key);
	assert_true(chain_head_read(line, &keys, &head, &wrong));
	assert_int_equal(head.shard, 3);
	assert_int_equal(head.batch, 17);
	assert_int_equal(head.seq, 4711);
	assert_int_equal(head.time_us, 1795219200000001);
	assert_int_equal(head.digest[31], (uint8_t)(31 * 7));
}

/* Changes each character to others that may occur in a head. */
static void test_chain_head_rejects_changed_line(void **state)
{
	struct chain_key key = key_of(1);
	struct chain_key other = key_of(2);
	struct chain_publics keys = publics_of(&key), others = publics_of(&other);
	struct chain_head head;
	char line[CHAIN_HEAD_LINE_MAX];
	const char *wrong;

	(void)state;
	head_line(line, &key);
	assert_false(chain_head_read(line, &others, &head, &wrong));
	assert_string_equal(wrong, "a signature by another key");
	for (size_t i = 0; line[i] != '\0'; i++) {
		char was = line[i];
		line[i] = was == '5' ? '6' : '5';
		assert_false(chain_head_read(line, &keys, &head, &wrong));
		line[i] = was;
	}
	assert_true(chain_head_read(line, &keys, &head, &wrong));
	static const char *const none[] = { "", " ", "3", "3 17 4711", "-1 17 4711 00 1 00",
		"99999999999999999999 1 1 aa 1 aa", "3 17 4711 zz 1 zz" };
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		assert_false(chain_head_read(none[i], &keys, &head, &wrong));
		assert_string_equal(wrong, "a line that is not a head");
	}
	line[strlen(line) - 1] = '\0';
	assert_false(chain_head_read(line, &keys, &head, &wrong));
}

static void test_chain_key_is_created_once(void **state)
{
	struct chain_key first, again;
	uint8_t public_key[CHAIN_PUBLIC_BYTES];
	char error[CHAIN_ERROR_MAX];
	struct stat about;

	(void)state;
	assert_true(chain_key_load(path_of("heads.key"), &first, error));
	assert_int_equal(stat(path_of("heads.key"), &about), 0);
	assert_int_equal(about.st_mode & 0777, 0600);
	assert_true(chain_key_load(path_of("heads.key"), &again, error));
	assert_memory_equal(&first, &again, sizeof(first));
	assert_true(chain_public_write(path_of("heads.pub"), &first, error));
	assert_true(chain_public_read(path_of("heads.pub"), public_key, error));
	assert_memory_equal(public_key, first.public_key, sizeof(public_key));
	first = key_of(3); /* a new key shows */
	assert_true(chain_public_write(path_of("heads.pub"), &first, error));
	assert_true(chain_public_read(path_of("heads.pub"), public_key, error));
	assert_memory_equal(public_key, first.public_key, sizeof(public_key));
}

static void test_chain_key_rejects_bad_files(void **state)
{
	struct chain_key key;
	uint8_t public_key[CHAIN_PUBLIC_BYTES];
	char error[CHAIN_ERROR_MAX];
	FILE *file = fopen(path_of("bad.key"), "we");

	(void)state;
	assert_non_null(file);
	(void)fputs("0123", file);
	(void)fclose(file);
	(void)chmod(path_of("bad.key"), 0644);
	assert_false(chain_key_load(path_of("bad.key"), &key, error));
	assert_non_null(strstr(error, "others may read"));
	(void)chmod(path_of("bad.key"), 0600);
	assert_false(chain_key_load(path_of("bad.key"), &key, error));
	assert_non_null(strstr(error, "64 hex digits"));
	assert_false(chain_public_read(path_of("missing"), public_key, error));
	assert_non_null(strstr(error, "missing"));
	assert_false(chain_key_load(path_of("no/folder"), &key, error));
}

/* A replaced key leaves the old heads readable; a key that no earlier one signed is refused. */
static void test_chain_key_rotates(void **state)
{
	struct chain_key first, second, third;
	struct chain_publics keys, only;
	struct chain_head head;
	char error[CHAIN_ERROR_MAX], old[CHAIN_HEAD_LINE_MAX], new[CHAIN_HEAD_LINE_MAX];
	const char *wrong;
	FILE *file;

	(void)state;
	assert_false(chain_key_rotate(path_of("missing"), path_of("heads.pub"), 1, error));
	(void)unlink(path_of("heads.pub"));
	assert_true(chain_key_load(path_of("heads.key"), &first, error));
	head_line(old, &first);
	/* path_of's memory is static. */
	char key_path[256], public_path[256];
	(void)snprintf(key_path, sizeof(key_path), "%s", path_of("heads.key"));
	(void)snprintf(public_path, sizeof(public_path), "%s", path_of("heads.pub"));
	assert_true(chain_key_rotate(key_path, public_path, 1795219200000001, error));
	assert_true(chain_key_load(key_path, &second, error));
	assert_true(chain_key_rotate(key_path, public_path, 1795219200000002, error));
	assert_true(chain_key_load(key_path, &third, error));
	head_line(new, &third);
	assert_true(chain_publics_read(public_path, &keys, error));
	assert_int_equal(keys.n, 3);
	assert_memory_equal(keys.key[0], first.public_key, CHAIN_PUBLIC_BYTES);
	assert_memory_equal(keys.key[1], second.public_key, CHAIN_PUBLIC_BYTES);
	assert_memory_equal(keys.key[2], third.public_key, CHAIN_PUBLIC_BYTES);
	assert_true(chain_head_read(old, &keys, &head, &wrong));
	assert_true(chain_head_read(new, &keys, &head, &wrong));
	assert_true(
		chain_public_write(public_path, &third, error)); /* it is there: nothing changes */
	assert_true(chain_publics_read(public_path, &keys, error));
	assert_int_equal(keys.n, 3);
	only = publics_of(&first);
	assert_true(chain_publics_agree(&only, &keys));
	assert_false(chain_head_read(new, &only, &head, &wrong));
	only = publics_of(&third);
	assert_false(chain_publics_agree(&only, &keys));
	/* Somebody's own key, signed by nobody; and one cut off in the middle. */
	file = fopen(public_path, "ae");
	assert_non_null(file);
	(void)fputs("0123456789abcdef", file);
	(void)fclose(file);
	assert_true(chain_publics_read(public_path, &keys, error));
	assert_int_equal(keys.n, 3);
	file = fopen(public_path, "ae");
	assert_non_null(file);
	(void)fputs("0123456789abcdef0123456789abcdef0123456789abcdef 5 00\n", file);
	(void)fclose(file);
	assert_false(chain_publics_read(public_path, &keys, error));
	assert_non_null(strstr(error, "no earlier key signed"));
	/* A damaged file is never replaced, nor is one without any key. */
	assert_true(chain_public_write(public_path, &second, error));
	second = key_of(4);
	assert_false(chain_public_write(public_path, &second, error));
	assert_non_null(strstr(error, "found 3 readable keys, but not the key that signs now"));
	(void)chain_publics_read(public_path, &keys, error);
	assert_int_equal(keys.n, 3);
	file = fopen(public_path, "we");
	assert_non_null(file);
	(void)fputs("nothing\n", file);
	(void)fclose(file);
	assert_false(chain_public_write(public_path, &second, error));
	assert_non_null(strstr(error, "found 0 readable keys"));
}

static int folder_make(void **state)
{
	(void)state;
	(void)snprintf(folder, sizeof(folder), "/tmp/test-chain-XXXXXX");
	return sodium_init() < 0 || mkdtemp(folder) == NULL;
}

static int folder_remove(void **state)
{
	static const char *const names[] = { "heads.key", "heads.pub", "bad.key" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		(void)unlink(path_of(names[i]));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chain_head_round_trip),
		cmocka_unit_test(test_chain_head_rejects_changed_line),
		cmocka_unit_test(test_chain_key_is_created_once),
		cmocka_unit_test(test_chain_key_rejects_bad_files),
		cmocka_unit_test(test_chain_key_rotates),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
