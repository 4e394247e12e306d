/* Checked 128-bit arithmetic and its text form; also that of money. */
#include "libcommon/base/amount.h"

#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))
#define MAX_TEXT "170141183460469231731687303715884105727"
#define MIN_TEXT "-170141183460469231731687303715884105728"

static int128 number(const char *text)
{
	int128 value = 0;
	assert_true(int128_parse(text, &value));
	return value;
}

static void assert_number(int128 value, const char *expected)
{
	char text[AMOUNT_TEXT_MAX];
	assert_int_equal(int128_format(value, text), strlen(expected));
	assert_string_equal(text, expected);
}

static void test_int128_text(void **state)
{
	static const struct {
		const char *text;
		const char *back; /* NULL: refused */
	} TABLE[] = {
		{ "0", "0" },
		{ "-0", "0" },
		{ "+7", "7" },
		{ "-1", "-1" },
		{ "007", "7" },
		{ "1000000000000000000000000000", "1000000000000000000000000000" },
		{ MAX_TEXT, MAX_TEXT },
		{ MIN_TEXT, MIN_TEXT },
		{ "170141183460469231731687303715884105728", NULL },
		{ "-170141183460469231731687303715884105729", NULL },
		{ "999999999999999999999999999999999999999999", NULL },
		{ "", NULL },
		{ "-", NULL },
		{ "+", NULL },
		{ "--1", NULL },
		{ " 1", NULL },
		{ "1 ", NULL },
		{ "1.0", NULL },
		{ "1e3", NULL },
		{ "0x1", NULL },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(TABLE); i++) {
		int128 value = 42;
		assert_int_equal(int128_parse(TABLE[i].text, &value), TABLE[i].back != NULL);
		if (TABLE[i].back != NULL)
			assert_number(value, TABLE[i].back);
		else
			assert_true(value == 42);
	}
}

static void test_amount_add_and_sub(void **state)
{
	static const struct {
		const char *a, *b, *sum, *difference; /* NULL: does not fit */
	} TABLE[] = {
		{ "1", "2", "3", "-1" },
		{ "-5", "5", "0", "-10" },
		{ MAX_TEXT, "1", NULL, "170141183460469231731687303715884105726" },
		{ MIN_TEXT, "1", "-170141183460469231731687303715884105727", NULL },
		{ MAX_TEXT, "-1", "170141183460469231731687303715884105726", NULL },
		{ MIN_TEXT, "-1", NULL, "-170141183460469231731687303715884105727" },
		{ "0", MIN_TEXT, MIN_TEXT, NULL },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(TABLE); i++) {
		struct amount a = { number(TABLE[i].a) };
		struct amount b = { number(TABLE[i].b) };
		struct amount result = { 42 };
		assert_int_equal(amount_add(a, b, &result), TABLE[i].sum != NULL);
		assert_true(result.e27 == (TABLE[i].sum != NULL ? number(TABLE[i].sum) : 42));
		result.e27 = 42;
		assert_int_equal(amount_sub(a, b, &result), TABLE[i].difference != NULL);
		assert_true(result.e27 ==
			    (TABLE[i].difference != NULL ? number(TABLE[i].difference) : 42));
	}
}

static void test_amount_mul(void **state)
{
	static const struct {
		const char *a;
		int64_t factor;
		const char *product;
	} TABLE[] = {
		{ "50000000000000000000000", 1000, "50000000000000000000000000" },
		{ "-3", 7, "-21" },
		{ MAX_TEXT, 1, MAX_TEXT },
		{ MAX_TEXT, 2, NULL },
		{ MAX_TEXT, -1, "-170141183460469231731687303715884105727" },
		{ MIN_TEXT, -1, NULL },
		{ MIN_TEXT, 0, "0" },
		{ "18446744073709551616", INT64_MAX, "170141183460469231713240559642174554112" },
		{ "18446744073709551619", INT64_MAX, NULL },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(TABLE); i++) {
		struct amount product = { 42 };
		assert_int_equal(amount_mul((struct amount){ number(TABLE[i].a) }, TABLE[i].factor,
					 &product),
			TABLE[i].product != NULL);
		assert_true(
			product.e27 == (TABLE[i].product != NULL ? number(TABLE[i].product) : 42));
	}
}

