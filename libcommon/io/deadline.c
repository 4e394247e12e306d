/* SIGALRM interrupts any wait of the process. It comes twice, a second apart: a process that was
 * itself stopped, with its machine or alone, has that second to come back. The handler calls only
 * functions that POSIX permits in a signal handler. */
#include "libcommon/io/deadline.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STATUS 70 /* as fatal() */
#define LAST_SECONDS 1

static char last_words[160];
static volatile sig_atomic_t warned;

static void on_alarm(int number)
{
	(void)number;
	if (!warned) {
		warned = 1;
		(void)alarm(LAST_SECONDS);
		return;
	}
	(void)!write(STDERR_FILENO, last_words, strlen(last_words));
	_exit(STATUS);
}

void deadline_set(int seconds, const char *doing)
{
	static const struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	static bool handled;
	if (!handled) /* each turn of a service comes here */
		handled = sigaction(SIGALRM, &action, NULL) == 0;
	(void)alarm(0); /* the handler must not read half a text */
	(void)snprintf(last_words, sizeof(last_words),
		"not back after %d s of %s: the process ends\n", seconds, doing);
	warned = 0;
	(void)alarm((unsigned)(seconds - LAST_SECONDS));
}

void deadline_clear(void)
{
	(void)alarm(0);
}
