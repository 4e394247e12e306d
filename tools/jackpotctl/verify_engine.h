/* The engine that replays: a process of `carillon-spin-engine --verify`, its input and its
 * verdicts. */
#ifndef CARILLON_JACKPOTCTL_VERIFY_ENGINE_H
#define CARILLON_JACKPOTCTL_VERIFY_ENGINE_H

#include "tools/jackpotctl/verify.h"

#define ENGINE_KEYLESS 3 /* its exit status without a key */

struct engine;

/* Starts the program. NULL: it cannot be run. Verdicts go to point VERIFY_POINT_ROUNDS of the
 * report. */
struct engine *engine_start(const char *path, struct verify_report *report);
/* Queues a message behind its length and, when much is queued, waits until it is taken. False: the
 * engine has ended. */
bool engine_send(struct engine *engine, const uint8_t *bytes, size_t length);
/* Rows that have a verdict. */
uint64_t engine_judged(const struct engine *engine);
/* Sends the rest, takes all verdicts and waits for the end. Returns the exit status, or -1 if the
 * last line of its output is missing. Frees. */
int engine_end(struct engine **engine);

#endif
