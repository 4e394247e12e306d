#include "services/notifications/adapters/clients_private.h"
#include "services/notifications/adapters/feeds.h"

#include <jansson.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void test_parse_accepts_the_contract(void **state)
{
	(void)state;
	static const struct {
		const char *message;
		unsigned channels, resume;
		bool position_known;
	} cases[] = {
		{ "{\"subscribe\":[\"jackpots\"]}", CHANNEL_JACKPOTS, 0, false },
		{ "{\"subscribe\":[\"jackpots\",\"winners\",\"player\"],\"token\":\"abc\"}",
			CHANNEL_JACKPOTS | CHANNEL_WINNERS | CHANNEL_PLAYER, 0, false },
		{ "{\"subscribe\":[\"player\"],\"token\":\"abc\",\"game\":\"mona-lisa\"}",
			CHANNEL_PLAYER, 0, false },
		{ "{\"subscribe\":[\"winners\",\"winners\"],\"token\":null,\"resume\":null}",
			CHANNEL_WINNERS, 0, false },
		{ "{\"subscribe\":[\"winners\"],\"resume\":{\"winners\":{\"epoch\":\"e\","
		  "\"offset\":"
		  "\"1:2\"}}}",
			CHANNEL_WINNERS, CHANNEL_WINNERS, true },
		{ "{\"subscribe\":[\"winners\"],\"resume\":{\"winners\":{\"epoch\":\"e\","
		  "\"offset\":"
		  "\"elsewhere\"}}}",
			CHANNEL_WINNERS, CHANNEL_WINNERS, false },
		{ "{\"subscribe\":[\"jackpots\"],\"resume\":{\"jackpots\":{\"epoch\":\"\","
		  "\"offset\":\"\"}}}",
			CHANNEL_JACKPOTS, CHANNEL_JACKPOTS, false },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct subscription subscription;
		char error[SUBSCRIBE_ERROR_MAX];
		if (!subscribe_parse(
			    cases[i].message, strlen(cases[i].message), &subscription, error))
			fail_msg("%s: %s", cases[i].message, error);
		assert_int_equal(subscription.channels, cases[i].channels);
		assert_int_equal(subscription.resume, cases[i].resume);
		assert_int_equal(subscription.position_known, cases[i].position_known);
	}
}

