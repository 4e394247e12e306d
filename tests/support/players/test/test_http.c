/* The client against a server of its own in the same loop, which answers by script, in pieces,
 * malformed, or not at all. */
#include "tests/support/players/http.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define OK "HTTP/1.1 200 OK\r\n"
#define HELLO OK "Content-Length: 5\r\n\r\nhello"
#define CONNECTIONS_MAX 400
#define REQUEST_MAX 8192
#define TIMEOUT_MS 20000 /* of tests that do not wait for it */

/* What the server does with a request that it has read. */
struct turn {
	const char *answer; /* NULL: none */
	size_t step;	    /* bytes a turn; 0: at once */
	bool close;	    /* afterwards */
};

static struct {
	int listener;
	char url[64];
	size_t connections, requests; /* ever */
	const struct turn *script;    /* one row a request; the last one goes on */
	size_t rows;
	struct connection {
		int fd;
		char request[REQUEST_MAX];
		size_t n, written;
		const struct turn *turn; /* answers by it */
	} at[CONNECTIONS_MAX];
	char last[REQUEST_MAX];
} server;

static void server_start(const struct turn *script, size_t rows)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(address);
	memset(&server, 0, sizeof(server));
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		server.at[i].fd = -1;
	server.script = script;
	server.rows = rows;
	server.listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	assert_true(server.listener >= 0);
	assert_int_equal(bind(server.listener, (const struct sockaddr *)&address, n), 0);
	assert_int_equal(listen(server.listener, CONNECTIONS_MAX), 0);
	assert_int_equal(getsockname(server.listener, (struct sockaddr *)&address, &n), 0);
	snprintf(server.url, sizeof(server.url), "http://127.0.0.1:%u", ntohs(address.sin_port));
}

static void server_close(struct connection *connection)
{
	close(connection->fd);
	connection->fd = -1;
}

static void server_stop(void)
{
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		if (server.at[i].fd >= 0)
			server_close(&server.at[i]);
	if (server.listener >= 0)
		close(server.listener);
}

static void server_accept(void)
{
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		if (server.at[i].fd >= 0)
			continue;
		int fd = accept4(server.listener, NULL, NULL, SOCK_NONBLOCK);
		if (fd < 0)
			return;
		server.at[i] = (struct connection){ .fd = fd };
		server.connections++;
	}
}

/* A request is whole when its head and as many bytes as it says are there. */
static bool is_whole(const struct connection *connection)
{
	const char *end = strstr(connection->request, "\r\n\r\n");
	const char *length = strstr(connection->request, "Content-Length: ");
	if (!end)
		return false;
	size_t body = length && length < end ? strtoul(length + 16, NULL, 10) : 0;
	return connection->n >= (size_t)(end - connection->request) + 4 + body;
}

static void server_read(struct connection *connection)
{
	ssize_t n = recv(connection->fd, connection->request + connection->n,
		REQUEST_MAX - 1 - connection->n, 0);
	if (n == 0) {
		server_close(connection);
		return;
	}
	if (n < 0)
		return;
	connection->n += (size_t)n;
	connection->request[connection->n] = 0;
	if (!is_whole(connection))
		return;
	memcpy(server.last, connection->request, connection->n + 1);
	connection->turn =
		&server.script[server.requests < server.rows ? server.requests : server.rows - 1];
	connection->n = connection->written = 0;
	server.requests++;
}

static void server_write(struct connection *connection)
{
	const struct turn *turn = connection->turn;
	size_t all = turn->answer ? strlen(turn->answer) : 0, step = all - connection->written;
	if (turn->step && turn->step < step)
		step = turn->step;
	if (step) {
		ssize_t n = send(
			connection->fd, turn->answer + connection->written, step, MSG_NOSIGNAL);
		if (n > 0)
			connection->written += (size_t)n;
	}
	if (connection->written < all)
		return;
	connection->turn = NULL;
	if (turn->close)
		server_close(connection);
}

static void server_turn(void)
{
	if (server.listener >= 0)
		server_accept();
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		if (server.at[i].fd >= 0 && !server.at[i].turn)
			server_read(&server.at[i]);
		if (server.at[i].fd >= 0 && server.at[i].turn)
			server_write(&server.at[i]);
	}
}

/* ---- the client ---- */

struct told {
	size_t times;
	long status;
	char body[256], error[128];
	size_t length;
	struct http_line *line; /* sends again from inside, so often */
	size_t more;
};

