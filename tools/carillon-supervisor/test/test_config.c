/* The parser of the supervisor's set-up, by tables: one row a rule. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/carillon-supervisor/config.h"
#include "tools/carillon-supervisor/program.h"

static struct sup_config config;

static enum sup_config_status parse(const char *text, struct sup_config_error *error_r)
{
	return sup_config_parse(text, strlen(text), &config, error_r);
}

static void test_config_reads_a_whole_line(void **state)
{
	static const char text[] =
		"# servers\n"
		"\n"
		"redis-1 order=90 signal=INT grace_ms=5 backoff_ms=400 A_1=\"b \\\"c\\\\\" EMPTY= : "
		"redis-server --x \"\" a:b :\n"
		"\tplain\t:\ttrue\r\n"
		"own user=61001 group=61000 group=61102 : true\n";
	struct sup_config_error error;
	const struct sup_spec *spec = &config.program[0];

	(void)state;
	assert_int_equal(parse(text, &error), SUP_CONFIG_OK);
	assert_int_equal(config.count, 3);
	assert_string_equal(spec->name, "redis-1");
	assert_int_equal(spec->user, 0);
	assert_int_equal(spec->order, 90);
	assert_int_equal(spec->stop_signal, SIGINT);
	assert_int_equal(spec->grace_ms, 5);
	assert_int_equal(spec->backoff_ms, 400);
	assert_int_equal(spec->env_count, 2);
	assert_string_equal(sup_spec_word(spec, spec->env[0]), "A_1=b \"c\\");
	assert_string_equal(sup_spec_word(spec, spec->env[1]), "EMPTY=");
	assert_int_equal(spec->arg_count, 5);
	assert_string_equal(sup_spec_word(spec, spec->arg[0]), "redis-server");
	assert_string_equal(sup_spec_word(spec, spec->arg[2]), "");
	assert_string_equal(sup_spec_word(spec, spec->arg[3]), "a:b");
	assert_string_equal(sup_spec_word(spec, spec->arg[4]), ":");
	spec = &config.program[1];
	assert_string_equal(spec->name, "plain");
	assert_int_equal(spec->order, 50);
	assert_int_equal(spec->stop_signal, SIGTERM);
	assert_int_equal(spec->grace_ms, SUP_GRACE_MS_DEFAULT);
	assert_int_equal(spec->backoff_ms, SUP_BACKOFF_MS_DEFAULT);
	spec = &config.program[2];
	assert_int_equal(spec->user, 61001);
	assert_int_equal(spec->group_count, 2);
	assert_int_equal(spec->group[0], 61000);
	assert_int_equal(spec->group[1], 61102);
}

static void test_config_rejects_errors(void **state)
{
	static const struct {
		const char *text;
		unsigned line;
		const char *says;
	} rows[] = {
		{ "", 0, "found no program" },
		{ "# only a comment\n", 0, "found no program" },
		{ "a : x\na : y", 2, "found the name 'a' twice" },
		{ "a/b : x", 1, "found the name 'a/b'" },
		{ "-a : x", 1, "found the name '-a'" },
		{ "\"\" : x", 1, "found a name of 0 bytes" },
		{ ": x", 1, "found the name ':'" },
		{ "a", 1, "a: found no command" },
		{ "a :", 1, "a: found no command" },
		{ "a x", 1, "found 'x', expected order=" },
		{ "a colour=red : x", 1, "found 'colour=red', expected order=" },
		{ "a 1A=b : x", 1, "found '1A=b'" },
		{ "a =b : x", 1, "found '=b'" },
		{ "a order= : x", 1, "order: found ''" },
		{ "a order=-1 : x", 1, "order: found '-1'" },
		{ "a order=100 : x", 1,
			"order: found '100', expected a whole number from 0 to 99" },
		{ "a order=99999999999999999999 : x", 1, "order: found '9999" },
		{ "a grace_ms=1s : x", 1, "grace_ms: found '1s'" },
		{ "a backoff_ms=600001 : x", 1, "backoff_ms: found '600001'" },
		{ "a user=0 : x", 1, "user: found 0, expected a number from 1" },
		{ "a user=root : x", 1, "user: found 'root', expected a whole number" },
		{ "a user=5 group=0 : x", 1, "group: found 0, expected a number from 1" },
		{ "a group=5 : x", 1, "a: found group= without user=, expected both" },
		{ "a user=1 group=1 group=2 group=3 group=4 group=5 group=6 group=7 group=8 "
		  "group=9 group=10 group=11 group=12 group=13 group=14 group=15 group=16 "
		  "group=17 : x",
			1, "found more than 16 groups" },
		{ "a signal=KILL : x", 1, "signal: found 'KILL', expected TERM, INT or QUIT" },
		{ "\n\na A=\"b : x", 3, "found no closing \"" },
		{ "a A=\"\\n\" : x", 1, "found a backslash in quotes" },
		{ "a : 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 "
		  "29 30 31 32 33",
			1, "found more than 32 words" },
		{ "a123456789b123456789c123456789d123456789e1234567 : x", 1,
			"found a name of 48 bytes, expected 1 to 47" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sup_config_error error;

		if (parse(rows[i].text, &error) != SUP_CONFIG_REFUSED)
			fail_msg("row %zu was taken: %s", i, rows[i].text);
		assert_int_equal(error.line, rows[i].line);
		if (strstr(error.text, rows[i].says) == NULL)
			fail_msg("row %zu: found \"%s\", expected \"%s\"", i, error.text,
				rows[i].says);
	}
}

static void test_config_rejects_too_large(void **state)
{
	static char text[2 * SUP_LINE_MAX];
	struct sup_config_error error;
	size_t used = 0;

	(void)state;
	memcpy(text, "a : ", 4);
	memset(text + 4, 'x', SUP_LINE_MAX);
	assert_int_equal(sup_config_parse(text, SUP_LINE_MAX - 1, &config, &error), SUP_CONFIG_OK);
	assert_int_equal(sup_config_parse(text, SUP_LINE_MAX, &config, &error), SUP_CONFIG_REFUSED);
	assert_non_null(strstr(error.text, "longer than 4096"));
	for (int i = 0; i <= SUP_PROGRAMS_MAX; i++) {
		text[used++] = (char)('a' + i % 26);
		text[used++] = (char)('a' + i / 26);
		memcpy(text + used, " : x\n", 5);
		used += 5;
	}
	assert_int_equal(sup_config_parse(text, used, &config, &error), SUP_CONFIG_REFUSED);
	assert_int_equal(error.line, SUP_PROGRAMS_MAX + 1);
	assert_int_equal(sup_config_parse("a : \0", 5, &config, &error), SUP_CONFIG_REFUSED);
	assert_non_null(strstr(error.text, "zero byte"));
}

static void test_pause_doubles_up_to_the_longest(void **state)
{
	static const struct {
		unsigned deaths, longest, pause;
	} rows[] = { { 0, 2000, 0 }, { 1, 2000, 50 }, { 2, 2000, 100 }, { 3, 2000, 200 },
		{ 6, 2000, 1600 }, { 7, 2000, 2000 }, { 1000, 2000, 2000 }, { 5, 400, 400 },
		{ 1, 0, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(sup_pause_ms(rows[i].deaths, rows[i].longest), rows[i].pause);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_config_reads_a_whole_line),
		cmocka_unit_test(test_config_rejects_errors),
		cmocka_unit_test(test_config_rejects_too_large),
		cmocka_unit_test(test_pause_doubles_up_to_the_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
