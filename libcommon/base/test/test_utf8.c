/* Which bytes are UTF-8, and where a text may be cut. */
#include "libcommon/base/utf8.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_utf8_valid(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t valid; /* bytes */
	} rows[] = {
		{ "", 0 },
		{ "abc\n", 4 },
		{ "\xc3\xa9", 2 },
		{ "\xe2\x82\xac!", 4 },
		{ "\xf0\x9f\x82\xa1", 4 },
		{ "\xf4\x8f\xbf\xbf", 4 },
		{ "a\x80", 1 },
		{ "a\xc3", 1 },
		{ "a\xe2\x82", 1 },
		{ "\xc0\x80", 0 },
		{ "\xc1\xbf", 0 },
		{ "\xe0\x9f\xbf", 0 },
		{ "\xed\xa0\x80", 0 },
		{ "\xf0\x8f\xbf\xbf", 0 },
		{ "\xf4\x90\x80\x80", 0 },
		{ "\xf5\x80\x80\x80", 0 },
		{ "\xff", 0 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(utf8_valid_length(rows[i].text), rows[i].valid);
		assert_int_equal(utf8_valid(rows[i].text), rows[i].valid == strlen(rows[i].text));
	}
}

/* After any cut, whole characters stay and each byte of a partial one becomes a question mark. */
static void test_utf8_whole_after_every_cut(void **state)
{
	(void)state;
	static const char TEXT[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x82\xa1z";
	for (size_t cut = 0; cut < sizeof(TEXT); cut++) {
		char text[sizeof(TEXT)];
		(void)snprintf(text, sizeof(text), "%.*s", (int)cut, TEXT);
		size_t valid = utf8_valid_length(text);
		utf8_whole(text);
		assert_true(utf8_valid(text));
		assert_int_equal(strlen(text), cut < sizeof(TEXT) - 1 ? cut : sizeof(TEXT) - 1);
		assert_memory_equal(text, TEXT, valid);
		assert_int_equal(strspn(text + valid, "?"), strlen(text + valid));
	}
	char middle[] = "x\xe2\x82y\xc3\xa9\xff";
	utf8_whole(middle);
	assert_string_equal(middle, "x??y\xc3\xa9?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_utf8_valid),
		cmocka_unit_test(test_utf8_whole_after_every_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