static void test_parse_refuses_with_where_found_expected(void **state)
{
	(void)state;
	static const struct {
		const char *message, *where;
	} cases[] = {
		{ "", "message" },
		{ "null", "message" },
		{ "[]", "message" },
		{ "{", "message" },
		{ "{}", "subscribe" },
		{ "\xff\xfe", "message" },
		{ "{\"subscribe\":[\"jackpots\"]} x", "message" },
		{ "{\"subscribe\":[\"jackpots\"],\"subscribe\":[]}", "message" },
		{ "{\"subscribe\":[\"jackpots\"],\"more\":1}", "message" },
		{ "{\"subscribe\":[]}", "subscribe" },
		{ "{\"subscribe\":1}", "subscribe" },
		{ "{\"subscribe\":\"jackpots\"}", "subscribe" },
		{ "{\"subscribe\":[1]}", "subscribe" },
		{ "{\"subscribe\":[\"x\"]}", "subscribe" },
		{ "{\"subscribe\":[\"jackpots\\u0000\"]}", "message" },
		{ "{\"subscribe\":[\"jackpots\",\"winners\",\"player\",\"player\"]}", "subscribe" },
		{ "{\"subscribe\":[\"player\"],\"token\":1}", "token" },
		{ "{\"subscribe\":[\"player\"],\"token\":{}}", "token" },
		{ "{\"subscribe\":[\"player\"],\"game\":1}", "game" },
		{ "{\"subscribe\":[\"player\"],\"game\":\"\"}", "game" },
		{ "{\"subscribe\":[\"player\"],\"game\":\"a:b\"}", "game" },
		{ "{\"subscribe\":[\"player\"],\"game\":\"01234567890123456789012345678901\"}",
			"game" },
		{ "{\"subscribe\":[\"winners\"],\"resume\":1}", "resume" },
		{ "{\"subscribe\":[\"winners\"],\"resume\":{\"x\":{}}}", "resume" },
		{ "{\"subscribe\":[\"winners\"],\"resume\":{\"winners\":1}}", "resume" },
		{ "{\"subscribe\":[\"winners\"],\"resume\":{\"winners\":{\"epoch\":\"e\"}}}",
			"resume" },
		{ "{\"subscribe\":[\"winners\"],\"resume\":{\"winners\":{\"epoch\":1,\"offset\":1}}"
		  "}",
			"resume" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct subscription subscription;
		char error[SUBSCRIBE_ERROR_MAX];
		if (subscribe_parse(
			    cases[i].message, strlen(cases[i].message), &subscription, error))
			fail_msg("'%s' was taken", cases[i].message);
		json_t *json = json_loads(error, 0, NULL);
		assert_non_null(json);
		const char *where = json_string_value(json_object_get(json, "where"));
		if (!where || strcmp(where, cases[i].where) != 0)
			fail_msg("'%s': %s", cases[i].message, error);
		assert_non_null(json_string_value(json_object_get(json, "found")));
		assert_non_null(json_string_value(json_object_get(json, "expected")));
		json_decref(json);
	}
}

static void test_parse_reads_the_own_position(void **state)
{
	(void)state;
	static const struct {
		const char *epoch, *offset;
		uint32_t incarnation;
		uint64_t seq;
	} cases[] = {
		{ "1", "42", 1, 42 },
		{ "4294967295", "9223372036854775807", UINT32_MAX, INT64_MAX },
		{ "4294967296", "42", 0, 0 },
		{ "1", "9223372036854775808", 0, 0 },
		{ "1", "99999999999999999999", 0, 0 },
		{ "cards-1", "42", 0, 0 }, /* of another stream of the channel */
		{ "1", "-1", 0, 0 },
		{ "1", " 42", 0, 0 },
		{ "", "", 0, 0 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char message[256], error[SUBSCRIBE_ERROR_MAX];
		struct subscription subscription;
		(void)snprintf(message, sizeof(message),
			"{\"subscribe\":[\"player\"],\"resume\":{\"player\":{\"epoch\":\"%s\","
			"\"offset\":\"%s\"}}}",
			cases[i].epoch, cases[i].offset);
		assert_true(subscribe_parse(message, strlen(message), &subscription, error));
		assert_int_equal(subscription.resume, CHANNEL_PLAYER);
		if (subscription.own.incarnation != cases[i].incarnation ||
			subscription.own.seq != cases[i].seq)
			fail_msg("%s/%s: found %" PRIu32 "/%" PRIu64, cases[i].epoch,
				cases[i].offset, subscription.own.incarnation,
				subscription.own.seq);
	}
}

static void test_parse_bounds_lengths(void **state)
{
	(void)state;
	struct subscription subscription;
	char error[SUBSCRIBE_ERROR_MAX], message[SUBSCRIBE_BYTES_MAX + 2], name[1000];
	memset(message, ' ', sizeof(message));
	assert_false(subscribe_parse(message, SUBSCRIBE_BYTES_MAX + 1, &subscription, error));
	for (size_t length = 500; length < 520; length++) {
		memset(name, 'a', length);
		name[length] = 0;
		snprintf(message, sizeof(message), "{\"subscribe\":[\"player\"],\"token\":\"%s\"}",
			name);
		assert_int_equal(subscribe_parse(message, strlen(message), &subscription, error),
			length < TOKEN_MAX);
	}
	/* A quoted text in an error is cut between characters. */
	for (size_t length = 55; length < 64; length++) {
		memset(name, 'a', length);
		strcpy(name + length, "\xe2\x82\xac\xe2\x82\xac");
		snprintf(message, sizeof(message), "{\"subscribe\":[\"%s\"]}", name);
		assert_false(subscribe_parse(message, strlen(message), &subscription, error));
		json_t *json = json_loads(error, 0, NULL);
		assert_non_null(json);
		assert_string_equal(json_string_value(json_object_get(json, "where")), "subscribe");
		json_decref(json);
	}
}

static void test_counters_of_redis(void **state)
{
	(void)state;
	static const struct {
		const char *field, *value;
		bool cards, ok;
	} cases[] = {
		{ "978:100", "4100,4000,9,1700000000000000,2", false, true },
		{ "EUR:100", "4100,4000,9,1700000000000000,2", false, true },
		{ "978:2", "4100,4000,9,1700000000000000,2", true, true },
		{ "978", "1,1,1,1,1", false, false },
		{ "978:", "1,1,1,1,1", false, false },
		{ "978:0", "1,1,1,1,1", false, false },
		{ ":1", "1,1,1,1,1", false, false },
		{ "XXX:1", "1,1,1,1,1", false, false },
		{ "978:1x", "1,1,1,1,1", false, false },
		{ "978:1", "1,1,1,1", false, false },
		{ "978:1", "1,1,1,1,1,1", false, false },
		{ "978:1", "-1,1,1,1,1", false, false },
		{ "978:1", "1, 1,1,1,1", false, false },
		{ "978:1", "", false, false },
		{ "978:1", "a,b,c,d,e", false, false },
		{ "978:1", "99999999999999999999,1,1,1,1", false, false },
		{ "99999999999:1", "1,1,1,1,1", false, false },
		{ "978:5000000000", "1,1,1,1,1", true, false },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct counter row;
		uint64_t time_us;
		if (feeds_counter_parse(cases[i].field, cases[i].value, cases[i].cards, &row,
			    &time_us) != cases[i].ok)
			fail_msg("%s = %s: expected %d", cases[i].field, cases[i].value,
				cases[i].ok);
		if (cases[i].ok)
			assert_true(row.currency == 978 && row.value_minor == 4100 &&
				    row.hits == 2 && time_us == 1700000000000000);
	}
}

static void test_origin_is_listed_or_the_same_host(void **state)
{
	(void)state;
	static const struct {
		const char *allowed, *origin, *host;
		bool ok;
	} cases[] = {
		{ "same-host", "http://127.0.0.1:8080", "127.0.0.1:9000", true },
		{ "same-host", "https://play.example", "play.example:443", true },
		{ "same-host", "https://play.example", "PLAY.example", true },
		{ "same-host", "http://[::1]:80", "[::1]:90", true },
		{ "same-host", "", "play.example", true },
		{ "same-host", "https://evil.example", "play.example", false },
		{ "same-host", "https://play.example.evil", "play.example", false },
		{ "same-host", "null", "play.example", false },
		{ "same-host", "http://", "", false },
		{ "*", "https://evil.example", "play.example", true },
		{ "https://a.example https://b.example:8443", "https://b.example:8443", "x", true },
		{ "https://a.example  https://b.example", "https://b.example", "x", true },
		{ "https://a.example", "https://a.example.evil", "x", false },
		{ "https://a.example", "http://a.example", "a.example", false },
		{ "", "https://a.example", "a.example", false },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct clients clients = { .config = { .origins = cases[i].allowed } };
		if (clients_origin_allowed(&clients, cases[i].origin, cases[i].host) != cases[i].ok)
			fail_msg("%s of %s at %s: expected %d", cases[i].origin, cases[i].allowed,
				cases[i].host, cases[i].ok);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_accepts_the_contract),
		cmocka_unit_test(test_parse_refuses_with_where_found_expected),
		cmocka_unit_test(test_parse_reads_the_own_position),
		cmocka_unit_test(test_parse_bounds_lengths),
		cmocka_unit_test(test_counters_of_redis),
		cmocka_unit_test(test_origin_is_listed_or_the_same_host),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
