/* The file of numbered keys: what is read and refused, which key is current, what may replace it.
 */
#include "libcommon/io/numbered_keys.h"

#include <setjmp.h>
#include <sodium.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define HEX_1 "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define HEX_2 "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define SIXTEEN_BUT_ONE                                                                            \
	"1 " HEX_1 "\n2 " HEX_1 "\n3 " HEX_1 "\n4 " HEX_1 "\n5 " HEX_1 "\n6 " HEX_1 "\n7 " HEX_1   \
	"\n8 " HEX_1 "\n9 " HEX_1 "\n10 " HEX_1 "\n11 " HEX_1 "\n12 " HEX_1 "\n13 " HEX_1          \
	"\n14 " HEX_1 "\n15 " HEX_1 "\n"

static char folder[] = "/tmp/carillon-numbered-keys-XXXXXX", path[sizeof(folder) + 8];

static int folder_make(void **state)
{
	(void)state;
	if (sodium_init() < 0 || mkdtemp(folder) == NULL)
		return 1;
	(void)snprintf(path, sizeof(path), "%s/key", folder);
	return 0;
}

static int folder_remove(void **state)
{
	(void)state;
	(void)unlink(path);
	return rmdir(folder);
}

static void write_file(const char *text, mode_t mode)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static struct numbered_keys keys_of(const char *text)
{
	struct numbered_keys keys;
	char error[NUMBERED_KEYS_ERROR_MAX];
	write_file(text, 0600);
	if (numbered_keys_load(path, &keys, error) != NUMBERED_KEYS_OK)
		fail_msg("%s", error);
	return keys;
}

static void test_numbered_keys_files(void **state)
{
	static const struct {
		const char *text;
		mode_t mode;
		size_t count; /* 0: refused */
		const char *says;
	} rows[] = {
		{ "1 " HEX_1 "\n", 0600, 1, "" },
		{ "1 " HEX_1, 0600, 1, "" },
		{ "1 " HEX_1 "\r\n", 0600, 1, "" },
		{ "# keep a copy\n\n1 " HEX_1 "\n4 " HEX_2 "\n", 0600, 2, "" },
		{ "1 " HEX_1 "\n2 " HEX_2 " 1790000000\n", 0600, 2, "" },
		{ "2147483647 " HEX_1 "\n", 0600, 1, "" },
		{ SIXTEEN_BUT_ONE "16 " HEX_1 "\n", 0600, 16, "" },
		{ SIXTEEN_BUT_ONE "16 " HEX_1 "\n17 " HEX_1 "\n", 0600, 0, "line 17" },
		{ "2147483648 " HEX_1 "\n", 0600, 0, "line 1" },
		{ "1 " HEX_1 "\n2 " HEX_2 " soon\n", 0600, 0, "line 2" },
		{ "1 " HEX_1 "\n2 " HEX_2 " \n", 0600, 0, "line 2" },
		{ "1 " HEX_1 "\n2 " HEX_2 " -5\n", 0600, 0, "line 2" },
		{ "1 " HEX_1 "\n2 " HEX_2 " 5 6\n", 0600, 0, "line 2" },
		{ "1 " HEX_1 "\n2 " HEX_2 "5\n", 0600, 0, "line 2" },
		{ "1 " HEX_1 "\n2 " HEX_2 " 99999999999999999999\n", 0600, 0, "line 2" },
		{ "1 " HEX_1 "\n", 0640, 0, "found mode 640, expected 600" },
		{ "1 " HEX_1 "\n", 0604, 0, "found mode 604, expected 600" },
		{ "", 0600, 0, "found no key, expected" },
		{ "# nothing\n", 0600, 0, "found no key, expected" },
		{ HEX_1 "\n", 0600, 0, "line 1" },
		{ "0 " HEX_1 "\n", 0600, 0, "line 1" },
		{ "-1 " HEX_1 "\n", 0600, 0, "line 1" },
		{ "1 zz\n", 0600, 0, "line 1" },
		{ "1 0001\n", 0600, 0, "line 1" },
		{ "1 " HEX_1 "\n1 " HEX_2 "\n", 0600, 0, "line 2" },
		{ "2 " HEX_1 "\n1 " HEX_2 "\n", 0600, 0, "line 2" },
	};
	struct numbered_keys keys;
	char error[NUMBERED_KEYS_ERROR_MAX];
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_file(rows[i].text, rows[i].mode);
		enum numbered_keys_status status = numbered_keys_load(path, &keys, error);
		if (status != (rows[i].count > 0 ? NUMBERED_KEYS_OK : NUMBERED_KEYS_REFUSED) ||
			keys.count != rows[i].count)
			fail_msg("row %zu: status %d, %zu keys", i, (int)status, keys.count);
		if (status != NUMBERED_KEYS_OK &&
			(strstr(error, rows[i].says) == NULL || strstr(error, "expected") == NULL))
			fail_msg("row %zu: %s", i, error);
	}
}

