/* Which folders and files of keys a service refuses, and what it gives up at its start. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libcommon/io/key_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/carillon-keys-XXXXXX", own[64], path[96];

static int make(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(own, sizeof(own), "%s/wallet", folder);
	(void)snprintf(path, sizeof(path), "%s/a.key", own);
	assert_int_equal(mkdir(own, 0700), 0);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	return close(fd);
}

static int clear(void **state)
{
	(void)state;
	(void)unlink(path);
	return rmdir(own) == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void refuses(const char *says)
{
	char error[KEY_FILES_ERROR_MAX] = "";

	assert_false(key_files_closed(folder, "wallet", error, sizeof(error)));
	if (strstr(error, says) == NULL)
		fail_msg("found \"%s\", expected \"%s\"", error, says);
}

static void test_modes(void **state)
{
	static const struct {
		mode_t folder, file;
		const char *says; /* NULL: taken */
	} cases[] = {
		{ 0700, 0600, NULL },
		{ 0500, 0400, NULL },
		{ 0700, 0640, "/wallet/a.key: found mode 640, expected 600" },
		{ 0700, 0604, "/wallet/a.key: found mode 604, expected 600" },
		{ 0700, 0622, "/wallet/a.key: found mode 622, expected 600" },
		{ 0710, 0600, "/wallet: found mode 710, expected 700" },
		{ 0701, 0600, "/wallet: found mode 701, expected 700" },
	};
	char error[KEY_FILES_ERROR_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(chmod(path, cases[i].file), 0);
		assert_int_equal(chmod(own, cases[i].folder), 0);
		if (cases[i].says != NULL)
			refuses(cases[i].says);
		else
			assert_true(key_files_closed(folder, "wallet", error, sizeof(error)));
	}
	assert_int_equal(chmod(own, 0700), 0);
}

static void test_what_is_not_a_file(void **state)
{
	char error[KEY_FILES_ERROR_MAX];

	(void)state;
	assert_int_equal(unlink(path), 0);
	assert_true(key_files_closed(folder, "wallet", error, sizeof(error)));
	assert_int_equal(symlink("/etc/passwd", path), 0);
	refuses("/wallet/a.key: found a link, expected a file");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	refuses("/wallet/a.key: found a folder, expected a file");
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	refuses("/wallet/a.key: found a thing that is not a file, expected a file");
	assert_int_equal(unlink(path), 0);
	assert_false(key_files_closed(folder, "gateway", error, sizeof(error)));
	assert_non_null(strstr(error, "/gateway: No such file or directory, expected the folder of "
				      "the keys of gateway"));
}

static void test_owners(void **state)
{
	struct stat about = { .st_mode = S_IFREG | 0600, .st_uid = geteuid() };
	char error[KEY_FILES_ERROR_MAX] = "";

	(void)state;
	assert_true(key_file_closed("x", &about, error, sizeof(error)));
	about.st_uid = 0;
	assert_true(key_file_closed("x", &about, error, sizeof(error)));
	about.st_uid = geteuid() + 1;
	assert_int_equal(key_file_closed("x", &about, error, sizeof(error)), geteuid() == 0);
	assert_true(geteuid() == 0 || strstr(error, "x: found the owner ") != NULL);
}

/* In a process of its own: what is given up cannot be had again. */
static void test_what_a_process_gives_up(void **state)
{
	char error[KEY_FILES_ERROR_MAX] = "";
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		struct rlimit core;
		bool good = key_files_begin(folder, "wallet", error, sizeof(error)) &&
			    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 &&
			    getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max == 0;
#ifndef __SANITIZE_ADDRESS__
		good = good && prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0;
#endif
		_exit(good ? 0 : 1);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_false(key_files_begin(folder, "gateway", error, sizeof(error)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_what_is_not_a_file),
		cmocka_unit_test(test_owners),
		cmocka_unit_test(test_what_a_process_gives_up),
	};

	return cmocka_run_group_tests(tests, make, clear);
}
