/* Log lines: one JSON object a line, written by one write(2), so that lines of several threads and
 * processes never mix. */
#include "libcommon/io/log.h"

#include "libcommon/base/ids.h"
#include "libcommon/base/per_second.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/crash.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_BYTES 8192
#define HOPS_PER_S 200
#define TRACE_TEXT_MAX (2 * LOG_TRACE_ID_BYTES + 1)

static struct {
	char service[64];
	char instance[64];
	enum log_level level;
	void (*on_fatal)(const char *message);
} log_state = { .level = LOG_INFO };

/* Bytes, not text: few messages lead to a line. */
static _Thread_local struct {
	bool known;
	uint8_t id[LOG_TRACE_ID_BYTES];
} trace_now;

static _Thread_local struct per_second hops;

static const char *const LEVEL_NAMES[] = { "error", "warn", "info", "debug" };

struct line {
	char bytes[LINE_MAX_BYTES];
	size_t length;
};

/* Adds the whole text or nothing, so that an escape is never cut. `reserve` bytes stay free for the
 * end of the line. */
static void line_add(struct line *line, const char *text, size_t reserve)
{
	size_t n = strlen(text);
	if (n + reserve > sizeof(line->bytes) - line->length)
		return;
	memcpy(line->bytes + line->length, text, n);
	line->length += n;
}

static void line_raw(struct line *line, const char *text)
{
	line_add(line, text, 4);
}

/* Text from outside may hold quotes, control characters and invalid UTF-8. None of these may break
 * the line. */
static void line_text(struct line *line, const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
		char escaped[8];
		if (*at == '"' || *at == '\\')
			(void)snprintf(escaped, sizeof(escaped), "\\%c", (int)*at);
		else if (*at < 0x20 || *at >= 0x7f)
			(void)snprintf(escaped, sizeof(escaped), "\\u%04x", (unsigned)*at);
		else
			(void)snprintf(escaped, sizeof(escaped), "%c", (int)*at);
		line_add(line, escaped, 16);
	}
}

static void line_field(struct line *line, const char *name, const char *text)
{
	line_raw(line, line->length > 1 ? ",\"" : "\"");
	line_raw(line, name);
	line_raw(line, "\":\"");
	line_text(line, text);
	line_raw(line, "\"");
}

static void line_time(struct line *line)
{
	struct timespec now;
	struct tm utc;
	char text[64];
	(void)clock_gettime(CLOCK_REALTIME, &now);
	(void)gmtime_r(&now.tv_sec, &utc);
	size_t n = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
	(void)snprintf(text + n, sizeof(text) - n, ".%06ldZ", now.tv_nsec / 1000);
	line_field(line, "time", text);
}

static void line_number(struct line *line, const char *name, uint64_t number)
{
	char text[48];
	if (number == 0)
		return;
	(void)snprintf(text, sizeof(text), ",\"%s\":%" PRIu64, name, number);
	line_raw(line, text);
}

static void line_trace(struct line *line, const uint8_t id[LOG_TRACE_ID_BYTES])
{
	char text[TRACE_TEXT_MAX];
	for (size_t i = 0; i < LOG_TRACE_ID_BYTES; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", id[i]);
	line_field(line, "trace", text);
}

static void line_begin(struct line *line, enum log_level level)
{
	line->length = 0;
	line_raw(line, "{");
	line_time(line);
	line_field(line, "level", LEVEL_NAMES[level]);
	line_field(line, "service", log_state.service);
	line_field(line, "instance", log_state.instance);
}

static void line_end(struct line *line)
{
	memcpy(line->bytes + line->length, "}\n", 2);
	line->length += 2;
	for (size_t done = 0; done < line->length;) {
		ssize_t n = write(STDERR_FILENO, line->bytes + done, line->length - done);
		if (n <= 0)
			return; /* stderr is closed: nothing useful is left to do */
		done += (size_t)n;
	}
}

static void line_write(enum log_level level, const char *event, const char *message)
{
	struct line line;
	line_begin(&line, level);
	if (event != NULL)
		line_field(&line, "event", event);
	if (trace_now.known)
		line_trace(&line, trace_now.id);
	line_field(&line, "message", message);
	line_end(&line);
}

void log_open(const char *service, const char *instance, enum log_level level)
{
	(void)snprintf(log_state.service, sizeof(log_state.service), "%s", service);
	(void)snprintf(log_state.instance, sizeof(log_state.instance), "%s", instance);
	log_state.level = level;
	crash_begin();
}

bool log_level_parse(const char *text, enum log_level *level_r)
{
	for (int i = LOG_ERROR; i <= LOG_DEBUG; i++) {
		if (strcmp(text, LEVEL_NAMES[i]) == 0) {
			*level_r = (enum log_level)i;
			return true;
		}
	}
	return false;
}

void log_trace(const void *trace, size_t length)
{
	trace_now.known = length >= LOG_TRACE_ID_BYTES;
	if (trace_now.known)
		memcpy(trace_now.id, trace, LOG_TRACE_ID_BYTES);
}

size_t log_trace_copy(uint8_t id_r[LOG_TRACE_ID_BYTES])
{
	memcpy(id_r, trace_now.id, LOG_TRACE_ID_BYTES);
	return trace_now.known ? LOG_TRACE_ID_BYTES : 0;
}

void log_hop(const struct log_hop *hop)
{
	char player[PLAYER_TEXT_MAX];
	struct line line;
	if (log_state.level < LOG_INFO || !per_second_take(&hops, clock_mono_us(), HOPS_PER_S))
		return;
	line_begin(&line, LOG_INFO);
	line_field(&line, "event", hop->event);
	line_trace(&line, hop->trace);
	if (player_id_valid(hop->player)) {
		player_id_format(hop->player, player);
		line_field(&line, "player", player);
	}
	line_number(&line, "round", hop->round);
	line_number(&line, "move", hop->move);
	line_number(&line, "seq", hop->seq);
	line_number(&line, "us", hop->us);
	line_field(&line, "message", hop->message);
	line_end(&line);
}

/* NULL: the line has none. Only the format may name one: text from outside is behind it. */
static const char *event_of(const char *format, char *message, const char **text_r)
{
	char *end = format[0] == LOG_EVENT_MARK ? strchr(message + 1, LOG_EVENT_MARK) : NULL;
	*text_r = end == NULL ? message : end + 1;
	if (end == NULL)
		return NULL;
	*end = '\0';
	return message + 1;
}

void log_line(enum log_level level, const char *format, ...)
{
	char message[LINE_MAX_BYTES / 2];
	const char *text;
	va_list arguments;
	if (level > log_state.level)
		return;
	va_start(arguments, format);
	(void)vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	const char *event = event_of(format, message, &text);
	line_write(level, event, text);
}

void log_on_fatal(void (*call)(const char *message))
{
	log_state.on_fatal = call;
}

void fatal(const char *format, ...)
{
	char message[LINE_MAX_BYTES / 2];
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	line_write(LOG_ERROR, "process.ended", message);
	if (log_state.on_fatal != NULL)
		log_state.on_fatal(message);
	/* Not exit(): exit handlers could touch corrupt memory. The end of the process closes the
	 * sockets, which tells the servers. */
	_exit(FATAL_STATUS);
}
