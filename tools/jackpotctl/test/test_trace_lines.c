/* Lines of traces from folders of logs: which are found, in which order, and what they are about.
 */
#include "tools/jackpotctl/trace_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ONE "0af7651916cd43dd8448eb211c80319c"
#define TWO "1af7651916cd43dd8448eb211c80319c"
#define LINE(at, instance, trace, more)                                                            \
	"{\"time\":\"2026-11-27T05:00:0" at "Z\",\"level\":\"info\",\"instance\":\"" instance      \
	"\",\"trace\":\"" trace "\"" more ",\"message\":\"m\"}\n"

static char folder[] = "/tmp/carillon-trace-XXXXXX";

static void file(const char *name, const char *text)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *to = fopen(path, "w");
	assert_non_null(to);
	assert_true(fputs(text, to) >= 0);
	assert_int_equal(fclose(to), 0);
}

static int set_up(void **state)
{
	(void)state;
	if (mkdtemp(folder) == NULL)
		return 1;
	file("gateway-1.log",
		LINE("1.000009", "gateway-1", ONE, ",\"player\":\"1-17\"") LINE(
			"5.000000", "gateway-1", ONE, ",\"player\":\"1-17\",\"round\":42,\"us\":7")
			LINE("2.000000", "gateway-1", TWO, ",\"player\":\"1-17\",\"round\":42"));
	/* of a container, cut, of another program, and a wallet's with rows */
	file("wallet.txt",
		"wallet-1  | " LINE("3.000000", "wallet-1", ONE,
			",\"player\":\"1-17\",\"round\":42,\"seq\":900") LINE("3.500000",
			"wallet-1", ONE,
			",\"player\":\"1-17\",\"seq\":901") "{\"time\":\"2026-11-27T05:00:04.0Z\",\"trace\":\"" ONE
							    "\",\"mess\n" ONE
							    " is not a line\n[\"trace\":\"" ONE
							    "\"]\n");
	file("other-1.log",
		LINE("1.000000", "other-1", "2af7651916cd43dd8448eb211c80319c",
			",\"player\":\"1-170\",\"round\":42") LINE("1.000000", "other-1",
			"3af7651916cd43dd8448eb211c80319c", ",\"player\":\"1-17\",\"round\":421"));
	return 0;
}

static int tear_down(void **state)
{
	static const char *const NAMES[] = { "gateway-1.log", "wallet.txt", "other-1.log" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder, NAMES[i]);
		(void)unlink(path);
	}
	return rmdir(folder);
}

static void test_trace_lines_of_a_trace(void **state)
{
	struct trace_sought sought;
	struct trace_subject subjects[8];
	struct trace_lines lines;
	char why[256];
	bool more;

	(void)state;
	assert_true(trace_sought_read(ONE, &sought));
	assert_true(trace_lines_read(folder, &sought, &lines, why));
	assert_int_equal(lines.n, 4);
	assert_string_equal(trace_text(&lines.line[0], "time"), "2026-11-27T05:00:01.000009Z");
	assert_string_equal(trace_text(&lines.line[1], "instance"), "wallet-1");
	assert_int_equal(trace_number(&lines.line[1], "seq"), 900);
	assert_int_equal(lines.line[3].at_us - lines.line[0].at_us, 3999991);
	assert_string_equal(trace_text(&lines.line[3], "event"), "");
	assert_int_equal(trace_subjects(&lines, subjects, 0, 8, &more), 2);
	assert_false(more);
	assert_true(subjects[0].round == 42 && subjects[0].seq == 0);
	assert_true(subjects[1].round == 0 && subjects[1].seq == 901);
	assert_true(subjects[1].player == (INT64_C(1) << 48) + 17);
	assert_int_equal(trace_subjects(&lines, subjects, 0, 1, &more), 1);
	assert_true(more);
	/* What is asked for has its place, also where the lines name more than fits. */
	subjects[0] = (struct trace_subject){ .player = (INT64_C(1) << 48) + 18, .round = 7 };
	assert_int_equal(trace_subjects(&lines, subjects, 1, 2, &more), 2);
	assert_true(more && subjects[0].round == 7 && subjects[1].round == 42);
	assert_int_equal(trace_subjects(&lines, subjects, 2, 3, &more), 3);
	assert_true(!more && subjects[2].seq == 901);
	trace_lines_free(&lines);
}

static void test_trace_lines_of_a_round(void **state)
{
	struct trace_sought sought;
	struct trace_lines lines;
	char why[256];

	(void)state;
	assert_true(trace_sought_read("1-17/42", &sought));
	assert_true(trace_lines_read(folder, &sought, &lines, why));
	assert_int_equal(lines.ids_n, 2);
	assert_int_equal(lines.n, 5);
	trace_lines_free(&lines);
	assert_true(trace_sought_read("1-17/43", &sought));
	assert_true(trace_lines_read(folder, &sought, &lines, why));
	assert_int_equal(lines.ids_n + lines.n, 0);
	trace_lines_free(&lines);
}

static void test_trace_lines_says_what_cannot_be_read(void **state)
{
	struct trace_sought sought;
	struct trace_lines lines;
	char why[256];

	(void)state;
	assert_true(trace_sought_read(ONE, &sought));
	assert_false(trace_lines_read("/no/such/folder", &sought, &lines, why));
	assert_non_null(strstr(why, "/no/such/folder"));
	trace_lines_free(&lines);
}

static void test_trace_sought(void **state)
{
	static const char *const BAD[] = { "", "17", ONE "0", "0AF7651916CD43DD8448EB211C80319C",
		"1-17", "1-17/", "1-17/0", "1-17/-1", "1-17/ 1", "1-17/1x", "0-17/1", "x/1",
		"1-17/99999999999999999999", "1-17-1-17-1-17-1-17-1-17/1" };
	struct trace_sought sought;

	(void)state;
	for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++)
		if (trace_sought_read(BAD[i], &sought))
			fail_msg("%s: found to be good", BAD[i]);
	assert_true(trace_sought_read("7-1/9", &sought));
	assert_true(sought.by_round && sought.subject.round == 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace_lines_of_a_trace),
		cmocka_unit_test(test_trace_lines_of_a_round),
		cmocka_unit_test(test_trace_lines_says_what_cannot_be_read),
		cmocka_unit_test(test_trace_sought),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
