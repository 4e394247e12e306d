/* Reports as text and as a page: money with its decimals, nothing that is markup. */
#include "tools/jackpotctl/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static char *printed(const char *json, void (*print)(const json_t *, FILE *))
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	json_t *report = json_loads(json, 0, NULL);

	assert_non_null(report);
	print(report, out);
	(void)fclose(out);
	json_decref(report);
	return text;
}

#define REPORT(totals)                                                                             \
	"{\"report\":\"day\",\"state\":\"sealed\",\"operator\":7,\"first_day\":\"2026-11-22\","    \
	"\"last_day\":\"2026-11-22\",\"totals\":[" totals "]}"

static void test_report_money_has_decimals(void **state)
{
	static const struct {
		const char *line, *found;
	} rows[] = {
		{ "{\"currency\":\"EUR\",\"a_minor\":123456}", " 1234.56" },
		{ "{\"currency\":\"EUR\",\"a_minor\":-5}", " -0.05" },
		{ "{\"currency\":\"EUR\",\"a_minor\":0}", " 0.00" },
		{ "{\"currency\":\"JPY\",\"a_minor\":-1234}", " -1234" },
		{ "{\"currency\":\"KWD\",\"a_minor\":12}", " 0.012" },
		{ "{\"currency\":\"USDT\",\"a_minor\":12}", " 0.000012" },
		{ "{\"currency\":\"EUR\",\"a_nano\":\"1234500000000\"}", " 12.34500000000" },
		{ "{\"currency\":\"???\",\"a_minor\":99}", " 99" },
		{ "{\"currency\":\"EUR\",\"rounds\":99,\"a_minor\":null}", " 99" },
	};
	static const char frame[] = REPORT("%s");

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char json[512];
		(void)snprintf(json, sizeof(json), frame, rows[i].line);
		char *text = printed(json, report_text);
		if (strstr(text, rows[i].found) == NULL)
			fail_msg("%s: found %s, expected %s", rows[i].line, text, rows[i].found);
		free(text);
	}
}

static void test_report_text_is_a_table(void **state)
{
	char *text =
		printed(REPORT("{\"game\":\"all\",\"stakes_minor\":5,\"bonus_rounds\":12345},"
			       "{\"game\":\"a long name\",\"stakes_minor\":6,\"bonus_rounds\":1}"),
			report_text);

	(void)state;
	assert_string_equal(text, "Report of operator 7, day: 2026-11-22 to 2026-11-22, sealed\n\n"
				  "All games\n"
				  "  game         stakes  bonus rounds\n"
				  "  all               5         12345\n"
				  "  a long name       6             1\n");
	free(text);
}

static void test_report_page_has_no_markup_of_its_data(void **state)
{
	char *text = printed(REPORT("{\"reason\":\"<script>&\",\"n\":1}"), report_html);

	(void)state;
	assert_null(strstr(text, "<script>"));
	assert_non_null(strstr(text, "&lt;script>&amp;"));
	assert_non_null(strstr(text, "<td class=n>1"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report_money_has_decimals),
		cmocka_unit_test(test_report_text_is_a_table),
		cmocka_unit_test(test_report_page_has_no_markup_of_its_data),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
