/* The table of currencies. */
#include "libcommon/base/currency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_currency_by_number_and_code(void **state)
{
	static const struct {
		uint32_t number;
		const char *code;
		uint32_t exponent;
	} TABLE[] = { { 978, "EUR", 2 }, { 752, "SEK", 2 }, { 392, "JPY", 0 }, { 414, "KWD", 3 },
		{ 840, "USD", 2 }, { 826, "GBP", 2 }, { 1001, "XBT", 8 } };
	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		const struct currency *c = currency_by_number(TABLE[i].number);
		assert_non_null(c);
		assert_ptr_equal(c, currency_by_code(TABLE[i].code));
		assert_string_equal(c->code, TABLE[i].code);
		assert_int_equal(c->exponent, TABLE[i].exponent);
	}
}

static void test_currency_unknown_is_null(void **state)
{
	static const char *const CODES[] = { "", "EU", "EURO", "eur", "XXX", " EUR" };
	static const uint32_t NUMBERS[] = { 0, 1, 977, 1000, UINT32_MAX };
	(void)state;
	for (size_t i = 0; i < sizeof(CODES) / sizeof(CODES[0]); i++)
		assert_null(currency_by_code(CODES[i]));
	for (size_t i = 0; i < sizeof(NUMBERS) / sizeof(NUMBERS[0]); i++)
		assert_null(currency_by_number(NUMBERS[i]));
}

static void test_currency_table_is_consistent(void **state)
{
	size_t n = 0;
	const struct currency *previous = NULL;
	(void)state;
	for (const struct currency *c; (c = currency_at(n)) != NULL; n++) {
		assert_true(previous == NULL ||
			    previous->number < c->number); /* sorted: no number twice */
		assert_int_equal(strlen(c->code), 3);
		assert_ptr_equal(currency_by_code(c->code), c); /* no code twice */
		assert_true(c->exponent <= 8);
		previous = c;
	}
	assert_true(n > 20);
	assert_null(currency_at(n + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_currency_by_number_and_code),
		cmocka_unit_test(test_currency_unknown_is_null),
		cmocka_unit_test(test_currency_table_is_consistent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
