#include "tools/slotmath/progress.h"

#include "libcommon/io/clock.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define SILENT_MS 2000
#define TERMINAL_MS 250
#define LINES_MS 10000
#define BAR 30

static volatile sig_atomic_t stopping;

static int64_t now_ms(void)
{
	return (int64_t)(clock_mono_us() / 1000);
}

static void on_interrupt(int number)
{
	(void)number;
	stopping = 1;
}

void interrupt_watch(void)
{
	struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
}

bool interrupted(void)
{
	return stopping;
}

void progress_begin(struct progress *progress, const char *what, bool quiet)
{
	*progress = (struct progress){ .what = what, .quiet = quiet, .started_ms = now_ms() };
}

void progress_show(struct progress *progress, uint64_t done, uint64_t total)
{
	int64_t now = now_ms(), gone = now - progress->started_ms;
	bool terminal = isatty(STDERR_FILENO);
	double part = (double)done / (double)total;
	char bar[BAR + 1];

	if (progress->quiet || gone < SILENT_MS ||
		now - progress->printed_ms < (terminal ? TERMINAL_MS : LINES_MS))
		return;
	for (int i = 0; i < BAR; i++)
		bar[i] = i < (int)(part * BAR) ? '#' : '.';
	bar[BAR] = 0;
	fprintf(stderr, "%s%s [%s] %5.1f %%, %.0f s left%s", terminal ? "\r" : "", progress->what,
		bar, part * 100, part > 0 ? (double)gone / 1000 * (1 - part) / part : 0.0,
		terminal ? "  " : "\n");
	progress->printed_ms = now;
	progress->shown = terminal;
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs("\n", stderr);
	progress->shown = false;
}
