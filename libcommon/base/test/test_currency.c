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
		{ 840, "USD", 2 }, { 826, "GBP", 2 }, { 48, "BHD", 3 }, { 8, "ALL", 2 },
		{ 990, "CLF", 4 }, { 927, "UYW", 4 }, { 152, "CLP", 0 }, { 532, "XCG", 2 },
		{ 1001, "XBT", 8 }, { 1002, "ETH", 9 }, { 1011, "DOGE", 8 } };
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
	static const char *const CODES[] = { "", "EU", "EURO", "eur", "XXX", " EUR", "XAU", "DOG" };
	static const uint32_t NUMBERS[] = { 0, 1, 7, 959, 977 + 5, 1000, 1012, UINT32_MAX };
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
		assert_ptr_equal(currency_by_number(c->number), c);
		assert_true(strlen(c->code) == 3 || (c->number >= 1000 && strlen(c->code) == 4));
		assert_ptr_equal(currency_by_code(c->code), c); /* no code twice */
		assert_true(c->exponent <= (c->number >= 1000 ? 9 : 4));
		assert_true(c->euro_minor > 0 && c->euro_minor <= INT64_C(10000000000));
		assert_true(c->symbol[0] != '\0' &&
			    (c->number >= 1000 || strcmp(c->symbol, c->code) == 0));
		previous = c;
	}
	assert_true(n > 160);
	assert_null(currency_at(n + 1));
}

/* Currencies whose exponent is not 2: a mistake here would move the decimal point in every
 * amount. */
static void test_currency_exponents_follow_the_standard(void **state)
{
	static const char *const NONE[] = { "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW",
		"PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF" };
	static const char *const THREE[] = { "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND" };
	size_t counts[10] = { 0 };
	(void)state;
	for (size_t i = 0; currency_at(i) != NULL && currency_at(i)->number < 1000; i++)
		counts[currency_at(i)->exponent]++;
	for (size_t i = 0; i < sizeof(NONE) / sizeof(NONE[0]); i++)
		assert_int_equal(currency_by_code(NONE[i])->exponent, 0);
	for (size_t i = 0; i < sizeof(THREE) / sizeof(THREE[0]); i++)
		assert_int_equal(currency_by_code(THREE[i])->exponent, 3);
	assert_int_equal(counts[0], sizeof(NONE) / sizeof(NONE[0]));
	assert_int_equal(counts[3], sizeof(THREE) / sizeof(THREE[0]));
	assert_int_equal(counts[4], 2);
	assert_int_equal(counts[1], 0);
}

static void test_currency_from_cents_is_of_about_that_worth(void **state)
{
	static const struct {
		const char *code;
		int64_t cents, minor;
	} cases[] = { { "EUR", 1000000, 1000000 }, { "EUR", 1, 1 }, { "EUR", 123, 123 },
		{ "SEK", 1000000, 10000000 }, { "DKK", 1000000, 7500000 },
		{ "JPY", 1000000, 1700000 }, { "JPY", 1, 1 }, { "KWD", 1000000, 3500000 },
		{ "USDT", 1000000, INT64_C(10000000000) }, { "XBT", 1000000, 10000000 },
		{ "DOGE", INT64_C(100000000000), MINOR_MAX }, { "EUR", MINOR_MAX, MINOR_MAX },
		{ "ETH", INT64_MAX, MINOR_MAX } };
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
			currency_from_cents(currency_by_code(cases[i].code), cases[i].cents),
			cases[i].minor);
	assert_int_equal(currency_from_cents(NULL, 7), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_currency_by_number_and_code),
		cmocka_unit_test(test_currency_unknown_is_null),
		cmocka_unit_test(test_currency_table_is_consistent),
		cmocka_unit_test(test_currency_exponents_follow_the_standard),
		cmocka_unit_test(test_currency_from_cents_is_of_about_that_worth),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
