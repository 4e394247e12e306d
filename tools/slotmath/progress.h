/* Shows the progress of work that takes longer than two seconds, on stderr: on a terminal it
 * rewrites one line, elsewhere it prints a line every ten seconds. Also handles Ctrl-C: the first
 * one makes the command stop and print its results so far, the second one ends the program. */
#ifndef CARILLON_SLOTMATH_PROGRESS_H
#define CARILLON_SLOTMATH_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *what; /* "simulating base" */
	bool quiet, shown;
	int64_t started_ms, printed_ms;
};

void progress_begin(struct progress *progress, const char *what, bool quiet);
/* `done` of `total` (> 0). Cheap: prints at most four times a second. */
void progress_show(struct progress *progress, uint64_t done, uint64_t total);
void progress_end(struct progress *progress);

void interrupt_watch(void);
bool interrupted(void);

#endif
