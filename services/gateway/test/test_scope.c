/* Limits of keys: which lists are read, and what each limit lets through. */
#include "services/gateway/core/scope.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

static void test_scope_amounts_are_read(void **state)
{
	static const struct {
		const char *text;
		size_t n; /* 0: it is refused */
	} rows[] = {
		{ "EUR:50000", 1 },
		{ "EUR:50000,SEK:600000", 2 },
		{ "EUR:0", 1 },
		{ "DOGE:5", 1 },
		{ "EUR:1000000000000000", 1 },
		{ "EUR:1000000000000001", 0 },
		{ "", 0 },
		{ "EUR", 0 },
		{ "EUR:", 0 },
		{ ":5", 0 },
		{ "EUR:-5", 0 },
		{ "EUR:5.00", 0 },
		{ "eur:5", 0 },
		{ "QQQ:5", 0 },
		{ "EUR:5,", 0 },
		{ ",EUR:5", 0 },
		{ "EUR:5,,SEK:5", 0 },
		{ "EUR:5,EUR:6", 0 },
		{ "EUR:5 ,SEK:5", 0 },
		{ "EUR:00000000000000000000000000000000005", 0 },
		{ "EUR:1,SEK:1,NOK:1,DKK:1,USD:1,GBP:1,CHF:1,JPY:1,AUD:1,CAD:1,NZD:1,PLN:1,"
		  "CZK:1,HUF:1,RON:1,BGN:1,ISK:1",
			0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct scope scope = { 0 };
		bool read = scope_amounts_read(rows[i].text, &scope);
		if (read != (rows[i].n > 0) || (read && scope.amounts_n != rows[i].n))
			fail_msg("%s: read %d, %zu amounts", rows[i].text, read, scope.amounts_n);
	}
}

static void test_scope_pools_are_read(void **state)
{
	static const char *const wrong[] = { "", "0", "65536", "a", "1,", ",1", "1,,2", "1,1",
		"1 ,2", "-1" };
	static const char many[] = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,"
				   "25,26,27,28,29,30,31,32,33";
	struct scope scope = { 0 };

	(void)state;
	assert_true(scope_pools_read("1,65535,4", &scope));
	assert_int_equal(scope.pools_n, 3);
	assert_true(scope_permits_pool(&scope, 4) && scope_permits_pool(&scope, 65535));
	assert_false(scope_permits_pool(&scope, 2));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct scope other = { 0 };
		assert_false(scope_pools_read(wrong[i], &other));
	}
	assert_false(scope_pools_read(many, &scope));
}

static void test_scope_compares_amounts(void **state)
{
	const struct currency *eur = currency_by_code("EUR"), *sek = currency_by_code("SEK");
	const struct currency *nok = currency_by_code("NOK");
	char text[SCOPE_TEXT_MAX];
	struct scope scope = { 0 };

	(void)state;
	assert_true(scope_permits_amount(&scope, eur, INT64_MAX)); /* not limited */
	assert_true(scope_amounts_read("EUR:500,SEK:0", &scope));
	assert_true(scope_permits_amount(&scope, eur, 500));
	assert_false(scope_permits_amount(&scope, eur, 501));
	assert_true(scope_permits_amount(&scope, eur, -500));
	assert_false(scope_permits_amount(&scope, eur, -501));
	assert_false(scope_permits_amount(&scope, eur, INT64_MAX));
	assert_false(scope_permits_amount(&scope, eur, INT64_MIN));
	assert_false(scope_permits_amount(&scope, sek, 1));
	assert_false(scope_permits_amount(&scope, nok, 1));
	scope_amount_text(&scope, eur, text);
	assert_string_equal(text, "at most 500 EUR");
	scope_amount_text(&scope, nok, text);
	assert_string_equal(text, "an amount in EUR or SEK");
}

static void test_scope_kinds_are_read(void **state)
{
	static const char *const wrong[] = { "", "reads", "read,", ",read", "read,,money",
		"read,read", "READ", "users", "all", "read money" };
	struct scope scope = { 0 };
	char text[SCOPE_TEXT_MAX];

	(void)state;
	scope_kinds_text(&scope, text);
	assert_string_equal(text, "read,players,money,pools");
	assert_true(scope_kinds_read("pools,read", &scope) && scope_is_limited(&scope));
	scope_kinds_text(&scope, text);
	assert_string_equal(text, "read,pools");
	assert_true(scope_has(&scope, SCOPE_POOLS) && !scope_has(&scope, SCOPE_MONEY));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct scope other = { 0 };
		assert_false(scope_kinds_read(wrong[i], &other));
	}
}

