/* Addresses, networks, Forwarded and the PROXY protocol, as tables. */
#include "libcommon/edge/address.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <string.h>

static struct address read(const char *text)
{
	struct address address;
	if (!address_parse(text, &address))
		fail_msg("%s", text);
	return address;
}

static void test_addresses_are_read_and_written(void **state)
{
	static const struct {
		const char *text, *written; /* NULL: none */
	} cases[] = {
		{ "192.0.2.7", "192.0.2.7" },
		{ "2001:DB8:0::1", "2001:db8::1" },
		{ "::ffff:192.0.2.7", "192.0.2.7" },
		{ "::", "::" },
		{ "", NULL },
		{ "192.0.2", NULL },
		{ "192.0.2.256", NULL },
		{ "[::1]", NULL },
		{ "host", NULL },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct address address;
		char out[ADDRESS_TEXT_MAX];
		bool good = address_parse(cases[i].text, &address);
		if (good != (cases[i].written != NULL))
			fail_msg("case %zu: %s", i, cases[i].text);
		if (!good)
			continue;
		address_format(&address, out);
		assert_string_equal(out, cases[i].written);
	}
}

static void test_networks(void **state)
{
	static const struct {
		const char *networks, *address, *bad; /* bad: the part that cannot be read */
		bool has;
	} cases[] = {
		{ "", "192.0.2.7", NULL, false },
		{ "192.0.2.7", "192.0.2.7", NULL, true },
		{ "192.0.2.7", "192.0.2.6", NULL, false },
		{ "10.0.0.0/8, 192.0.2.0/24", "192.0.2.255", NULL, true },
		{ "10.0.0.0/8 192.0.2.0/24", "192.0.3.0", NULL, false },
		{ "10.1.2.3/15", "10.0.255.255", NULL, true },
		{ "10.1.2.3/15", "10.2.0.0", NULL, false },
		{ "0.0.0.0/0", "192.0.2.7", NULL, true },
		{ "0.0.0.0/0", "2001:db8::1", NULL, false },
		{ "::/0", "192.0.2.7", NULL, true },
		{ "2001:db8::/33", "2001:db8:7fff::1", NULL, true },
		{ "2001:db8::/33", "2001:db8:8000::1", NULL, false },
		{ "::1", "::1", NULL, true },
		{ "10.0.0.0/33", "::1", "10.0.0.0/33", false },
		{ "::1/129", "::1", "::1/129", false },
		{ "10.0.0.0/", "::1", "10.0.0.0/", false },
		{ "10.0.0.0/-1", "::1", "10.0.0.0/-1", false },
		{ "10.0.0.0/8x", "::1", "10.0.0.0/8x", false },
		{ "::1, name", "::1", "name", false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct networks networks;
		struct address address = read(cases[i].address);
		char bad[64];
		bool good = networks_parse(cases[i].networks, &networks, bad, sizeof(bad));
		if (good != (cases[i].bad == NULL))
			fail_msg("case %zu: %s", i, cases[i].networks);
		if (!good)
			assert_string_equal(bad, cases[i].bad);
		else if (networks_have(&networks, &address) != cases[i].has)
			fail_msg("case %zu: %s in %s", i, cases[i].address, cases[i].networks);
	}
}

static void test_no_more_networks_than_there_is_room_for(void **state)
{
	struct networks networks;
	char text[8 * (NETWORKS_MAX + 1) + 1] = "", bad[64];
	(void)state;
	for (size_t i = 0; i < NETWORKS_MAX; i++)
		memcpy(text + strlen(text), "1.2.3.4 ", 9);
	assert_true(networks_parse(text, &networks, bad, sizeof(bad)));
	memcpy(text + strlen(text), "1.2.3.4 ", 9);
	assert_false(networks_parse(text, &networks, bad, sizeof(bad)));
}

static void test_the_client_behind_listed_proxies(void **state)
{
	static const struct {
		const char *value, *client; /* NULL: none */
	} cases[] = {
		{ "for=192.0.2.7", "192.0.2.7" },
		{ "For=\"192.0.2.7:4711\"", "192.0.2.7" },
		{ "proto=https; for=192.0.2.7 ;by=10.0.0.1", "192.0.2.7" },
		{ "for=\"[2001:db8::1]\"", "2001:db8::1" },
		{ "for=\"[2001:db8::1]:80\"", "2001:db8::1" },
		/* What the client itself sent stands before what the proxy added. */
		{ "for=203.0.113.9, for=192.0.2.7", "192.0.2.7" },
		{ "for=203.0.113.9, for=192.0.2.7, for=10.0.0.5", "192.0.2.7" },
		{ "for=203.0.113.9,for=10.0.0.4,for=10.0.0.5", "203.0.113.9" },
		{ "for=10.0.0.4, for=10.0.0.5", NULL },
		{ "for=unknown", NULL },
		{ "for=_hidden, for=10.0.0.5", NULL },
		{ "for=203.0.113.9, for=unknown", NULL },
		{ "for=2001:db8::1", NULL },
		{ "for=[::1]x", NULL },
		{ "for=[::1", NULL },
		{ "for=[192.0.2.7]", NULL },
		{ "for=", NULL },
		{ "by=192.0.2.7", NULL },
		{ "", NULL },
		{ ",", NULL },
	};
	struct networks proxies;
	char bad[64];
	(void)state;
	assert_true(networks_parse("10.0.0.0/8", &proxies, bad, sizeof(bad)));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct address client;
		char out[ADDRESS_TEXT_MAX];
		bool found = forwarded_client(cases[i].value, &proxies, &client);
		if (found != (cases[i].client != NULL))
			fail_msg("case %zu: %s", i, cases[i].value);
		if (!found)
			continue;
		address_format(&client, out);
		assert_string_equal(out, cases[i].client);
	}
}

