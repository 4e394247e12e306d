/* The audit log names currencies by their codes. */
#include "services/gateway/core/audit_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_audit_text_names_currencies_by_code(void **state)
{
	static const struct {
		const char *json, *expected;
	} cases[] = {
		{ "{}", "{}" },
		{ "", "" },
		{ "{\"currency\":414,\"amount_minor\":1234567}",
			"{\"currency\":\"KWD\",\"amount_minor\":1234567}" },
		{ "{\"amount_minor\": 5, \"currency\": 1005}",
			"{\"amount_minor\": 5, \"currency\": \"USDT\"}" },
		{ "{\"currency\":8}", "{\"currency\":\"ALL\"}" },
		{ "{\"before\":{\"currency\":978},\"after\":{\"currency\":752}}",
			"{\"before\":{\"currency\":\"EUR\"},\"after\":{\"currency\":\"SEK\"}}" },
		{ "{\"currency\":\"EUR\"}", "{\"currency\":\"EUR\"}" },
		{ "{\"currency\":null}", "{\"currency\":null}" },
		{ "{\"currency\":7}", "{\"currency\":7}" },
		{ "{\"currency\":97800}", "{\"currency\":97800}" },
		{ "{\"currency\":978.5}", "{\"currency\":978.5}" },
		{ "{\"currency\":-978}", "{\"currency\":-978}" },
		{ "{\"of_currency\":978}", "{\"of_currency\":978}" },
		{ "{\"reason\":\"\\\"currency\\\":978,\"}",
			"{\"reason\":\"\\\"currency\\\":978,\"}" },
		{ "{\"currency\":", "{\"currency\":" },
		{ "{\"currency\":978", "{\"currency\":978" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* As large as it must be, so that a sanitizer finds what is written behind it. */
		char *text = malloc(AUDIT_TEXT_ROOM(strlen(cases[i].json)));
		assert_non_null(text);
		audit_text_currencies(cases[i].json, text);
		assert_string_equal(text, cases[i].expected);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_audit_text_names_currencies_by_code),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