static void on_done(void *context, long status, const char *body, size_t length, const char *error)
{
	struct told *told = context;
	told->times++;
	told->status = status;
	told->length = length;
	assert_int_equal(body[length], 0);
	snprintf(told->body, sizeof(told->body), "%s", body);
	snprintf(told->error, sizeof(told->error), "%s", error ? error : "");
	assert_true((status == 0) == (error != NULL));
	if (told->more) {
		told->more--;
		http_send(told->line, "GET", "/more", NULL, NULL, NULL);
	}
}

static void until(struct http *http, const size_t *times, size_t wanted)
{
	while (*times < wanted) {
		server_turn();
		http_turn(http, 1);
	}
}

static struct http *client(long timeout_ms)
{
	struct http *http = http_new(server.url, 2 * CONNECTIONS_MAX, timeout_ms);
	assert_non_null(http);
	return http;
}

/* One request by GET: what came of it is in *told. */
static void ask(struct http *http, struct http_line *line, struct told *told)
{
	size_t times = told->times;
	http_send(line, "GET", "/", NULL, NULL, NULL);
	assert_true(http_line_busy(line));
	assert_int_equal(told->times, times); /* never from inside */
	until(http, &told->times, times + 1);
	assert_int_equal(told->times, times + 1);
	assert_false(http_line_busy(line));
}

static void expect_hello(const struct told *told)
{
	assert_string_equal(told->error, "");
	assert_int_equal(told->status, 200);
	assert_string_equal(told->body, "hello");
}

static void test_requests_share_a_connection(void **state)
{
	static const struct turn script[] = { { HELLO, 0, false }, { HELLO, 1, false } };
	struct told told = { 0 };
	(void)state;
	server_start(script, 2);
	struct http *http = client(TIMEOUT_MS);
	struct http_line *line = http_line_new(http, on_done, &told);
	for (int i = 0; i < 3; i++) {
		ask(http, line, &told);
		expect_hello(&told);
	}
	assert_int_equal(server.connections, 1);
	http_send(line, "POST", "/v1/rounds?a=b", "the token", "the key", "{\"a\":1}");
	until(http, &told.times, 4);
	char wanted[512];
	snprintf(wanted, sizeof(wanted),
		"POST /v1/rounds?a=b HTTP/1.1\r\nHost: %s\r\nAccept: */*\r\nAuthorization: Bearer "
		"the token\r\nIdempotency-Key: the key\r\nContent-Type: application/json\r\n"
		"Content-Length: 7\r\n\r\n{\"a\":1}",
		server.url + 7);
	assert_string_equal(server.last, wanted);
	http_line_free(&line);
	http_free(&http);
	server_stop();
}

static void test_done_may_send_again(void **state)
{
	static const struct turn script[] = { { HELLO, 3, false } };
	struct told told = { .more = 5 };
	(void)state;
	server_start(script, 1);
	struct http *http = client(TIMEOUT_MS);
	struct http_line *line = told.line = http_line_new(http, on_done, &told);
	http_send(line, "GET", "/", NULL, NULL, NULL);
	until(http, &told.times, 6);
	expect_hello(&told);
	assert_int_equal(server.connections, 1);
	assert_false(http_line_busy(line));
	http_line_free(&line);
	http_free(&http);
	server_stop();
}

/* The server ends connections as it may: each request is answered, on a new one. */
static void test_client_connects_again(void **state)
{
	static const struct turn script[] = {
		{ OK "Connection: close\r\nContent-Length: 5\r\n\r\nhello", 0, true }, /* said */
		{ OK "\r\nhello", 2, true }, /* the end of the body */
		{ HELLO, 0, true },	     /* not said */
		{ HELLO, 0, false },
		{ NULL, 0, true }, /* on a kept connection: asked again on a new one */
		{ HELLO, 0, false },
		{ HELLO "more than was asked for", 0, false },
		{ HELLO, 0, false },
	};
	struct told told = { 0 };
	(void)state;
	server_start(script, 8);
	struct http *http = client(TIMEOUT_MS);
	struct http_line *line = http_line_new(http, on_done, &told);
	for (int i = 0; i < 7; i++) {
		ask(http, line, &told);
		expect_hello(&told);
	}
	assert_int_equal(server.requests, 8);
	assert_int_equal(server.connections, 6);
	http_line_free(&line);
	http_free(&http);
	server_stop();
}

