/* By SIGALRM, which interrupts whatever the process waits in. Its handler calls only what a signal
 * handler may call. It is sent twice: a process that was stopped meanwhile, with its machine or
 * alone, has the last second to come back. */
#include "libcommon/io/deadline.h"

#include <signal.h>
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
	(void)alarm(0); /* the handler must not read half a text */
	(void)snprintf(last_words, sizeof(last_words),
		"not back after %d s of %s: the process ends\n", seconds, doing);
	(void)sigaction(SIGALRM, &action, NULL);
	warned = 0;
	(void)alarm((unsigned)(seconds - LAST_SECONDS));
}

void deadline_clear(void)
{
	(void)alarm(0);
}
