/* A process that is not back in time ends with status 70 and says so; one that is back goes on. */
#include "libcommon/io/deadline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void hangs(void)
{
	deadline_set(2, "a test");
	for (;;)
		(void)pause();
}

static void goes_on(void)
{
	deadline_set(2, "a test");
	deadline_set(60, "another");
	(void)sleep(3);
	deadline_set(2, "a test");
	deadline_clear();
	(void)sleep(3);
	_exit(0);
}

/* Its status, and what it wrote. */
static int child_run(void (*child)(void), char *said, size_t room)
{
	int ends[2], status;
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		(void)dup2(ends[1], STDERR_FILENO);
		child();
		_exit(1);
	}
	assert_true(pid > 0);
	(void)close(ends[1]);
	ssize_t n = read(ends[0], said, room - 1);
	said[n > 0 ? n : 0] = '\0';
	(void)close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_deadline_ends_what_hangs(void **state)
{
	char said[200];
	(void)state;
	assert_int_equal(child_run(hangs, said, sizeof(said)), 70);
	assert_string_equal(said, "not back after 2 s of a test: the process ends\n");
}

/* Stopped for longer than the deadline, and back within the last second. */
static void stopped(void)
{
	pid_t waker;
	deadline_set(2, "a test");
	waker = fork();
	if (waker == 0) {
		(void)sleep(3);
		(void)kill(getppid(), SIGCONT);
		_exit(0);
	}
	(void)raise(SIGSTOP);
	deadline_clear();
	_exit(0);
}

static void test_deadline_of_a_stopped_process(void **state)
{
	char said[200];
	(void)state;
	assert_int_equal(child_run(stopped, said, sizeof(said)), 0);
	assert_string_equal(said, "");
}

static void test_deadline_that_is_kept(void **state)
{
	char said[200];
	(void)state;
	assert_int_equal(child_run(goes_on, said, sizeof(said)), 0);
	assert_string_equal(said, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deadline_ends_what_hangs),
		cmocka_unit_test(test_deadline_of_a_stopped_process),
		cmocka_unit_test(test_deadline_that_is_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
