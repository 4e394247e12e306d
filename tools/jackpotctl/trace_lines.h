/* The lines of the services' logs that belong to traces (docs/tracing.md), in order of time. */
#ifndef CARILLON_JACKPOTCTL_TRACE_LINES_H
#define CARILLON_JACKPOTCTL_TRACE_LINES_H

#include "libcommon/base/ids.h"

#include <jansson.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_ID_DIGITS 32
#define TRACES_MAX 64 /* of a round */

struct trace_line {
	json_t *json;
	int64_t at_us; /* since 1970 */
	size_t order;  /* in which it was read */
};

struct trace_lines {
	char id[TRACES_MAX][TRACE_ID_DIGITS + 1];
	size_t ids_n;
	bool more; /* further traces were left out */
	struct trace_line *line;
	size_t n, room;
};

/* A round of a player; or, with round 0, a row of theirs by its seq. */
struct trace_subject {
	player_id player;
	int64_t round, seq;
};

/* What to look for: 32 lower-case hex digits, or "1-17/42", a player and a round. False: neither.
 */
struct trace_sought {
	bool by_round;
	char id[TRACE_ID_DIGITS + 1];
	struct trace_subject subject;
};
bool trace_sought_read(const char *text, struct trace_sought *sought_r);

/* Reads the files of the folder ("-": standard input). Text before a line's first brace is passed
 * over, as is what is no line of a service. False: the folder or a file cannot be read, and
 * why_r (256 bytes) says so. */
bool trace_lines_read(const char *folder, const struct trace_sought *sought,
	struct trace_lines *lines_r, char *why_r);
void trace_lines_free(struct trace_lines *lines);

/* Adds the rounds that the lines name, and rows without a round, each once, to the n subjects in
 * `out`; returns how many there are then. *more_r: some were left out because of `most`. */
size_t trace_subjects(const struct trace_lines *lines, struct trace_subject *out, size_t n,
	size_t most, bool *more_r);

/* A field of a line as text, "" where there is none; `number` likewise, 0. */
const char *trace_text(const struct trace_line *line, const char *name);
int64_t trace_number(const struct trace_line *line, const char *name);

#endif
