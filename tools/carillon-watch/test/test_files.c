/* What is told about files: disks and keys that are there, and that what is not can be seen. */
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "tools/carillon-watch/watch.h"

#include <sys/stat.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PATH_ROOM 128

static char folder[] = "/tmp/carillon-watch-XXXXXX";

static const char *in_folder(const char *name)
{
	static char path[PATH_ROOM]; /* until the next call */

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void file(const char *name)
{
	FILE *to = fopen(in_folder(name), "w");

	assert_non_null(to);
	assert_int_equal(fclose(to), 0);
}

/* Do the metrics have this text? */
static bool shown(const char *text)
{
	size_t length;
	char *all = metrics_text(&length);
	bool found = strstr(all, text) != NULL;

	free(all);
	return found;
}

static bool told(const char *name, const char *label, const char *value)
{
	char series[2 * PATH_ROOM];

	(void)snprintf(series, sizeof(series), "\n%s{%s=\"%s\"} ", name, label, value);
	return shown(series);
}

static bool readable(const char *path, int value)
{
	char series[2 * PATH_ROOM];

	(void)snprintf(
		series, sizeof(series), "\ncarillon_watch_readable{path=\"%s\"} %d\n", path, value);
	return shown(series);
}

static void test_what_is_gone_is_told_and_has_no_figures(void **state)
{
	char keys[PATH_ROOM], disk[PATH_ROOM];
	const struct watch_options options = { .keys = keys, .disks = { folder, disk } };

	(void)state;
	(void)snprintf(keys, sizeof(keys), "%s/keys", folder);
	(void)snprintf(disk, sizeof(disk), "%s/disk", folder);
	assert_int_equal(mkdir(in_folder("disk"), 0700), 0);
	assert_int_equal(mkdir(in_folder("keys"), 0700), 0);
	assert_int_equal(mkdir(in_folder("keys/wallet"), 0700), 0);
	file("keys/token.key");
	file("keys/password");
	file("keys/wallet/wallet-heads.key");
	watch_files(&options);
	assert_true(told("carillon_disk_free_bytes", "path", disk));
	assert_true(told("carillon_disk_size_bytes", "path", disk));
	assert_true(told("carillon_key_age_seconds", "key", "token.key"));
	assert_true(told("carillon_key_age_seconds", "key", "wallet/wallet-heads.key"));
	assert_false(told("carillon_key_age_seconds", "key", "password"));
	assert_true(readable(disk, 1));
	assert_true(readable(in_folder("keys/"), 1));
	assert_true(readable(in_folder("keys/wallet/"), 1));

	assert_int_equal(rmdir(in_folder("disk")), 0);
	assert_int_equal(unlink(in_folder("keys/wallet/wallet-heads.key")), 0);
	assert_int_equal(rmdir(in_folder("keys/wallet")), 0);
	watch_files(&options);
	assert_false(told("carillon_disk_free_bytes", "path", disk));
	assert_false(told("carillon_disk_size_bytes", "path", disk));
	assert_true(told("carillon_disk_free_bytes", "path", folder));
	assert_false(told("carillon_key_age_seconds", "key", "wallet/wallet-heads.key"));
	assert_true(readable(disk, 0));
	assert_false(readable(in_folder("keys/wallet/"), 1));

	assert_int_equal(unlink(in_folder("keys/token.key")), 0);
	assert_int_equal(unlink(in_folder("keys/password")), 0);
	assert_int_equal(rmdir(in_folder("keys")), 0);
	assert_int_equal(mkdir(in_folder("disk"), 0700), 0);
	watch_files(&options);
	assert_true(told("carillon_disk_free_bytes", "path", disk));
	assert_true(readable(disk, 1));
	assert_false(told("carillon_key_age_seconds", "key", "token.key"));
	assert_true(readable(in_folder("keys/"), 0));
	assert_int_equal(rmdir(in_folder("disk")), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_gone_is_told_and_has_no_figures),
	};

	log_open("test", "test-1", LOG_ERROR);
	if (mkdtemp(folder) == NULL)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
