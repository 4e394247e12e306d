/* Webhooks: secrets and signatures by vectors of another implementation, pauses, addresses. */
#include "libcommon/base/alone.h"
#include "libcommon/base/hex.h"
#include "services/gateway/adapters/webhook_address.h"
#include "services/gateway/core/webhook.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <string.h>

#define SALT "6b1f0a52-7d0e-4f0b-9f59-0d2f6a1c9e11"
#define BODY "{\"id\":\"x\"}"

/* The vectors were computed by Python's hmac. */
static void test_webhook_signature(void **state)
{
	uint8_t key[WEBHOOK_SECRET_BYTES], secret[WEBHOOK_SECRET_BYTES],
		other[WEBHOOK_SECRET_BYTES];
	char hex[WEBHOOK_SIGNATURE_HEX + 1], changed[WEBHOOK_SIGNATURE_HEX + 1];

	(void)state;
	for (uint8_t i = 0; i < sizeof(key); i++)
		key[i] = i;
	webhook_secret(key, SALT, 1, secret);
	hex_format(secret, sizeof(secret), hex);
	assert_string_equal(
		hex, "3d340e5ad61f79221dfa70243695aa6244ea41dabc3391bc45734864b58783aa");
	webhook_secret(key, SALT, 2, other);
	assert_memory_not_equal(secret, other, sizeof(secret));
	webhook_sign(secret, 1700000000, BODY, strlen(BODY), hex);
	assert_string_equal(
		hex, "60d33c8a055e5333cc8c2562b47b795ab22818c76749f629fefb26e5ec154a27");
	webhook_sign(secret, 1700000001, BODY, strlen(BODY), changed);
	assert_string_not_equal(hex, changed);
	webhook_sign(other, 1700000000, BODY, strlen(BODY), changed);
	assert_string_not_equal(hex, changed);
}

