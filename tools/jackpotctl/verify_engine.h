/* A service that replays what it drew: a process of `carillon-spin-engine --verify` or
 * `carillon-jackpot-cards --verify`, its input and its verdicts. */
#ifndef CARILLON_JACKPOTCTL_VERIFY_ENGINE_H
#define CARILLON_JACKPOTCTL_VERIFY_ENGINE_H

#include "tools/jackpotctl/verify.h"

#define ENGINE_KEYLESS 3 /* its exit status without a key */

struct engine;

/* What the verdicts are about. */
struct engine_subject {
	int point;		      /* of the report; differences are its breaches */
	const char *whole, *part;     /* what the two numbers of a verdict count: "shard", "seq" */
	struct verify_replay *replay; /* gets the sums */
};

/* Starts the program. NULL: it cannot be run. Borrows subject and report. definitions: a folder
 * whose definitions alone it accepts; NULL: those that it is sent. */
struct engine *engine_start(const char *path, const char *definitions,
	const struct engine_subject *subject, struct verify_report *report);
/* The program of that name beside this one, or `given` if not NULL. Static memory: until the next
 * call. */
const char *engine_path(const char *given, const char *name);
/* Queues a message behind its length and, when much is queued, waits until it is taken. False: the
 * engine has ended. */
bool engine_send(struct engine *engine, const uint8_t *bytes, size_t length);
/* Rows that have a verdict. */
uint64_t engine_judged(const struct engine *engine);
/* Sends the rest, takes all verdicts and waits for the end. Returns the exit status, or -1 if the
 * last line of its output is missing. Frees. */
int engine_end(struct engine **engine);

#endif
