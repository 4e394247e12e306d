/* Heads of requests: valid ones are read; whatever two parsers could read differently is
 * rejected. */
#include "libcommon/edge/http_head.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static void test_http_head_statuses(void **state)
{
	static const struct {
		const char *text;
		enum http_head_status status;
	} cases[] = {
		{ "GET / HTTP/1.1\r\nHost: x\r\n\r\n", HTTP_HEAD_OK },
		{ "GET /a?b=c HTTP/1.0\r\nA: b\r\n\r\n", HTTP_HEAD_OK },
		{ "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", HTTP_HEAD_OK },
		{ "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
			HTTP_HEAD_OK },
		{ "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", HTTP_HEAD_OK },
		{ "GET * HTTP/1.1\r\nHost: x\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "", HTTP_HEAD_MORE },
		{ "GET / HTTP/1.1\r\n", HTTP_HEAD_MORE },
		{ "GET / HTTP/1.1\r\nA: b\r\n\r", HTTP_HEAD_MORE },
		{ "GET / HTTP/1.1\n\n", HTTP_HEAD_MALFORMED },
		{ "GET / HTTP/1.1\r\nA: b\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET / HTTP/1.1\r\nA: b\rC: d\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET / HTTP/1.1\r\nA : b\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET / HTTP/1.1\r\n A: b\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET / HTTP/1.1\r\nA: b\r\n folded\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET / HTTP/1.1\r\n: b\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET / HTTP/1.1\r\nA: \x01\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET / HTTP/1.1\r\nnothing\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET  / HTTP/1.1\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET http://x/ HTTP/1.1\r\n\r\n", HTTP_HEAD_HOST },
		{ "GET http://x/ HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", HTTP_HEAD_HOST },
		{ "GET http:///a HTTP/1.1\r\nHost: x\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET http:/x/a HTTP/1.1\r\nHost: x\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET http://me@x/a HTTP/1.1\r\nHost: x\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET ftp://x/a HTTP/1.1\r\nHost: x\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET x:80 HTTP/1.1\r\nHost: x\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET /a b HTTP/1.1\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET /\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "G(T / HTTP/1.1\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ " GET / HTTP/1.1\r\n\r\n", HTTP_HEAD_MALFORMED },
		{ "GET / HTTP/2.0\r\n\r\n", HTTP_HEAD_VERSION },
		{ "GET / HTTP/1.1 \r\n\r\n", HTTP_HEAD_VERSION },
		{ "GET / HTTP/1.10\r\n\r\n", HTTP_HEAD_VERSION },
		{ "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", HTTP_HEAD_LENGTH },
		{ "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: identity\r\n\r\n",
			HTTP_HEAD_LENGTH },
		{ "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
			HTTP_HEAD_LENGTH },
		{ "POST / HTTP/1.1\r\nContent-Length: 5, 5\r\n\r\n", HTTP_HEAD_LENGTH },
		{ "POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\n", HTTP_HEAD_LENGTH },
		{ "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", HTTP_HEAD_LENGTH },
		{ "POST / HTTP/1.1\r\nContent-Length: 0x5\r\n\r\n", HTTP_HEAD_LENGTH },
		{ "POST / HTTP/1.1\r\nContent-Length:\r\n\r\n", HTTP_HEAD_LENGTH },
		{ "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
			HTTP_HEAD_OK },
		{ "GET / HTTP/1.0\r\n\r\n", HTTP_HEAD_OK },
		{ "GET / HTTP/1.1\r\nHost:\r\n\r\n", HTTP_HEAD_OK },
		{ "GET / HTTP/1.1\r\n\r\n", HTTP_HEAD_HOST },
		{ "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", HTTP_HEAD_HOST },
		{ "GET / HTTP/1.0\r\nhost: x\r\nHOST: y\r\n\r\n", HTTP_HEAD_HOST },
		{ "GET / HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n",
			HTTP_HEAD_TWICE },
		{ "GET / HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\nauthorization: a\r\n\r\n",
			HTTP_HEAD_TWICE },
		{ "GET / HTTP/1.1\r\nHost: x\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\n\r\n",
			HTTP_HEAD_TWICE },
		{ "GET / HTTP/1.1\r\nHost: x\r\nOrigin: a\r\nOrigin: b\r\n\r\n", HTTP_HEAD_TWICE },
		{ "GET / HTTP/1.1\r\nHost: x\r\nSec-WebSocket-Key: a\r\nSec-WebSocket-Key: "
		  "a\r\n\r\n",
			HTTP_HEAD_TWICE },
		{ "GET / HTTP/1.1\r\nHost: x\r\nAccept: a\r\nAccept: b\r\n\r\n", HTTP_HEAD_OK },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char bytes[512];
		struct http_head head;
		size_t used = 0;
		(void)snprintf(bytes, sizeof(bytes), "%s", cases[i].text);
		enum http_head_status status = http_head_parse(bytes, strlen(bytes), &head, &used);
		if (status != cases[i].status)
			fail_msg("case %zu: found %d, expected %d: %s", i, (int)status,
				(int)cases[i].status, cases[i].text);
	}
}

static void test_http_head_parts(void **state)
{
	char bytes[] =
		"POST /a%20b?x=1&y=%41 HTTP/1.1\r\nHost:h\r\nX-Two:\t two words \t\r\nConnection: "
		"Upgrade, close\r\nContent-Length: 42\r\n\r\nrest";
	struct http_head head;
	size_t used = 0;
	(void)state;
	assert_int_equal(http_head_parse(bytes, sizeof(bytes) - 1, &head, &used), HTTP_HEAD_OK);
	assert_int_equal(used, sizeof(bytes) - 1 - 4);
	assert_string_equal(head.method, "POST");
	assert_string_equal(head.path, "/a%20b");
	assert_string_equal(head.query, "x=1&y=%41");
	assert_true(http_decode(head.path, false));
	assert_string_equal(head.path, "/a b");
	assert_string_equal(http_head_field(&head, "host"), "h");
	assert_string_equal(http_head_field(&head, "x-two"), "two words");
	assert_null(http_head_field(&head, "x-three"));
	assert_false(head.keep_alive);
	assert_true(head.upgrade);
	assert_int_equal(head.content_length, 42);
}

/* RFC 9112, 3.2.2: the target's host counts, and not that of the header. */
static void test_http_head_absolute_form(void **state)
{
	static const struct {
		const char *target, *host, *path, *query;
	} cases[] = {
		{ "http://a.example:80/b/c?d=1", "a.example:80", "/b/c", "d=1" },
		{ "HTTPS://a.example/", "a.example", "/", NULL },
		{ "http://a.example", "a.example", "/", NULL },
		{ "http://a?d=/1", "a", "/", "d=/1" },
		{ "http://[::1]:8080/b", "[::1]:8080", "/b", NULL },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char bytes[256];
		struct http_head head;
		size_t used = 0;
		(void)snprintf(bytes, sizeof(bytes),
			"GET %s HTTP/1.1\r\nHost: other\r\nA: b\r\n\r\n", cases[i].target);
		assert_int_equal(http_head_parse(bytes, strlen(bytes), &head, &used), HTTP_HEAD_OK);
		assert_string_equal(head.method, "GET");
		assert_string_equal(head.path, cases[i].path);
		assert_string_equal(http_head_field(&head, "host"), cases[i].host);
		assert_string_equal(http_head_field(&head, "a"), "b");
		if (cases[i].query == NULL)
			assert_null(head.query);
		else
			assert_string_equal(head.query, cases[i].query);
	}
}

static void test_http_head_rejects_huge_lengths(void **state)
{
	char bytes[] = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551621\r\n\r\n";
	struct http_head head;
	size_t used = 0;
	(void)state;
	assert_int_equal(http_head_parse(bytes, sizeof(bytes) - 1, &head, &used), HTTP_HEAD_OK);
	assert_true(head.content_length > UINT64_C(1000000000000)); /* and not 5 */
}

static void test_http_decode_rejects_bad_escapes(void **state)
{
	static const char *const cases[] = { "%", "%4", "%4g", "%00", "a%0ab", "a\tb" };
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[16];
		(void)snprintf(text, sizeof(text), "%s", cases[i]);
		assert_false(http_decode(text, true));
	}
}

static void test_http_head_too_large(void **state)
{
	static char bytes[3 * HTTP_HEAD_MAX];
	struct http_head head;
	size_t used = 0;
	(void)state;
	memset(bytes, 'a', sizeof(bytes));
	memcpy(bytes, "GET / HTTP/1.1\r\nA:", 18);
	assert_int_equal(http_head_parse(bytes, HTTP_HEAD_MAX - 1, &head, &used), HTTP_HEAD_MORE);
	assert_int_equal(http_head_parse(bytes, HTTP_HEAD_MAX, &head, &used), HTTP_HEAD_TOO_LARGE);
	size_t n = (size_t)snprintf(bytes, sizeof(bytes), "GET / HTTP/1.1\r\n");
	for (int i = 0; i <= HTTP_FIELDS_MAX; i++)
		n += (size_t)snprintf(bytes + n, sizeof(bytes) - n, "a: b\r\n");
	n += (size_t)snprintf(bytes + n, sizeof(bytes) - n, "\r\n");
	assert_int_equal(http_head_parse(bytes, n, &head, &used), HTTP_HEAD_TOO_LARGE);
}

static void test_http_accepts(void **state)
{
	static const struct {
		const char *list;
		bool br, gzip;
	} cases[] = {
		{ "", false, false },
		{ "br", true, false },
		{ "gzip, deflate, br, zstd", true, true },
		{ "GZIP , BR ;q=1.0", true, true },
		{ "br;q=0, gzip;q=0.001", false, true },
		{ "br; q=0.000,gzip", false, true },
		{ "*", true, true },
		{ "*;q=0", false, false },
		{ "gzip, *;q=0", false, true },
		{ "br;q=0, *", false, true },
		{ "brotli, x-gzip", false, false },
		{ ",, ,br,,", true, false },
		{ "br;x=y;q=0", false, false },
		{ ";q=0", false, false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (http_accepts(cases[i].list, "br") != cases[i].br ||
			http_accepts(cases[i].list, "gzip") != cases[i].gzip)
			fail_msg("'%s'", cases[i].list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_http_accepts),
		cmocka_unit_test(test_http_head_statuses),
		cmocka_unit_test(test_http_head_parts),
		cmocka_unit_test(test_http_head_absolute_form),
		cmocka_unit_test(test_http_head_rejects_huge_lengths),
		cmocka_unit_test(test_http_decode_rejects_bad_escapes),
		cmocka_unit_test(test_http_head_too_large),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
