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

static void test_chain_head_round_trip(void **state)
{
	struct chain_key key = key_of(1);
	struct chain_head head;
	char line[CHAIN_HEAD_LINE_MAX];
	const char *wrong;

	(void)state;
	head_line(line, &key);
	assert_true(chain_head_read(line, key.public_key, &head, &wrong));
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
	struct chain_head head;
	char line[CHAIN_HEAD_LINE_MAX];
	const char *wrong;

	(void)state;
	head_line(line, &key);
	assert_false(chain_head_read(line, other.public_key, &head, &wrong));
	assert_string_equal(wrong, "a signature by another key");
	for (size_t i = 0; line[i] != '\0'; i++) {
		char was = line[i];
		line[i] = was == '5' ? '6' : '5';
		assert_false(chain_head_read(line, key.public_key, &head, &wrong));
		line[i] = was;
	}
	assert_true(chain_head_read(line, key.public_key, &head, &wrong));
	static const char *const none[] = { "", " ", "3", "3 17 4711", "-1 17 4711 00 1 00",
		"99999999999999999999 1 1 aa 1 aa", "3 17 4711 zz 1 zz" };
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		assert_false(chain_head_read(none[i], key.public_key, &head, &wrong));
		assert_string_equal(wrong, "a line that is not a head");
	}
	line[strlen(line) - 1] = '\0';
	assert_false(chain_head_read(line, key.public_key, &head, &wrong));
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
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
