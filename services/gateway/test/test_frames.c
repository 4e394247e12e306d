/* The sites that may show a game in a frame. */
#include "services/gateway/core/frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct {
	const char *text, *operator_id, *origins; /* NULL: none may */
} RIGHT[] = {
	{ "", "1", NULL },
	{ "1=https://casino.example", "1", "https://casino.example" },
	{ "1=https://casino.example", "2", NULL },
	{ "1=https://casino.example", "", NULL },
	{ "1=https://casino.example", "01", "https://casino.example" },
	{ "1=https://casino.example", "1 ", NULL },
	{ "1=https://casino.example", "4294967297", NULL },
	{ "1=https://a.example,2=http://localhost:8000,1=https://b.example:8443", "1",
		"https://a.example https://b.example:8443" },
	{ "1=https://a.example,2=http://localhost:8000,1=https://b.example:8443", "2",
		"http://localhost:8000" },
};

static const char *const WRONG[] = {
	"1", "=https://a.example", "0=https://a.example", "x=https://a.example", "1=", "1=https://",
	"1=ftp://a.example", "1=https://a.example/", "1=https://a.example/games",
	"1=https://a.example:", "1=https://a.example:0", "1=https://a.example:123456",
	"1=https://a.example:80x", "1=https://a.example;script-src",
	"1=https://a.example https://b.example", "1=https://*", "1=*", "1='self'",
	"1=https://A.example", "1=https://a.example,,2=https://b.example", "1000000000=https://a",
	"1=https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example"
};

static void test_frames_name_the_origins_of_an_operator(void **state)
{
	struct frames frames;
	char error[FRAMES_ERROR_MAX], out[FRAMES_TEXT_MAX];
	(void)state;
	for (size_t i = 0; i < sizeof(RIGHT) / sizeof(RIGHT[0]); i++) {
		assert_true(frames_parse(RIGHT[i].text, &frames, error));
		assert_int_equal(
			frames_of(&frames, RIGHT[i].operator_id, out), RIGHT[i].origins != NULL);
		assert_string_equal(out, RIGHT[i].origins == NULL ? "" : RIGHT[i].origins);
	}
}

static void test_frames_refuse_what_is_no_origin(void **state)
{
	struct frames frames;
	char error[FRAMES_ERROR_MAX];
	(void)state;
	for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
		if (frames_parse(WRONG[i], &frames, error))
			fail_msg("'%s' was taken", WRONG[i]);
		assert_non_null(strstr(error, "expected OPERATOR=ORIGIN"));
	}
}

static void test_frames_are_bounded(void **state)
{
	struct frames frames;
	char text[4096] = "", error[FRAMES_ERROR_MAX], out[FRAMES_TEXT_MAX];
	size_t length = 0;
	(void)state;
	for (int i = 0; i < FRAMES_OF_ONE_MAX; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
			"7=https://a-very-long-name-of-a-site-%011d.casino.example,", i);
	assert_true(frames_parse(text, &frames, error));
	assert_true(frames_of(&frames, "7", out));
	assert_non_null(strstr(out, "00000000007.casino.example"));
	(void)snprintf(text + length, sizeof(text) - length, "7=https://one-more.example");
	assert_false(frames_parse(text, &frames, error));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames_name_the_origins_of_an_operator),
		cmocka_unit_test(test_frames_refuse_what_is_no_origin),
		cmocka_unit_test(test_frames_are_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
