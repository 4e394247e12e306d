/* Days as text: only real ones, written in full. */
#include "services/gateway/core/dates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_dates_valid(void **state)
{
	static const struct {
		const char *text;
		bool valid;
	} rows[] = {
		{ "2026-11-23", true },
		{ "1970-01-01", true },
		{ "9998-12-31", true },
		{ "2028-02-29", true },
		{ "2000-02-29", true },
		{ "2100-02-29", false },
		{ "2027-02-29", false },
		{ "2026-04-31", false },
		{ "2026-00-10", false },
		{ "2026-13-10", false },
		{ "2026-10-00", false },
		{ "1969-12-31", false },
		{ "9999-01-01", false },
		{ "", false },
		{ "2026-11-2", false },
		{ "2026-11-233", false },
		{ "2026/11/23", false },
		{ "2026-11-2x", false },
		{ " 026-11-23", false },
		{ "+026-11-23", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (date_valid(rows[i].text) != rows[i].valid)
			fail_msg("'%s': found %s", rows[i].text, rows[i].valid ? "not" : "valid");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_dates_valid) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