static void test_amount_floor_div(void **state)
{
	static const struct {
		const char *a, *b, *quotient, *remainder; /* NULL: refused */
	} TABLE[] = {
		{ "7", "2", "3", "1" },
		{ "0", "5", "0", "0" },
		{ "6", "3", "2", "0" },
		{ MAX_TEXT, "1", MAX_TEXT, "0" },
		/* V4 of the vectors: 20.5015 EUR in whole cents leaves .0015. */
		{ "20501500000000000000000000000", "10000000000000000000000000", "2050",
			"1500000000000000000000000" },
		{ "-1", "2", NULL, NULL },
		{ "1", "0", NULL, NULL },
		{ "1", "-2", NULL, NULL },
		{ "0", "0", NULL, NULL },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(TABLE); i++) {
		int128 quotient = 42;
		struct amount remainder = { 42 };
		struct amount a = { number(TABLE[i].a) };
		bool good = amount_floor_div(a, number(TABLE[i].b), &quotient, &remainder);
		assert_int_equal(good, TABLE[i].quotient != NULL);
		assert_true(quotient == (good ? number(TABLE[i].quotient) : 42));
		assert_true(remainder.e27 == (good ? number(TABLE[i].remainder) : 42));
	}
}

/* With random numbers: division, addition and text are each reversed by their inverse */
static void test_amount_properties(void **state)
{
	unsigned seed = 20240607;
	(void)state;
	print_message("seed %u\n", seed);
	srandom(seed);
	for (int i = 0; i < 20000; i++) {
		char text[AMOUNT_TEXT_MAX];
		int128 a = ((int128)random() << 80) ^ ((int128)random() << 40) ^ random();
		int128 b = ((int128)random() << (random() % 90)) + 1;
		int128 quotient;
		int128 back;
		struct amount remainder;
		struct amount sum;
		assert_true(amount_floor_div((struct amount){ a }, b, &quotient, &remainder));
		assert_true(remainder.e27 >= 0 && remainder.e27 < b);
		assert_true(int128_mul(quotient, b, &back));
		assert_true(back + remainder.e27 == a);
		assert_true(amount_add((struct amount){ a }, (struct amount){ -b }, &sum));
		assert_true(sum.e27 + b == a);
		(void)int128_format(-a, text);
		assert_true(number(text) == -a);
	}
}

static void test_money_reports_overflow(void **state)
{
	static const struct {
		int64_t a, b;
		bool sum, difference, product;
	} TABLE[] = {
		{ 5, 3, true, true, true },
		{ INT64_MAX, 1, false, true, true },
		{ INT64_MIN, 1, true, false, true },
		{ INT64_MIN, -1, false, true, false },
		{ INT64_MAX, INT64_MAX, false, true, false },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(TABLE); i++) {
		struct money a = money_of(TABLE[i].a);
		struct money b = money_of(TABLE[i].b);
		struct money result = money_of(42);
		assert_int_equal(money_add(a, b, &result), TABLE[i].sum);
		assert_true(TABLE[i].sum || result.minor == 42);
		result = money_of(42);
		assert_int_equal(money_sub(a, b, &result), TABLE[i].difference);
		assert_true(TABLE[i].difference || result.minor == 42);
		result = money_of(42);
		assert_int_equal(money_mul(a, TABLE[i].b, &result), TABLE[i].product);
		assert_true(TABLE[i].product || result.minor == 42);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_int128_text),
		cmocka_unit_test(test_amount_add_and_sub),
		cmocka_unit_test(test_amount_mul),
		cmocka_unit_test(test_amount_floor_div),
		cmocka_unit_test(test_amount_properties),
		cmocka_unit_test(test_money_reports_overflow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
