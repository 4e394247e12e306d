/* Stored values that are not what they must be: a column of another kind, a number out of its
 * bounds, books that do not add up. Who reads them says so with stored_wrong.
 *
 * - Between stored_try and stored_tried the first fault is noted and the reader goes on with a
 *   harmless value. The caller then drops what was read, and puts that player, pool or set out of
 *   work.
 * - Elsewhere it ends the process, like fatal().
 *
 * A try may hold another one. Only in the thread of the loop. */
#ifndef CARILLON_IO_STORED_H
#define CARILLON_IO_STORED_H

#include <stdbool.h>

#define STORED_TEXT_MAX 240

struct stored_fault {
	char text[STORED_TEXT_MAX]; /* what is wrong; empty: nothing */
	struct stored_fault *outer; /* the try around it */
};

/* From now on faults are noted here. */
void stored_try(struct stored_fault *fault);
/* In a try: has nothing been wrong so far? */
bool stored_good(void);
/* Ends the try. True: nothing was wrong. */
bool stored_tried(struct stored_fault *fault);
/* Says what was read, where, what was found and what was expected. */
__attribute__((format(printf, 1, 2))) void stored_wrong(const char *format, ...);

#endif
