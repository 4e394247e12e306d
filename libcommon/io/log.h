/* Log lines for machines and people: one JSON object a line on stderr, with time, level, service,
 * instance, event, trace and fields. Log no secrets. */
#ifndef CARILLON_IO_LOG_H
#define CARILLON_IO_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FATAL_STATUS 70
#define LOG_TRACE_ID_BYTES 16
#define LOG_TRACE_BYTES 25 /* of an Envelope.trace that is not empty */

enum log_level { LOG_ERROR = 0, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* From now on a crash leaves its calls in the log, too (crash.h). */
void log_open(const char *service, const char *instance, enum log_level level);
/* "error", "warn", "info", "debug"; false on anything else. */
bool log_level_parse(const char *text, enum log_level *level_r);
/* Sets the W3C trace context (Envelope.trace) of this thread's work. Its trace id is in every line
 * until the next call. Length 0: none. */
void log_trace(const void *trace, size_t length);
/* The trace id of this thread's work, for work that goes on later: log_trace() takes it with the
 * length that is returned. 0: none. */
size_t log_trace_copy(uint8_t id_r[LOG_TRACE_ID_BYTES]);
/* Did whoever began the trace ask for lines about its way? Of an Envelope.trace. */
static inline bool log_sampled(const uint8_t *trace, size_t length)
{
	return length == LOG_TRACE_BYTES && (trace[LOG_TRACE_BYTES - 1] & 1) != 0;
}
/* A hop of a sampled request: where it was when (docs/tracing.md). Numbers that are 0 are left out.
 */
struct log_hop {
	const uint8_t *trace; /* LOG_TRACE_BYTES */
	const char *event, *message;
	int64_t player;
	uint64_t round, move, seq;
	uint64_t us; /* how long the instance took so far */
};
/* One line at level info, but at most 200 a second of a thread: gateways bound how many requests
 * are sampled, and one of another version may not. */
void log_hop(const struct log_hop *hop);
/* In front of a format: the stable name of what happened, which becomes the field "event" of the
 * line. Not for messages: text from outside names no event. */
#define LOG_EVENT_MARK '\036'
#define LOG_EVENT(name) "\036" name "\036"
__attribute__((format(printf, 2, 3))) void log_line(enum log_level level, const char *format, ...);
/* What somebody may have to act on, as an event of docs/log-events.md. Both are literals:
 * log_error_as("wallet.proposal.ahead", "player %" PRId64 ": ..", player). */
#define log_error_as(event, ...) log_line(LOG_ERROR, LOG_EVENT(event) __VA_ARGS__)
#define log_warn_as(event, ...) log_line(LOG_WARN, LOG_EVENT(event) __VA_ARGS__)
/* Without an event: tools and tests. */
#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)
#define log_warn(...) log_line(LOG_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)
/* `fatal` calls this function with its message before it ends the process; NULL: no call. */
void log_on_fatal(void (*call)(const char *message));
/* Logs, as the event process.ended, and ends the process with status 70. A process with a wrong
 * state does not try to recover: the supervisor starts a new one. */
__attribute__((format(printf, 1, 2), noreturn)) void fatal(const char *format, ...);

#endif
