/* Logs are kept within a bound while their programs write to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/carillon-supervisor/log.h"

#define LINES 20000
#define LINE "{\"message\":\"line %07d\"}\n"
#define LINE_BYTES 27

static char folder[] = "/tmp/carillon-log-XXXXXX";
static char text[LINES * LINE_BYTES + 1];

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("log", 0755) != 0;
}

static int drop_folder(void **state)
{
	char command[64];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf %s", folder);
	return chdir("/") != 0 || system(command) != 0;
}

static const char *content(const char *path)
{
	FILE *file = fopen(path, "r");

	if (file == NULL)
		return NULL;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	(void)fclose(file);
	return text;
}

static void say(int fd, const char *line)
{
	assert_int_equal(write(fd, line, strlen(line)), strlen(line));
}

static void test_log_moves_when_it_is_too_large(void **state)
{
	int fd = sup_log_open("a");

	(void)state;
	assert_true(fd >= 0);
	say(fd, "first\n");
	assert_int_equal(sup_log_bound("a", 6), SUP_LOG_OK);
	assert_null(content("log/a.log.1"));
	say(fd, "second\n");
	assert_int_equal(sup_log_bound("a", 6), SUP_LOG_EMPTIED);
	assert_string_equal(content("log/a.log"), "");
	assert_string_equal(content("log/a.log.1"), "first\nsecond\n");
	say(fd, "third\n"); /* by the file that was open all the time */
	say(fd, "fourth\n");
	assert_string_equal(content("log/a.log"), "third\nfourth\n");
	assert_int_equal(sup_log_bound("a", 6), SUP_LOG_EMPTIED);
	assert_string_equal(content("log/a.log.1"), "third\nfourth\n");
	assert_int_equal(sup_log_bound("a", 6), SUP_LOG_OK);
	(void)close(fd);
}

static void test_log_that_is_missing_is_in_order(void **state)
{
	(void)state;
	assert_int_equal(sup_log_bound("nobody", 6), SUP_LOG_OK);
	assert_null(content("log/nobody.log"));
}

static void test_log_stays_when_it_cannot_be_copied(void **state)
{
	int fd = sup_log_open("b");

	(void)state;
	say(fd, "much too long\n");
	assert_int_equal(mkdir("log/b.log.1", 0755), 0);
	assert_int_equal(sup_log_bound("b", 6), SUP_LOG_NOT_COPIED);
	assert_string_equal(content("log/b.log"), "much too long\n");
	assert_int_equal(rmdir("log/b.log.1"), 0);
	assert_int_equal(sup_log_bound("b", 6), SUP_LOG_EMPTIED);
	assert_string_equal(content("log/b.log.1"), "much too long\n");
	(void)close(fd);
}

/* As a service does: each line by one write. */
static void write_lines(void)
{
	char line[LINE_BYTES + 1];
	int fd = sup_log_open("c");

	for (int i = 1; i <= LINES; i++) {
		(void)snprintf(line, sizeof(line), LINE, i);
		if (write(fd, line, LINE_BYTES) != LINE_BYTES)
			_exit(1);
	}
	_exit(0);
}

/* Returns the number of the last whole line. All lines are whole, but perhaps the last of a log
 * that was emptied while that line was written; and none comes again. */
static int read_lines(const char *path, int last)
{
	for (const char *at = content(path); strnlen(at, LINE_BYTES) == LINE_BYTES;
		at += LINE_BYTES) {
		char whole[LINE_BYTES + 1];
		int number = 0;

		assert_int_equal(sscanf(at, "{\"message\":\"line %d", &number), 1);
		(void)snprintf(whole, sizeof(whole), LINE, number);
		assert_memory_equal(at, whole, LINE_BYTES);
		assert_true(number > last);
		last = number;
	}
	return last;
}

static void test_log_has_whole_lines_while_it_is_written(void **state)
{
	int status = 0, last = 0, emptied = 0;
	pid_t pid = fork();
	bool ended = false;

	(void)state;
	if (pid == 0)
		write_lines();
	assert_true(pid > 0);
	while (!ended) {
		ended = waitpid(pid, &status, WNOHANG) == pid;
		if (sup_log_bound("c", 64 * LINE_BYTES) == SUP_LOG_EMPTIED) {
			last = read_lines("log/c.log.1", last);
			emptied++;
		}
	}
	assert_int_equal(status, 0);
	assert_true(emptied > 0 && last > 0);
	/* A line of the moment in which the log was emptied may be lost, even the last one. */
	(void)read_lines("log/c.log", last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_log_moves_when_it_is_too_large),
		cmocka_unit_test(test_log_that_is_missing_is_in_order),
		cmocka_unit_test(test_log_stays_when_it_cannot_be_copied),
		cmocka_unit_test(test_log_has_whole_lines_while_it_is_written),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