#define V2 "\r\n\r\n\0\r\nQUIT\n"

static const struct {
	const char *bytes;
	size_t length;
	enum proxy_status status;
	const char *client;
	size_t used; /* 0: all */
} HEADERS[] = {
#define HEADER(bytes, status, client, used)                                                        \
	{                                                                                          \
		bytes, sizeof(bytes) - 1, status, client, used                                     \
	}
	HEADER("PROXY TCP4 192.0.2.7 10.0.0.1 4711 443\r\n", PROXY_OK, "192.0.2.7", 0),
	HEADER("PROXY TCP6 2001:db8::1 ::1 4711 443\r\nGET /", PROXY_OK, "2001:db8::1", 37),
	HEADER("PROXY UNKNOWN\r\n", PROXY_NONE, NULL, 0),
	HEADER("PROXY UNKNOWN ffff::1 ::1 1 2\r\n", PROXY_NONE, NULL, 0),
	HEADER("PROXY TCP4 192.0.2.7 10.0", PROXY_MORE, NULL, 0),
	HEADER("PROX", PROXY_MORE, NULL, 0),
	HEADER("", PROXY_MORE, NULL, 0),
	HEADER("PROXY TCP5 192.0.2.7 10.0.0.1 4711 443\r\n", PROXY_BAD, NULL, 0),
	HEADER("PROXY TCP4 name 10.0.0.1 4711 443\r\n", PROXY_BAD, NULL, 0),
	HEADER("PROXY TCP4 192.0.2.7 10.0.0.1 4711 443\n", PROXY_BAD, NULL, 0),
	HEADER("PROXY \n", PROXY_BAD, NULL, 0),
	HEADER("GET / HTTP/1.1\r\n", PROXY_BAD, NULL, 0),
	HEADER(V2 "\x21\x11\0\x0c\xc0\0\2\7\x0a\0\0\1\x12\x67\1\xbb", PROXY_OK, "192.0.2.7", 0),
	HEADER(V2 "\x21\x11\0\x0f\xc0\0\2\7\x0a\0\0\1\x12\x67\1\xbb\4\0\0xyz", PROXY_OK,
		"192.0.2.7", 31),
	HEADER(V2 "\x21\x21\0\x24\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1xxxxxxxxxxxxxxxx\0\1\0\2",
		PROXY_OK, "2001:db8::1", 0),
	HEADER(V2 "\x20\0\0\0", PROXY_NONE, NULL, 0),
	HEADER(V2 "\x21\0\0\0", PROXY_NONE, NULL, 0),
	HEADER(V2 "\x21\x11\0\x0c\xc0\0\2\7", PROXY_MORE, NULL, 0),
	HEADER(V2 "\x21", PROXY_MORE, NULL, 0),
	HEADER("\r\n\r\n", PROXY_MORE, NULL, 0),
	HEADER(V2 "\x31\x11\0\x0c\xc0\0\2\7\x0a\0\0\1\x12\x67\1\xbb", PROXY_BAD, NULL, 0),
	HEADER(V2 "\x22\x11\0\x0c\xc0\0\2\7\x0a\0\0\1\x12\x67\1\xbb", PROXY_BAD, NULL, 0),
	HEADER(V2 "\x21\x11\0\4\xc0\0\2\7", PROXY_BAD, NULL, 0),
	HEADER(V2 "\x21\x11\xff\xff", PROXY_BAD, NULL, 0),
	HEADER("\r\n\r\nGET / HTTP", PROXY_BAD, NULL, 0),
};

static void test_headers_of_the_proxy_protocol(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(HEADERS) / sizeof(HEADERS[0]); i++) {
		struct address client;
		size_t used, whole = HEADERS[i].used == 0 ? HEADERS[i].length : HEADERS[i].used;
		const uint8_t *bytes = (const uint8_t *)HEADERS[i].bytes;
		enum proxy_status status =
			proxy_header_read(bytes, HEADERS[i].length, &client, &used);
		if (status != HEADERS[i].status)
			fail_msg("case %zu: status %d", i, (int)status);
		if (status != PROXY_OK && status != PROXY_NONE)
			continue;
		if (used != whole)
			fail_msg("case %zu: %zu bytes used", i, used);
		for (size_t n = 0; n < whole; n++) /* and no sooner */
			if (proxy_header_read(bytes, n, &client, &used) != PROXY_MORE)
				fail_msg("case %zu: done after %zu bytes", i, n);
		if (status == PROXY_OK) {
			char out[ADDRESS_TEXT_MAX];
			(void)proxy_header_read(bytes, HEADERS[i].length, &client, &used);
			address_format(&client, out);
			assert_string_equal(out, HEADERS[i].client);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_are_read_and_written),
		cmocka_unit_test(test_networks),
		cmocka_unit_test(test_no_more_networks_than_there_is_room_for),
		cmocka_unit_test(test_the_client_behind_listed_proxies),
		cmocka_unit_test(test_headers_of_the_proxy_protocol),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