static void test_webhook_pauses(void **state)
{
	static const struct {
		uint32_t attempt;
		int64_t first_ms, middle_ms;
	} rows[] = {
		{ 0, 5000, 5000 },
		{ 1, 5000, 10000 },
		{ 4, 5000, 80000 },
		{ 9, 5000, 2560000 },
		{ 10, 5000, 3600000 },
		{ 4000000000U, 5000, 3600000 },
		{ 0, 4, 4 },
		{ 3, 600000, 3600000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t span = (uint64_t)rows[i].middle_ms / 2;
		int64_t low = rows[i].middle_ms - rows[i].middle_ms / 4;

		assert_int_equal(webhook_delay_ms(rows[i].attempt, rows[i].first_ms, 0), low);
		assert_int_equal(webhook_delay_ms(rows[i].attempt, rows[i].first_ms, span),
			low + (int64_t)span);
		assert_in_range(webhook_delay_ms(rows[i].attempt, rows[i].first_ms, UINT64_MAX),
			(uint64_t)low, (uint64_t)low + span);
	}
	assert_int_equal(webhook_delay_ms(0, 0, 0), 1);
}

static void test_webhook_rest(void **state)
{
	static const struct {
		int64_t retry_after_s, rest_ms;
	} rows[] = { { -1, 0 }, { 0, 0 }, { 1, 1000 }, { 120, 120000 }, { 3600, 3600000 },
		{ 3601, 3600000 }, { INT64_MAX, 3600000 } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(webhook_rest_ms(rows[i].retry_after_s), rows[i].rest_ms);
}

static void test_webhook_url_shown(void **state)
{
	static const struct {
		const char *url, *shown;
	} rows[] = {
		{ "https://casino.example/hooks", "https://casino.example/hooks" },
		{ "https://casino.example", "https://casino.example" },
		{ "https://casino.example/hooks?token=s3cret&b=1",
			"https://casino.example/hooks?.." },
		{ "https://casino.example?s3cret", "https://casino.example?.." },
		{ "https://anna:s3cret@casino.example/x", "https://..@casino.example/x" },
		{ "https://a@b:s3cret@casino.example:8443/x?y=s3cret@z",
			"https://..@casino.example:8443/x?.." },
		{ "https://casino.example/at@home?s3cret", "https://casino.example/at@home?.." },
		{ "https://casino.example/x?a?s3cret", "https://casino.example/x?.." },
		{ "", "" },
	};
	char shown[WEBHOOK_URL_MAX + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		webhook_url_shown(rows[i].url, shown);
		assert_string_equal(shown, rows[i].shown);
	}
}

static void test_webhook_urls(void **state)
{
	static const struct {
		const char *url;
		bool outside, internal; /* allowed without, and with, internal addresses */
	} rows[] = {
		{ "https://casino.example", true, true },
		{ "https://casino.example/hooks/carillon?a=1&b=%20", true, true },
		{ "https://casino.example:8443/x", true, true },
		{ "https://203.0.113.9/x", true, true }, /* refused when it is connected to */
		{ "https://[2606:4700::1]:443/", true, true },
		{ "https://casino.example?x", true, true },
		{ "https://localhost/x", false, true },
		{ "https://127.0.0.1:8443/x", false, true },
		{ "http://127.0.0.1:9000/x", false, true },
		{ "http://[::1]/x", false, true },
		{ "http://localhost:1", false, true },
		{ "http://casino.example/", false, false },
		{ "http://127.0.0.1.casino.example/", false, false },
		{ "http://localhost@casino.example/", false, false },
		{ "https://user:pass@casino.example/", false, false },
		{ "https://casino.example:0/", false, false },
		{ "https://casino.example:65536/", false, false },
		{ "https://casino.example:/", false, false },
		{ "https://casino.example:99999999999/", false, false },
		{ "https://casino.example/#part", false, false },
		{ "https://casino.example/a b", false, false },
		{ "https://casino.example\\@internal/", false, false },
		{ "https://casino.example/\n", false, false },
		{ "https://-casino.example/", false, false },
		{ "https://[::1", false, false },
		{ "https://[]/", false, false },
		{ "https://", false, false },
		{ "https:///path", false, false },
		{ "HTTPS://casino.example/", false, false },
		{ "ftp://casino.example/", false, false },
		{ "file:///etc/passwd", false, false },
		{ "", false, false },
	};
	char longer[WEBHOOK_URL_MAX + 2] = "https://casino.example/";
	const char *expected;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		expected = NULL;
		if (webhook_url_ok(rows[i].url, false, &expected) != rows[i].outside)
			fail_msg("%s: outside", rows[i].url);
		assert_true(rows[i].outside || expected != NULL);
		if (webhook_url_ok(rows[i].url, true, &expected) != rows[i].internal)
			fail_msg("%s: internal", rows[i].url);
	}
	memset(longer + strlen(longer), 'a', WEBHOOK_URL_MAX - strlen(longer));
	assert_true(webhook_url_ok(longer, false, &expected));
	longer[WEBHOOK_URL_MAX] = 'a';
	assert_false(webhook_url_ok(longer, false, &expected));
}

static void test_webhook_addresses(void **state)
{
	static const struct {
		const char *address;
		bool public;
	} rows[] = {
		{ "1.1.1.1", true },
		{ "8.8.8.8", true },
		{ "9.255.255.255", true },
		{ "11.0.0.0", true },
		{ "100.63.255.255", true },
		{ "100.128.0.0", true },
		{ "172.15.255.255", true },
		{ "172.32.0.0", true },
		{ "192.167.255.255", true },
		{ "198.17.255.255", true },
		{ "198.20.0.0", true },
		{ "223.255.255.255", true },
		{ "0.0.0.0", false },
		{ "10.1.2.3", false },
		{ "100.64.0.1", false },
		{ "100.127.255.255", false },
		{ "127.0.0.1", false },
		{ "127.255.255.254", false },
		{ "169.254.169.254", false },
		{ "172.16.0.1", false },
		{ "172.31.255.255", false },
		{ "192.0.0.8", false },
		{ "192.0.2.1", false },
		{ "192.88.99.1", false },
		{ "192.168.0.1", false },
		{ "198.18.0.1", false },
		{ "198.19.255.255", false },
		{ "198.51.100.1", false },
		{ "203.0.113.9", false },
		{ "224.0.0.1", false },
		{ "239.255.255.255", false },
		{ "240.0.0.1", false },
		{ "255.255.255.255", false },
		{ "2606:4700::1111", true },
		{ "2a00:1450::1", true },
		{ "3ffe::1", true },
		{ "::", false },
		{ "::1", false },
		{ "::ffff:127.0.0.1", false },
		{ "::ffff:8.8.8.8", true },
		{ "::8.8.8.8", false },
		{ "64:ff9b::7f00:1", false },
		{ "100::1", false },
		{ "2001::1", false },
		{ "2001:1ff::1", false },
		{ "2001:200::1", true },
		{ "2001:db8::1", false },
		{ "2002:7f00:1::1", false },
		{ "3fff::1", false },
		{ "fc00::1", false },
		{ "fd00::1", false },
		{ "fe80::1", false },
		{ "ff02::1", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct address address = { .bytes = { [10] = 0xff, [11] = 0xff } };

		if (inet_pton(AF_INET, rows[i].address, address.bytes + 12) != 1)
			assert_int_equal(inet_pton(AF_INET6, rows[i].address, address.bytes), 1);
		if (webhook_address_public(&address) != rows[i].public)
			fail_msg("%s", rows[i].address);
	}
}

static void test_webhook_settings(void **state)
{
	static const char *const wrong[] = { "EUR", "EUR=", "EUR=0", "EUR=-1", "EUR=1;SEK=2",
		"XXY=1", "=1", ",", "EUR=1,,SEK=1", "EUR=1234567890123456789", "LONGNAME=1" };
	static const char *const unknown[] = { "", "hit,", ",hit", "hit,hit", "Hit", "hit payout",
		"hit,payouts", "test" };
	char text[64], array[WEBHOOK_KINDS_MAX + 2], error[ALONE_ERROR_MAX], all[8192];
	size_t n = 0;

	(void)state;
	assert_true(webhook_large_read("", text, sizeof(text), error));
	assert_string_equal(text, "{}");
	assert_true(webhook_large_read("EUR=100000,SEK=1000000", text, sizeof(text), error));
	assert_string_equal(text, "{\"752\":1000000,\"978\":100000}");
	assert_false(webhook_large_read("EUR=100000,SEK=1000000", text, 20, error));
	assert_true(webhook_large_read("EUR=5,*=100000", all, sizeof(all), error));
	assert_non_null(strstr(all, "\"392\":170000,"));
	assert_non_null(strstr(all, "\"978\":5,"));
	assert_non_null(strstr(all, "\"1005\":1000000000,"));
	for (const char *at = all; (at = strchr(at, ':')) != NULL; at++)
		n++;
	assert_null(currency_at(n));
	assert_non_null(currency_at(n - 1));
	assert_true(webhook_large_read("*=1000000000000000", all, sizeof(all), error));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (webhook_large_read(wrong[i], text, sizeof(text), error))
			fail_msg("%s was read as %s", wrong[i], text);
	assert_true(webhook_kinds_read("hit,large_win,payout,limit,game", array));
	assert_string_equal(array, "{hit,large_win,payout,limit,game}");
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		if (webhook_kinds_read(unknown[i], array))
			fail_msg("%s was read", unknown[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_webhook_signature),
		cmocka_unit_test(test_webhook_pauses),
		cmocka_unit_test(test_webhook_rest),
		cmocka_unit_test(test_webhook_url_shown),
		cmocka_unit_test(test_webhook_urls),
		cmocka_unit_test(test_webhook_addresses),
		cmocka_unit_test(test_webhook_settings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
