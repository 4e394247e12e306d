/* Responses: each framing is read, in one piece or byte by byte; what could be read in two ways is
 * refused. */
#include "tests/support/players/response.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK "HTTP/1.1 200 OK\r\n"

static const struct {
	const char *text;
	enum response_status status;
	int code;
	const char *body;
	bool keep_alive;
} cases[] = {
	{ OK "Content-Length: 5\r\n\r\nhello", RESPONSE_WHOLE, 200, "hello", true },
	{ OK "content-length:5\r\nConnection: close\r\n\r\nhello", RESPONSE_WHOLE, 200, "hello",
		false },
	{ OK "Content-Length: 0\r\nConnection: x , Close\r\n\r\n", RESPONSE_WHOLE, 200, "", false },
	{ "HTTP/1.0 200\r\nContent-Length: 1\r\n\r\na", RESPONSE_WHOLE, 200, "a", false },
	{ "HTTP/1.0 200 \r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na", RESPONSE_WHOLE,
		200, "a", true },
	{ "HTTP/1.1 204 No Content\r\n\r\n", RESPONSE_WHOLE, 204, "", true },
	{ "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n", RESPONSE_WHOLE, 304, "", true },
	{ "HTTP/1.1 100 Continue\r\n\r\n" OK "Content-Length: 1\r\n\r\nb", RESPONSE_WHOLE, 200, "b",
		true },
	{ OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", RESPONSE_WHOLE, 200, "abc",
		true },
	{ OK "Transfer-Encoding: Chunked\r\n\r\n3;x=y\r\nabc\r\n0A \r\n0123456789\r\n0\r\nMore: "
	     "x\r\n\r\n",
		RESPONSE_WHOLE, 200, "abc0123456789", true },
	{ OK "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", RESPONSE_WHOLE, 200, "", true },
	{ OK "\r\nto the end", RESPONSE_WHOLE, 200, "to the end", false },

	{ "", RESPONSE_MALFORMED, 0, NULL, false }, /* the connection ended */
	{ OK "Content-Length: 5\r\n\r\nhell", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n", RESPONSE_MALFORMED, 0, NULL,
		false },
	{ "HTTP/1.1 100 Continue\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n", RESPONSE_MALFORMED, 0,
		NULL, false },
	{ OK "Transfer-Encoding: chunked\r\n\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "Transfer-Encoding: chunked\r\n\r\ng\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "Transfer-Encoding: chunked\r\n\r\n3x\r\nabc\r\n0\r\n\r\n", RESPONSE_MALFORMED, 0,
		NULL, false },
	{ OK "Transfer-Encoding: chunked\r\n\r\n-3\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "Transfer-Encoding: chunked\r\n\r\nffffffffff\r\n", RESPONSE_MALFORMED, 0, NULL,
		false },
	{ OK "Transfer-Encoding: chunked\r\n\r\n7fffffff\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "Transfer-Encoding: gzip, chunked\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", RESPONSE_MALFORMED, 0, NULL,
		false },
	{ "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", RESPONSE_MALFORMED, 0,
		NULL, false },
	{ OK "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", RESPONSE_MALFORMED, 0, NULL,
		false },
	{ OK "Content-Length: +1\r\n\r\na", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "Content-Length: 1, 1\r\n\r\na", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "Content-Length:\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "Content-Length: 9999999999999999999\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "Content-Length: 999999999\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "A: b\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "A : b\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK " A: b\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "A: b\rc\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "A: \x01\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK ": b\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ OK "nothing\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ "HTTP/2.0 200 OK\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ "HTTP/1.1 20 OK\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ "HTTP/1.1 2000\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ "HTTP/1.1 600 X\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ "HTTP/1.1  200 OK\r\n\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ "\r\n" OK "\r\n", RESPONSE_MALFORMED, 0, NULL, false },
	{ "SSH-2.0-x\r\n", RESPONSE_MALFORMED, 0, NULL, false },
};

/* `step` more bytes with each call, then the end of the connection. The buffer moves. */
static enum response_status read_all(
	const char *text, size_t step, struct response *response, char **bytes_r)
{
	size_t n = strlen(text), seen = 0;
	enum response_status status = RESPONSE_MORE;
	char *bytes = calloc(1, 1);
	*response = (struct response){ 0 };
	while (status == RESPONSE_MORE && seen < n) {
		size_t more = n - seen < step ? n - seen : step;
		char *moved = malloc(seen + more + 1);
		memcpy(moved, bytes, seen);
		memcpy(moved + seen, text + seen, more);
		free(bytes);
		bytes = moved;
		seen += more;
		status = response_read(response, bytes, seen, false);
	}
	if (status == RESPONSE_MORE)
		status = response_read(response, bytes, seen, true);
	*bytes_r = bytes;
	return status;
}

static void test_response_cases(void **state)
{
	static const size_t steps[] = { 1, 2, 7, 10000 };
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t j = 0; j < 4; j++) {
			struct response response;
			char *bytes;
			enum response_status status =
				read_all(cases[i].text, steps[j], &response, &bytes);
			if (status != cases[i].status)
				fail_msg("%s: status %d (%s)", cases[i].text, (int)status,
					response.fault ? response.fault : "");
			if (status == RESPONSE_WHOLE) {
				assert_int_equal(response.status, cases[i].code);
				assert_int_equal(response.body_n, strlen(cases[i].body));
				assert_memory_equal(
					bytes + response.body_at, cases[i].body, response.body_n);
				assert_int_equal(response.keep_alive, cases[i].keep_alive);
			} else {
				assert_non_null(response.fault);
			}
			free(bytes);
		}
}

/* What comes behind belongs to no request. */
static void test_bytes_behind_end_the_connection(void **state)
{
	char bytes[] = OK "Content-Length: 1\r\n\r\naHTTP";
	struct response response = { 0 };
	(void)state;
	assert_int_equal(response_read(&response, bytes, sizeof(bytes) - 1, false), RESPONSE_WHOLE);
	assert_int_equal(response.body_n, 1);
	assert_false(response.keep_alive);
}

/* A server that never ends its head, or its trailers, or that says 100 for ever. */
static void test_heads_are_bounded(void **state)
{
	static const char *const begins[] = { OK, OK "Transfer-Encoding: chunked\r\n\r\n0\r\n",
		"" };
	static const char *const more[] = { "A: b\r\n", "A: b\r\n",
		"HTTP/1.1 100 Continue\r\n\r\n" };
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		size_t size = 4 * RESPONSE_HEAD_MAX, n = strlen(begins[i]);
		char *bytes = malloc(size);
		struct response response = { 0 };
		memcpy(bytes, begins[i], n);
		for (; n + strlen(more[i]) <= size; n += strlen(more[i]))
			memcpy(bytes + n, more[i], strlen(more[i]));
		assert_int_equal(response_read(&response, bytes, n, false), RESPONSE_MALFORMED);
		assert_true(response.at <= 2 * RESPONSE_HEAD_MAX);
		free(bytes);
	}
	char *line = malloc(RESPONSE_LINE_MAX + 1);
	struct response response = { 0 };
	memset(line, 'a', RESPONSE_LINE_MAX + 1);
	assert_int_equal(
		response_read(&response, line, RESPONSE_LINE_MAX + 1, false), RESPONSE_MALFORMED);
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_response_cases),
		cmocka_unit_test(test_bytes_behind_end_the_connection),
		cmocka_unit_test(test_heads_are_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