/* Every row of limits at every permission, reading and writing. */
static void test_scope_permits_routes(void **state)
{
	struct scope none = { 0 }, reads = { 0 }, amounts = { 0 }, pools = { 0 };

	(void)state;
	assert_true(scope_amounts_read("EUR:1", &amounts) && scope_pools_read("1", &pools) &&
		    scope_kinds_read("read", &reads));
	assert_false(scope_is_limited(&none));
	assert_true(
		scope_is_limited(&reads) && scope_is_limited(&amounts) && scope_is_limited(&pools));
	for (size_t i = 0; i < PERMISSIONS_N; i++) {
		enum permission permission = (enum permission)i;
		enum scope_kind kind;
		/* Nobody posts what is only read; a route that would is closed to limited keys. */
		bool opened = scope_kind_of(true, permission, &kind);
		bool unnamed = permission == PERMIT_VOID || permission == PERMIT_RATES;
		assert_true(scope_permits(&none, true, permission));
		assert_false(scope_permits(&reads, true, permission));
		assert_int_equal(scope_permits(&amounts, true, permission), opened && !unnamed);
		assert_int_equal(scope_permits(&pools, true, permission), opened);
		assert_true(scope_permits(&reads, false, permission) &&
			    scope_permits(&amounts, false, permission) &&
			    scope_permits(&pools, false, permission));
	}
	assert_false(scope_permits(&pools, true, PERMIT_USERS));
}

/* Which scope each permission to write needs; a key that has only this one may do nothing else. */
static void test_scope_opens_its_routes_only(void **state)
{
	static const struct {
		const char *scope;
		enum permission opens[4];
		size_t n;
	} rows[] = {
		{ "read", { 0 }, 0 },
		{ "players", { PERMIT_CARE, PERMIT_NOTES, PERMIT_OPEN }, 3 },
		{ "money", { PERMIT_MONEY, PERMIT_VOID, PERMIT_RATES }, 3 },
		{ "pools", { PERMIT_JACKPOTS, PERMIT_GAMES }, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct scope scope = { 0 };
		assert_true(scope_kinds_read(rows[i].scope, &scope));
		for (size_t p = 0; p < PERMISSIONS_N; p++) {
			bool opens = false;
			for (size_t o = 0; o < rows[i].n; o++)
				opens = opens || rows[i].opens[o] == (enum permission)p;
			assert_int_equal(scope_permits(&scope, true, (enum permission)p), opens);
			assert_int_equal(scope_permits(&scope, false, (enum permission)p), i == 0);
		}
	}
}

static void test_scope_longest_texts_fit(void **state)
{
	char text[SCOPE_TEXT_MAX];
	struct scope scope = { .by_pool = true, .pools_n = SCOPE_POOLS_MAX };

	(void)state;
	for (size_t i = 0; i < SCOPE_POOLS_MAX; i++)
		scope.pools[i] = 65535;
	scope_pools_text(&scope, text);
	assert_int_equal(strlen(text), strlen("pool") + (SCOPE_POOLS_MAX * strlen(" 65535,")) - 1);
	scope = (struct scope){ .by_amount = true, .amounts_n = SCOPE_AMOUNTS_MAX };
	for (size_t i = 0; i < SCOPE_AMOUNTS_MAX; i++)
		scope.amounts[i].currency = currency_by_code("USDT");
	scope_amount_text(&scope, currency_by_code("EUR"), text);
	assert_true(strlen(text) < SCOPE_TEXT_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scope_amounts_are_read),
		cmocka_unit_test(test_scope_pools_are_read),
		cmocka_unit_test(test_scope_compares_amounts),
		cmocka_unit_test(test_scope_kinds_are_read),
		cmocka_unit_test(test_scope_permits_routes),
		cmocka_unit_test(test_scope_opens_its_routes_only),
		cmocka_unit_test(test_scope_longest_texts_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
