/* After crash_begin only functions that a signal handler may call are called. backtrace() loads the
 * unwinder at its first call; after that it takes no lock and no memory. */
#include "libcommon/io/crash.h"

#ifdef CARILLON_SANITIZED

void crash_begin(void)
{
}

#else

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#define FRAMES_MAX 64
#define STACK_BYTES 65536
#define NAME_BYTES 16 /* of a thread; the kernel's limit */
#define LINE_BYTES 96

static const struct {
	int number;
	const char *name;
} SIGNALS[] = {
	{ SIGSEGV, "SIGSEGV" },
	{ SIGBUS, "SIGBUS" },
	{ SIGILL, "SIGILL" },
	{ SIGFPE, "SIGFPE" },
	{ SIGABRT, "SIGABRT" },
};
#define SIGNALS_N (sizeof(SIGNALS) / sizeof(SIGNALS[0]))

static atomic_int dying; /* the first thread that got here; 0: none */

static void line_add(char line[LINE_BYTES], const char *text)
{
	size_t had = strlen(line), n = strlen(text);
	if (n >= LINE_BYTES - had)
		n = LINE_BYTES - had - 1;
	memcpy(line + had, text, n);
	line[had + n] = '\0';
}

static void line_add_number(char line[LINE_BYTES], int number)
{
	char digits[3] = { (char)('0' + number / 10 % 10), (char)('0' + number % 10), '\0' };
	line_add(line, number < 10 ? digits + 1 : digits);
}

static void line_write(int number)
{
	char line[LINE_BYTES] = "died by signal ", thread[NAME_BYTES + 1] = "?";
	(void)prctl(PR_GET_NAME, thread);
	line_add_number(line, number);
	for (size_t i = 0; i < SIGNALS_N; i++) {
		if (SIGNALS[i].number == number) {
			line_add(line, " (");
			line_add(line, SIGNALS[i].name);
			line_add(line, ")");
		}
	}
	line_add(line, " in thread ");
	line_add(line, thread);
	line_add(line, "\n");
	(void)!write(STDERR_FILENO, line, strlen(line));
}

static void end_by(int number)
{
	sigset_t only;
	(void)signal(number, SIG_DFL);
	(void)sigemptyset(&only);
	(void)sigaddset(&only, number);
	(void)raise(number);
	(void)pthread_sigmask(SIG_UNBLOCK, &only, NULL);
}

static void on_crash(int number)
{
	void *frames[FRAMES_MAX];
	int none = 0, self = gettid();
	if (!atomic_compare_exchange_strong(&dying, &none, self)) {
		/* Writing the frames has failed, or another thread is writing its own. */
		while (none != self)
			(void)pause();
		end_by(number);
	}
	line_write(number);
	backtrace_symbols_fd(frames, backtrace(frames, FRAMES_MAX), STDERR_FILENO);
	end_by(number);
}

/* The calling thread, the main one, has a stack of its own for this, so that an overflow of its
 * stack is reported, too. Other threads use their own stack. */
void crash_begin(void)
{
	static char stack[STACK_BYTES];
	const stack_t aside = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK };
	void *first[1];
	(void)backtrace(first, 1);
	(void)sigaltstack(&aside, NULL);
	(void)sigfillset(&action.sa_mask);
	for (size_t i = 0; i < SIGNALS_N; i++)
		(void)sigdelset(&action.sa_mask, SIGNALS[i].number);
	for (size_t i = 0; i < SIGNALS_N; i++)
		(void)sigaction(SIGNALS[i].number, &action, NULL);
}

#endif