/* No answer that could be used: said so once, and the line is good for the next request. */
static void test_faults_are_told(void **state)
{
	static const struct {
		struct turn turn;
		const char *error;
	} cases[] = {
		{ { NULL, 0, true }, "the server closed the connection" },
		{ { OK "Content-Length: 5\r\n\r\nhell", 1, true },
			"the connection ended in the response" },
		{ { OK "Content-Le", 1, true }, "the connection ended in the response" },
		{ { OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", 0, true },
			"the connection ended in the response" },
		{ { OK "Transfer-Encoding: chunked\r\n\r\nhello\r\n", 0, false },
			"no size of a chunk" },
		{ { OK "Content-Length: five\r\n\r\nhello", 1, false },
			"Content-Length is twice there or no number" },
		{ { "SSH-2.0-OpenSSH_9.2\r\n", 0, false }, "no status line" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct turn script[] = { cases[i].turn,
			{ OK "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
				1, false } };
		struct told told = { 0 };
		server_start(script, 2);
		struct http *http = client(TIMEOUT_MS);
		struct http_line *line = http_line_new(http, on_done, &told);
		ask(http, line, &told);
		assert_int_equal(told.status, 0);
		assert_string_equal(told.error, cases[i].error);
		ask(http, line, &told);
		expect_hello(&told);
		assert_int_equal(server.connections, 2);
		http_line_free(&line);
		http_free(&http);
		server_stop();
	}
}

static void test_no_answer_is_a_time_out(void **state)
{
	static const struct turn script[] = { { NULL, 0, false }, { HELLO, 0, false } };
	struct told told = { 0 };
	(void)state;
	server_start(script, 2);
	struct http *http = client(50);
	struct http_line *line = http_line_new(http, on_done, &told);
	ask(http, line, &told);
	assert_int_equal(told.status, 0);
	assert_string_equal(told.error, "no answer in time");
	http_line_free(&line);
	http_free(&http);
	server_stop();
}

static void test_nobody_listens(void **state)
{
	static const struct turn script[] = { { HELLO, 0, false } };
	struct told told = { 0 };
	(void)state;
	server_start(script, 1);
	struct http *http = client(TIMEOUT_MS);
	struct http_line *line = http_line_new(http, on_done, &told);
	ask(http, line, &told);
	server_stop();
	server.listener = -1;
	for (int i = 0; i < 2; i++) {
		ask(http, line, &told);
		assert_int_equal(told.status, 0);
		assert_string_not_equal(told.error, "");
	}
	http_line_free(&line);
	http_free(&http);
}

static void test_long_answers_and_many_lines(void **state)
{
	static struct http_line *lines[CONNECTIONS_MAX];
	static struct told told[CONNECTIONS_MAX];
	size_t n = 300000, head;
	char *answer = malloc(n + 200);
	(void)state;
	head = (size_t)sprintf(answer, OK "Content-Length: %zu\r\n\r\n", n);
	memset(answer + head, 'x', n);
	answer[head + n] = 0;
	struct turn script[] = { { answer, 0, false } };
	server_start(script, 1);
	struct http *http = client(TIMEOUT_MS);
	memset(told, 0, sizeof(told));
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		lines[i] = http_line_new(http, on_done, &told[i]);
		http_send(lines[i], "GET", "/", NULL, NULL, NULL);
	}
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		until(http, &told[i].times, 1);
		assert_int_equal(told[i].status, 200);
		assert_int_equal(told[i].length, n);
	}
	assert_int_equal(server.connections, CONNECTIONS_MAX);
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		http_line_free(&lines[i]);
	http_free(&http);
	server_stop();
	free(answer);
}

static void test_what_cannot_work_is_refused(void **state)
{
	(void)state;
	assert_null(http_new("https://127.0.0.1:1", 1, 100));
	assert_null(http_new("http://", 1, 100));
	assert_null(http_new("http://[::1", 1, 100));
	assert_null(http_new("http://127.0.0.1:1/path", 1, 100));
	assert_null(http_new("http://127.0.0.1:1", (size_t)1 << 40, 100));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests_share_a_connection),
		cmocka_unit_test(test_done_may_send_again),
		cmocka_unit_test(test_client_connects_again),
		cmocka_unit_test(test_faults_are_told),
		cmocka_unit_test(test_no_answer_is_a_time_out),
		cmocka_unit_test(test_nobody_listens),
		cmocka_unit_test(test_long_answers_and_many_lines),
		cmocka_unit_test(test_what_cannot_work_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
