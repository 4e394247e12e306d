/* Lines of the log: whatever text comes from outside, a line stays one JSON object. */
#include "libcommon/io/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <jansson.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROOM 16384

typedef void logging(const void *what);

/* What the log says of it; nothing: "". */
static void told_by(logging *call, const void *what, char out[ROOM])
{
	int ends[2], before = dup(STDERR_FILENO);
	ssize_t n;

	assert_true(before >= 0 && pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
	call(what);
	assert_true(dup2(before, STDERR_FILENO) >= 0);
	(void)close(before);
	(void)close(ends[1]);
	n = read(ends[0], out, ROOM - 1);
	(void)close(ends[0]);
	assert_true(n >= 0);
	out[n] = '\0';
}

static void warn(const void *text)
{
	log_warn("found %s", (const char *)text);
}

static void told(const char *text, char out[ROOM])
{
	told_by(warn, text, out);
	assert_string_not_equal(out, "");
}

static void test_log_line_is_one_object(void **state)
{
	static const struct {
		const char *text, *message; /* NULL: other characters stand for its bytes */
	} TABLE[] = {
		{ "a word", "found a word" },
		{ "", "found " },
		{ "x\"}\n{\"level\":\"info\"", "found x\"}\n{\"level\":\"info\"" },
		{ "\\\\ \\n \\u000a", "found \\\\ \\n \\u000a" },
		{ "\r\n\t\x01\x1b[2J\x7f", "found \r\n\t\x01\x1b[2J\x7f" },
		{ "\xff\xc3(", NULL },
		{ "r\xc3\xa4ksm\xc3\xb6rg\xc3\xa5s", NULL },
	};
	char line[ROOM];

	(void)state;
	log_open("test", "test-1", LOG_INFO);
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		told(TABLE[i].text, line);
		size_t length = strlen(line);
		json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
		if (json == NULL || strchr(line, '\n') != line + length - 1)
			fail_msg("case %zu: %s", i, line);
		for (size_t c = 0; c + 1 < length; c++)
			assert_in_range(line[c], ' ', '~');
		assert_string_equal(json_string_value(json_object_get(json, "level")), "warn");
		if (TABLE[i].message != NULL)
			assert_string_equal(json_string_value(json_object_get(json, "message")),
				TABLE[i].message);
		json_decref(json);
	}
}

/* What is too long is cut, between two escapes. */
static void test_log_line_is_cut(void **state)
{
	char text[ROOM], line[ROOM];

	(void)state;
	for (size_t n = 4000; n < 4100; n++) {
		memset(text, n % 2 == 0 ? '"' : '\n', n);
		text[n] = '\0';
		told(text, line);
		json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(json);
		assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
		json_decref(json);
	}
}

#define TRACE_ID "0af7651916cd43dd8448eb211c80319c"

static const uint8_t trace[LOG_TRACE_BYTES] = { 0x0a, 0xf7, 0x65, 0x19, 0x16, 0xcd, 0x43, 0xdd,
	0x84, 0x48, 0xeb, 0x21, 0x1c, 0x80, 0x31, 0x9c, 1, 2, 3, 4, 5, 6, 7, 8, 1 };

/* A line has the trace of its thread's work until that ends. */
static void test_log_line_has_the_trace(void **state)
{
	uint8_t kept[LOG_TRACE_ID_BYTES], none[LOG_TRACE_ID_BYTES];
	char line[ROOM];

	(void)state;
	log_open("test", "test-1", LOG_INFO);
	log_trace(trace, sizeof(trace));
	told("it", line);
	assert_non_null(strstr(line, "\"trace\":\"" TRACE_ID "\""));
	log_trace(trace, 15);
	told("it", line);
	assert_null(strstr(line, "\"trace\""));
	log_trace(trace, sizeof(trace));
	size_t length = log_trace_copy(kept);
	log_trace(NULL, 0);
	told("it", line);
	assert_null(strstr(line, "\"trace\""));
	assert_int_equal(log_trace_copy(none), 0);
	log_trace(kept, length);
	told("later", line);
	assert_non_null(strstr(line, "\"trace\":\"" TRACE_ID "\""));
	log_trace(NULL, 0);
}

static void hop(const void *what)
{
	log_hop(what);
}

/* The line of a hop has the fields of the hop, and not those that it does not know. */
static void test_log_hop(void **state)
{
	struct log_hop at = { .trace = trace,
		.event = "engine.move.proposed",
		.message = "a \"move\"",
		.player = (INT64_C(7) << 48) + 1234,
		.round = 12,
		.move = UINT64_C(9007199254740993),
		.us = 5 };
	char line[ROOM];

	(void)state;
	log_open("spin-engine", "spin-engine-2", LOG_INFO);
	told_by(hop, &at, line);
	json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	static const char *const TEXTS[][2] = { { "level", "info" }, { "service", "spin-engine" },
		{ "instance", "spin-engine-2" }, { "event", "engine.move.proposed" },
		{ "trace", TRACE_ID }, { "player", "7-1234" }, { "message", "a \"move\"" } };
	for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
		assert_string_equal(
			json_string_value(json_object_get(json, TEXTS[i][0])), TEXTS[i][1]);
	assert_true(json_integer_value(json_object_get(json, "round")) == 12);
	assert_true(json_integer_value(json_object_get(json, "move")) == INT64_C(9007199254740993));
	assert_true(json_integer_value(json_object_get(json, "us")) == 5);
	assert_null(json_object_get(json, "seq"));
	json_decref(json);
	at.player = 0;
	told_by(hop, &at, line);
	assert_null(strstr(line, "\"player\""));
	log_open("spin-engine", "spin-engine-2", LOG_WARN);
	told_by(hop, &at, line);
	assert_string_equal(line, "");
}

static void event(const void *text)
{
	log_error_as("wallet.proposal.ahead", "%s", (const char *)text);
}

static void no_event(const void *text)
{
	log_error("%s", (const char *)text);
}

/* The event is the call's: no text from outside names one. */
static void test_log_line_has_its_event(void **state)
{
	static const char text[] = LOG_EVENT("an.other") "it";
	char line[ROOM];

	(void)state;
	log_open("test", "test-1", LOG_INFO);
	told_by(event, text, line);
	json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	assert_string_equal(
		json_string_value(json_object_get(json, "event")), "wallet.proposal.ahead");
	assert_string_equal(json_string_value(json_object_get(json, "message")), text);
	json_decref(json);
	told_by(no_event, text, line);
	json = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	assert_null(json_object_get(json, "event"));
	assert_string_equal(json_string_value(json_object_get(json, "message")), text);
	json_decref(json);
}

/* Only a whole trace with the flag is sampled. */
static void test_log_sampled(void **state)
{
	uint8_t other[LOG_TRACE_BYTES];

	(void)state;
	memcpy(other, trace, sizeof(other));
	assert_true(log_sampled(other, sizeof(other)));
	assert_false(log_sampled(other, sizeof(other) - 1));
	assert_false(log_sampled(NULL, 0));
	other[LOG_TRACE_BYTES - 1] = 2;
	assert_false(log_sampled(other, sizeof(other)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_log_line_is_one_object),
		cmocka_unit_test(test_log_line_is_cut),
		cmocka_unit_test(test_log_line_has_the_trace),
		cmocka_unit_test(test_log_hop),
		cmocka_unit_test(test_log_line_has_its_event),
		cmocka_unit_test(test_log_sampled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
