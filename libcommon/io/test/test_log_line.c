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

/* What the log says of a text. */
static void told(const char *text, char out[ROOM])
{
	int ends[2], before = dup(STDERR_FILENO);
	ssize_t n;

	assert_true(before >= 0 && pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
	log_warn("found %s", text);
	assert_true(dup2(before, STDERR_FILENO) >= 0);
	(void)close(before);
	(void)close(ends[1]);
	n = read(ends[0], out, ROOM - 1);
	(void)close(ends[0]);
	assert_true(n > 0);
	out[n] = '\0';
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_log_line_is_one_object),
		cmocka_unit_test(test_log_line_is_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