static void test_numbered_keys_one_instance_creates(void **state)
{
	struct numbered_keys keys, again;
	struct stat about;
	char error[NUMBERED_KEYS_ERROR_MAX];
	(void)state;
	(void)unlink(path);
	assert_int_equal(numbered_keys_load(path, &keys, error), NUMBERED_KEYS_MISSING);
	assert_non_null(strstr(error, path));
	assert_true(numbered_keys_create(path, error));
	assert_int_equal(stat(path, &about), 0);
	assert_int_equal(about.st_mode & 0777, 0600);
	assert_int_equal(numbered_keys_load(path, &keys, error), NUMBERED_KEYS_OK);
	assert_int_equal(keys.count, 1);
	assert_int_equal(keys.key[0].number, 1);
	assert_int_equal(keys.key[0].since_s, 0);
	assert_true(numbered_keys_create(path, error)); /* another instance was first */
	assert_int_equal(numbered_keys_load(path, &again, error), NUMBERED_KEYS_OK);
	assert_memory_equal(&keys, &again, sizeof(keys));
	assert_false(numbered_keys_create("/nonexistent/key", error));
	assert_non_null(strstr(error, "/nonexistent/key: cannot be written: "));
}

/* A clock that goes back makes an older key current again, never one that does not exist. */
static void test_numbered_keys_current_is_the_newest_that_is_due(void **state)
{
	static const struct {
		const char *text;
		uint64_t now_s;
		uint32_t number;
	} rows[] = {
		{ "1 " HEX_1 "\n", 0, 1 },
		{ "3 " HEX_1 " 100\n", 0, 3 }, /* the first, whatever its time */
		{ "1 " HEX_1 "\n5 " HEX_2 "\n", 0, 5 },
		{ "1 " HEX_1 "\n2 " HEX_2 " 100\n", 99, 1 },
		{ "1 " HEX_1 "\n2 " HEX_2 " 100\n", 100, 2 },
		{ "1 " HEX_1 "\n2 " HEX_2 " 100\n3 " HEX_1 " 200\n", 150, 2 },
		{ "1 " HEX_1 "\n2 " HEX_2 " 100\n3 " HEX_1 " 200\n", 5000, 3 },
		{ "1 " HEX_1 "\n2 " HEX_2 " 200\n3 " HEX_1 " 100\n", 150, 3 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct numbered_keys keys = keys_of(rows[i].text);
		const struct numbered_key *key = numbered_keys_current(&keys, rows[i].now_s);
		if (key->number != rows[i].number)
			fail_msg("row %zu: key %u", i, key->number);
		assert_ptr_equal(numbered_keys_find(&keys, key->number), key);
		assert_null(numbered_keys_find(&keys, 77));
	}
}

static void test_numbered_keys_follow_keeps_every_key(void **state)
{
	static const struct {
		const char *known, *fresh;
		const char *says; /* "": it follows */
	} rows[] = {
		{ "1 " HEX_1 "\n", "1 " HEX_1 "\n", "" },
		{ "1 " HEX_1 "\n", "1 " HEX_1 "\n2 " HEX_2 " 7\n", "" },
		{ "1 " HEX_1 "\n2 " HEX_2 " 7\n", "1 " HEX_1 "\n2 " HEX_2 " 9\n", "" },
		{ "1 " HEX_1 "\n", "2 " HEX_2 "\n", "key 1 is missing" },
		{ "1 " HEX_1 "\n2 " HEX_2 "\n", "1 " HEX_1 "\n", "key 2 is missing" },
		{ "1 " HEX_1 "\n", "1 " HEX_2 "\n2 " HEX_1 "\n", "key 1 differs" },
	};
	char error[NUMBERED_KEYS_ERROR_MAX];
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct numbered_keys known = keys_of(rows[i].known), fresh = keys_of(rows[i].fresh);
		error[0] = '\0';
		if (numbered_keys_follow(path, &fresh, &known, error) != (rows[i].says[0] == '\0'))
			fail_msg("row %zu: %s", i, error);
		assert_non_null(strstr(error, rows[i].says));
	}
}

static void test_numbered_keys_change_is_seen_once(void **state)
{
	struct stat seen = { 0 };
	char other[sizeof(path) + 8];
	(void)state;
	(void)snprintf(other, sizeof(other), "%s.new", path);
	write_file("1 " HEX_1 "\n", 0600);
	assert_true(numbered_keys_changed(path, &seen));
	assert_false(numbered_keys_changed(path, &seen));
	assert_int_equal(rename(path, other), 0);
	assert_false(numbered_keys_changed(path, &seen)); /* missing: nothing to read */
	write_file("1 " HEX_1 "\n2 " HEX_2 "\n", 0600);
	assert_true(numbered_keys_changed(path, &seen));
	assert_false(numbered_keys_changed(path, &seen));
	assert_int_equal(rename(other, path), 0); /* replaced in one step */
	assert_true(numbered_keys_changed(path, &seen));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbered_keys_files),
		cmocka_unit_test(test_numbered_keys_one_instance_creates),
		cmocka_unit_test(test_numbered_keys_current_is_the_newest_that_is_due),
		cmocka_unit_test(test_numbered_keys_follow_keeps_every_key),
		cmocka_unit_test(test_numbered_keys_change_is_seen_once),
	};
	return cmocka_run_group_tests_name("numbered keys", tests, folder_make, folder_remove);
}
