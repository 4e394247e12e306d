/* What a process leaves on standard error when it dies by a fault of its own. */
#include "libcommon/io/crash.h"

/* First: cmocka.h has its own assert. */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/effort.h" /* a sanitizer reports crashes itself */

#define ROOM 16384

#ifdef CARILLON_SANITIZED

static void test_the_sanitizer_keeps_its_handlers(void **state)
{
	struct sigaction before, after;
	(void)state;
	assert_int_equal(sigaction(SIGSEGV, NULL, &before), 0);
	crash_begin();
	assert_int_equal(sigaction(SIGSEGV, NULL, &after), 0);
	assert_true(before.sa_handler == after.sa_handler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_sanitizer_keeps_its_handlers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

/* What a child that crashes writes; returns the signal that it ends by. */
static int crash(void (*how)(void), char out[ROOM])
{
	int ends[2], status;
	size_t length = 0;
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		static const struct rlimit none = { 0, 0 };
		(void)setrlimit(RLIMIT_CORE, &none);
		(void)dup2(ends[1], STDERR_FILENO);
		crash_begin();
		how();
		_exit(0);
	}
	(void)close(ends[1]);
	for (ssize_t n; length < ROOM - 1; length += (size_t)n)
		if ((n = read(ends[0], out + length, ROOM - 1 - length)) <= 0)
			break;
	out[length] = '\0';
	(void)close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static size_t frames(const char *text)
{
	size_t n = 0;
	for (const char *at = text; (at = strstr(at, "(+0x")) != NULL; at++)
		n++;
	return n;
}

static void *no_address(void *volatile nowhere)
{
	(void)pthread_setname_np(pthread_self(), "second");
	*(volatile int *)nowhere = 1;
	return nowhere;
}

static void second_thread(void)
{
	pthread_t thread;
	(void)pthread_create(&thread, NULL, no_address, NULL);
	(void)pthread_join(thread, NULL);
}

static void *no_address_either(void *barrier)
{
	(void)pthread_barrier_wait(barrier);
	return no_address(NULL);
}

static void many_threads(void)
{
	pthread_t threads[8];
	static pthread_barrier_t barrier;
	(void)pthread_barrier_init(&barrier, NULL, 8);
	for (int i = 0; i < 8; i++)
		(void)pthread_create(&threads[i], NULL, no_address_either, &barrier);
	for (int i = 0; i < 8; i++)
		(void)pthread_join(threads[i], NULL);
}

static void broken_invariant(void)
{
	assert(!"the books balance");
}

static void (*volatile deeper)(volatile char *before);

static void endless(volatile char *before)
{
	volatile char more[4096];
	more[0] = *before;
	deeper(more);
	*before = more[0];
}

static void stack_overflow(void)
{
	volatile char first = 0;
	deeper = endless;
	endless(&first);
}

static void signal_sent(void)
{
	(void)kill(getpid(), SIGBUS);
}

static void test_a_crash_leaves_its_calls(void **state)
{
	static const struct {
		void (*how)(void);
		int number;
		const char *line;
	} TABLE[] = {
		{ second_thread, SIGSEGV, "died by signal 11 (SIGSEGV) in thread second\n" },
		{ many_threads, SIGSEGV, "died by signal 11 (SIGSEGV) in thread second\n" },
		{ broken_invariant, SIGABRT, "died by signal 6 (SIGABRT) in thread test_crash\n" },
		{ stack_overflow, SIGSEGV, "died by signal 11 (SIGSEGV) in thread test_crash\n" },
		{ signal_sent, SIGBUS, "died by signal 7 (SIGBUS) in thread test_crash\n" },
	};
	char text[ROOM];
	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		int number = crash(TABLE[i].how, text);
		const char *line = strstr(text, TABLE[i].line);
		if (number != TABLE[i].number || line == NULL || frames(line) < 2 ||
			strstr(line + 1, "died by signal") != NULL)
			fail_msg("case %zu: ended by signal %d: %s", i, number, text);
	}
}

static void test_an_assert_is_above_its_calls(void **state)
{
	char text[ROOM];
	(void)state;
	assert_int_equal(crash(broken_invariant, text), SIGABRT);
	const char *message = strstr(text, "the books balance");
	assert_non_null(message);
	assert_non_null(strstr(message, "died by signal 6 (SIGABRT)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_crash_leaves_its_calls),
		cmocka_unit_test(test_an_assert_is_above_its_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
