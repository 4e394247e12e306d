/* The edge on real sockets: what a client sends, byte by byte, and what it receives. */
#include "libcommon/edge/edge.h"
#include "libcommon/edge/test/edge_client.h"
#include "libcommon/edge/test/edge_server.h"
#include "libcommon/io/log.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

struct later {
	struct edge *edge;
	int wake;
	uint64_t tickets[64];
	size_t n;
	struct edge_stream *stream;
	unsigned streamed;
	atomic_bool stream_gone; /* read by the test's thread */
};

static struct later later;
static pthread_t thread;
static uint16_t port, health_port;

static void on_echo(struct edge_request *request, void *context)
{
	char out[512];
	size_t length;
	char q[32];
	(void)context;
	const char *body = edge_body(request, &length);
	const char *key = edge_header(request, EDGE_IDEMPOTENCY_KEY);
	const char *bearer = edge_header(request, EDGE_AUTHORIZATION);
	int n = snprintf(out, sizeof(out), "p0=%s p1=%s key=%s bearer=%s limit=%s body=%.100s",
		edge_parameter(request, 0), edge_parameter(request, 1), key == NULL ? "-" : key,
		bearer == NULL ? "-" : bearer,
		edge_query(request, "limit", q, sizeof(q)) == NULL ? "-" : q, body);
	edge_answer(request, 200, "text/plain", out, (size_t)n);
}

static void on_later(struct edge_request *request, void *context)
{
	const uint64_t one = 1;
	(void)context;
	assert_true(later.n < 64);
	later.tickets[later.n++] = edge_ticket(request);
	assert_int_equal(write(later.wake, &one, sizeof(one)), sizeof(one));
}

/* Called for an adopted descriptor, as for nanomsg replies. */
static void on_wake(void *context)
{
	uint64_t value;
	(void)context;
	if (read(later.wake, &value, sizeof(value)) != (ssize_t)sizeof(value))
		return;
	for (size_t i = 0; i < later.n; i++) {
		struct edge_request *request = edge_find(later.edge, later.tickets[i]);
		if (request != NULL)
			edge_answer(request, 200, "text/plain", "later", 5);
		assert_null(edge_find(later.edge, later.tickets[i]));
	}
	later.n = 0;
}

static void on_big(struct edge_request *request, void *context)
{
	static char big[4 * 1024 * 1024];
	(void)context;
	memset(big, 'x', sizeof(big));
	edge_answer(request, 200, "text/plain", big, sizeof(big));
}

static void on_etag(struct edge_request *request, void *context)
{
	(void)context;
	char q[8];
	if (edge_query(request, "unkept", q, sizeof(q)) != NULL)
		edge_answer_unkept(request);
	if (!edge_answer_etag(request, "\"abc\""))
		edge_answer_json(request, 200, "{}", 2);
}

/* Answers with a header of as many bytes as the query says. */
static void on_header(struct edge_request *request, void *context)
{
	char q[8], value[4096];
	(void)context;
	size_t n = strtoul(edge_query(request, "bytes", q, sizeof(q)), NULL, 10);
	assert_true(n < sizeof(value));
	memset(value, 'v', n);
	value[n] = '\0';
	edge_answer_header(request, "Retry-After", "7");
	edge_answer_header(request, "X-Long", value);
	edge_answer_header(request, "X-Short", "s");
	edge_answer(request, 200, "text/plain", "secret", 6);
}

static void stream_writable(struct edge_stream *stream, void *context)
{
	struct later *l = context;
	(void)edge_stream_write(stream, (const uint8_t *)"data: x\n\n", 9);
	if (++l->streamed == 3)
		edge_stream_close(stream);
}

static void stream_closed(struct edge_stream *stream, void *context)
{
	struct later *l = context;
	(void)stream;
	l->stream = NULL;
	l->stream_gone = true;
}

static void on_stream(struct edge_request *request, void *context)
{
	static const struct edge_stream_ops ops = { stream_writable, stream_closed };
	(void)context;
	later.stream = edge_answer_stream(request, "text/event-stream", &ops, &later);
}

static void on_tick(void *context)
{
	(void)context;
	if (later.stream != NULL)
		edge_stream_wake(later.stream);
}

static int start(void **state)
{
	static const struct edge_route routes[] = {
		{ EDGE_GET, "/echo", on_echo, false },
		{ EDGE_POST, "/echo", on_echo, true },
		{ EDGE_POST, "/a/{}/b/{}", on_echo, true },
		{ EDGE_GET, "/later", on_later, false },
		{ EDGE_POST, "/later", on_later, true },
		{ EDGE_GET, "/big", on_big, false },
		{ EDGE_GET, "/etag", on_etag, false },
		{ EDGE_GET, "/header", on_header, false },
		{ EDGE_GET, "/stream", on_stream, false },
		{ EDGE_GET, NULL, NULL, false },
	};
	const struct edge_config config = {
		.service = "test",
		.listen = "127.0.0.1:0",
		.health_listen = "127.0.0.1:0",
		.routes = routes,
		.context = &later,
		.connections_max = 500,
	};
	(void)state;
	log_open("test", "test-1", LOG_ERROR);
	later.edge = edge_new(&config);
	later.wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	edge_adopt(later.edge, later.wake, on_wake, &later);
	edge_every(later.edge, 20, on_tick, &later);
	port = edge_server_port(edge_address(later.edge));
	health_port = edge_server_port(edge_health_address(later.edge));
	thread = edge_server_run(later.edge);
	return 0;
}

#define JSON "Content-Type: application/json\r\n"

static const struct {
	const char *request, *status, *text;
} ANSWERS[] = {
	{ "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n", "200", "body=" },
	{ "GET /echo?limit=7&b=%41 HTTP/1.1\r\nHost: x\r\n\r\n", "200", "limit=7" },
	{ "GET /echo HTTP/1.1\r\nHost: x\r\nIdempotency-Key:  k-1 \r\n\r\n", "200", "key=k-1 " },
	{ "GET /echo HTTP/1.1\r\nHost: x\r\nidempotency-key: k-2\r\n\r\n", "200", "key=k-2" },
	{ "GET /echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer abc\r\n\r\n", "200",
		"bearer=abc" },
	{ "GET /echo HTTP/1.1\r\nHost: x\r\nAuthorization: Basic abc\r\n\r\n", "200", "bearer=-" },
	{ "GET /echo HTTP/1.1\r\nHost: x\r\nX-Request-Id: my.id_1\r\n\r\n", "200",
		"X-Request-Id: my.id_1" },
	{ "GET /echo HTTP/1.1\r\nHost: x\r\ntraceparent: "
	  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n\r\n",
		"200", "X-Request-Id: 0af7651916cd43dd8448eb211c80319c" },
	{ "POST /echo HTTP/1.1\r\nHost: x\r\n" JSON "Content-Length: 2\r\n\r\n{}", "200",
		"body={}" },
	{ "POST /echo HTTP/1.1\r\nHost: x\r\n" JSON "Content-Length: 0\r\n\r\n", "200", "body=" },
	{ "POST /a/1/b/22 HTTP/1.1\r\nHost: x\r\n" JSON "Content-Length: 2\r\n\r\n{}", "200",
		"p0=1 p1=22" },
	{ "POST /a//b/22 HTTP/1.1\r\nHost: x\r\n" JSON "Content-Length: 2\r\n\r\n{}", "404",
		"not_found" },
	{ "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", "415", "content_type" },
	{ "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: "
	  "2\r\n\r\n{}",
		"415", "content_type" },
	{ "POST /echo HTTP/1.1\r\nHost: x\r\n" JSON "\r\n", "411", "length_required" },
	{ "POST /echo HTTP/1.1\r\nHost: x\r\n" JSON "Content-Length: 2, 2\r\n\r\n{}", "411",
		"length_required" },
	{ "POST /echo HTTP/1.1\r\nHost: x\r\n" JSON "Content-Length: -2\r\n\r\n{}", "411",
		"length_required" },
	{ "POST /echo HTTP/1.1\r\nHost: x\r\n" JSON
	  "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"411", "length_required" },
	{ "POST /echo HTTP/1.1\r\nHost: x\r\n" JSON "Content-Length: 99999999999\r\n\r\n{}", "413",
		"too_large" },
	{ "GET /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", "400", "body_refused" },
	{ "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", "404", "/nothing" },
	{ "POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", "404", "not_found" },
	{ "POST /big HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", "405", "Allow: GET" },
	{ "GET /a/1/b/2 HTTP/1.1\r\nHost: x\r\n\r\n", "405", "Allow: POST" },
	{ "PUT /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", "405",
		"GET, HEAD, POST" },
	{ "OPTIONS /big HTTP/1.1\r\nHost: x\r\n\r\n", "405", "Allow: GET, HEAD\r\n" },
	{ "PUT /a/1/b/2 HTTP/1.1\r\nHost: x\r\n\r\n", "405", "Allow: POST\r\n" },
	{ "PUT /nothing HTTP/1.1\r\nHost: x\r\n\r\n", "405", "Allow: GET, HEAD, POST\r\n" },
	{ "POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", "405",
		"Allow: GET, HEAD\r\n" },
	{ "GET /echo?a=%1b HTTP/1.1\r\nHost: x\r\n\r\n", "400", "path_refused" },
	{ "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", "400", "path_refused" },
	{ "HEAD /echo HTTP/1.1\r\nHost: x\r\n\r\n", "200", "Content-Length: " },
	{ "GET /etag HTTP/1.1\r\nHost: x\r\n\r\n", "200", "ETag: \"abc\"" },
	{ "GET /etag HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"abc\"\r\n\r\n", "304",
		"ETag: \"abc\"" },
	{ "GET /etag HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"abd\"\r\n\r\n", "200", "{}" },
	{ "GET /later HTTP/1.1\r\nHost: x\r\n\r\n", "200", "later" },
	{ "POST /later HTTP/1.1\r\nHost: x\r\n" JSON "Content-Length: 2\r\n\r\n{}", "200",
		"later" },
	{ "POST /later HTTP/1.0\r\n" JSON "Content-Length: 2\r\n\r\n{}", "200", "later" },
	{ "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "200", "ok" },
	{ "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n", "503", "starting" },
	{ "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "404", "not_found" },
	{ "GET /a/1%2f2 HTTP/1.1\r\nHost: x\r\n\r\n", "400", "path_refused" },
	{ "GET /echo HTTP/1.1\r\n\r\n", "400", "host_refused" },
	{ "GET /echo HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", "400", "host_refused" },
	{ "GET /echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer "
	  "b\r\n\r\n",
		"400", "header_refused" },
};

static void test_edge_answers(void **state)
{
	char out[32768];
	(void)state;
	for (size_t i = 0; i < sizeof(ANSWERS) / sizeof(ANSWERS[0]); i++) {
		ask(port, ANSWERS[i].request, out, sizeof(out));
		if (strncmp(out, "HTTP/1.1 ", 9) != 0 ||
			strncmp(out + 9, ANSWERS[i].status, 3) != 0 ||
			strstr(out, ANSWERS[i].text) == NULL ||
			strstr(out, "\r\nX-Content-Type-Options: nosniff\r\n") == NULL ||
			strstr(out, "\r\nServer:") != NULL)
			fail_msg("case %zu: %s\ngot: %.600s", i, ANSWERS[i].request, out);
	}
}

#define TRACE_ID "0af7651916cd43dd8448eb211c80319c"
#define TRACED "GET /echo HTTP/1.1\r\nHost: x\r\ntraceparent: "

/* What the answer says of the trace: the client's, or a new one. */
static void test_edge_begins_a_trace_where_none_is_valid(void **state)
{
	static const struct {
		const char *request;
		bool taken;
	} TABLE[] = {
		{ TRACED "00-" TRACE_ID "-b7ad6b7169203331-00\r\n\r\n", true },
		{ TRACED "01-" TRACE_ID "-b7ad6b7169203331-01-more\r\n\r\n", true },
		{ TRACED "00-" TRACE_ID "-b7ad6b7169203331-01-more\r\n\r\n", false },
		{ TRACED "00-" TRACE_ID "-0000000000000000-01\r\n\r\n", false },
		{ TRACED "00-" TRACE_ID "-b7ad6b7169203331-01\r\ntraceparent: 00-" TRACE_ID
			 "-b7ad6b7169203331-01\r\n\r\n",
			false },
		{ TRACED "\r\n\r\n", false },
	};
	char out[32768];
	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		ask(port, TABLE[i].request, out, sizeof(out));
		assert_memory_equal(out, "HTTP/1.1 200", 12);
		const char *id = strstr(out, "X-Request-Id: ");
		assert_non_null(id);
		assert_int_equal(strspn(id + 14, "0123456789abcdef"), 32);
		if ((strncmp(id + 14, TRACE_ID, 32) == 0) != TABLE[i].taken)
			fail_msg("%s: found %.46s", TABLE[i].request, id);
	}
}

/* Only what a route answers: who mistypes a path reads why nothing is there. */
static void test_edge_answers_of_routes_are_files(void **state)
{
	static const struct {
		const char *request;
		bool is_file;
	} TABLE[] = {
		{ "GET /etag HTTP/1.1\r\nHost: x\r\n\r\n", true },
		{ "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", true },
		{ "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", false },
		{ "GET /app.js HTTP/1.1\r\nHost: x\r\n\r\n", false },
	};
	char out[4096];
	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		ask(port, TABLE[i].request, out, sizeof(out));
		assert_true((strstr(out, "\r\nContent-Disposition: attachment; "
					 "filename=\"api.json\"\r\n") != NULL) == TABLE[i].is_file);
	}
}

/* What the log says from now on, into a file. */
static FILE *log_told(int *before)
{
	FILE *file = tmpfile();

	*before = dup(STDERR_FILENO);
	assert_true(file != NULL && *before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
	log_open("test", "test-1", LOG_INFO);
	return file;
}

static bool log_has(FILE *file, const char *text)
{
	char line[8192];
	bool has = false;

	rewind(file);
	while (!has && fgets(line, sizeof(line), file) != NULL)
		has = strstr(line, text) != NULL;
	(void)fseek(file, 0, SEEK_END);
	return has;
}

#define MANY 60
#define BAD "PUT /echo HTTP/1.1\r\nHost: x\r\n\r\n"

/* Sends bad requests, as many at once as get no line each, until the log counts some. */
static bool many_are_counted(FILE *file)
{
	char out[65536];

	for (size_t i = 0; i < 60 && !log_has(file, "bad requests: "); i++) {
		int fd = connect_to(port);
		char text[MANY * sizeof(BAD)] = "";
		for (size_t n = 0; n < MANY; n++)
			memcpy(text + n * strlen(BAD), BAD, sizeof(BAD));
		send_all(fd, text, strlen(text));
		(void)receive(fd, out, sizeof(out), MANY);
		(void)close(fd);
		usleep(1000000);
	}
	return log_has(file, "more within a second");
}

/* With the address, the route and the id, and never with the query or the body; at most ten a
 * second. */
static void test_edge_bad_requests_are_logged(void **state)
{
	static const struct {
		const char *request, *line; /* NULL: no line */
	} TABLE[] = {
		{ "GET /etag?secret HTTP/1.1\r\nHost: x\r\nX-Request-Id: none\r\n\r\n", NULL },
		{ "GET /nothing HTTP/1.1\r\nHost: x\r\nX-Request-Id: none\r\n\r\n", NULL },
		{ "PUT /echo?secret HTTP/1.1\r\nHost: x\r\nX-Request-Id: one\r\n\r\n",
			"bad request: /echo from 127.0.0.1: 405 method_refused [one]" },
		{ "POST /a/1/b/22?secret HTTP/1.1\r\nHost: x\r\nX-Request-Id: two\r\n"
		  "Content-Length: 6\r\n\r\nsecret",
			"bad request: /a/{}/b/{} from 127.0.0.1: 415 content_type [two]" },
		{ "secret\r\n\r\n", "bad request: - from 127.0.0.1: 400 malformed [" },
	};
	char out[4096];
	int before;
	FILE *file = log_told(&before);
	const char *missing = NULL;
	bool told, counted;

	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		ask(port, TABLE[i].request, out, sizeof(out));
		if (TABLE[i].line != NULL && !log_has(file, TABLE[i].line))
			missing = TABLE[i].line;
	}
	told = log_has(file, "secret") || log_has(file, "[none]");
	counted = many_are_counted(file);
	log_open("test", "test-1", LOG_ERROR);
	(void)dup2(before, STDERR_FILENO);
	(void)close(before);
	(void)fclose(file);
	if (missing != NULL)
		fail_msg("no line: %s", missing);
	assert_false(told);
	assert_true(counted);
}

/* An answer whose header does not fit is not sent without it. */
static void test_edge_headers_are_never_lost(void **state)
{
	static const struct {
		int bytes;
		bool fits;
	} cases[] = { { 10, true }, { 1700, true }, { 1800, false }, { 4000, false },
		{ 10, true } };
	char out[8192], text[128];
	int fd = connect_to(port);
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int n = snprintf(text, sizeof(text),
			"GET /header?bytes=%d HTTP/1.1\r\nHost: x\r\n\r\n", cases[i].bytes);
		send_all(fd, text, (size_t)n);
		(void)receive(fd, out, sizeof(out), 1);
		assert_int_equal(strncmp(out, "HTTP/1.1 200 OK", 15) == 0, cases[i].fits);
		assert_int_equal(strstr(out, "\r\nX-Short: s\r\n") != NULL, cases[i].fits);
		assert_int_equal(strstr(out, "\r\nRetry-After: 7\r\n") != NULL, cases[i].fits);
		assert_int_equal(strstr(out, "secret") != NULL, cases[i].fits);
		assert_int_equal(strstr(out, "\"header_lost\"") == NULL, cases[i].fits);
	}
	(void)close(fd);
}

static void test_edge_health_listener_serves_nothing_else(void **state)
{
	char out[32768];
	(void)state;
	ask(health_port, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", out, sizeof(out));
	assert_non_null(strstr(out, "HTTP/1.1 200"));
	ask(health_port, "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n", out, sizeof(out));
	assert_non_null(strstr(out, "HTTP/1.1 404"));
}

/* Several requests in one packet, answered in order, some of them later. */
static void test_edge_pipelining(void **state)
{
	static const char one[] =
		"POST /later HTTP/1.1\r\nHost: x\r\n" JSON "Content-Length: 2\r\n\r\n{}"
		"GET /echo?limit=9 HTTP/1.1\r\nHost: x\r\n\r\n"
		"GET /later HTTP/1.1\r\nHost: x\r\n\r\n"
		"POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";
	char out[65536];
	(void)state;
	int fd = connect_to(port);
	for (int round = 0; round < 20; round++) {
		send_all(fd, one, strlen(one));
		(void)receive(fd, out, sizeof(out), 4);
		const char *first = strstr(out, "later");
		const char *second = first == NULL ? NULL : strstr(first, "limit=9");
		const char *third = second == NULL ? NULL : strstr(second, "later");
		if (third == NULL || strstr(third, "not_found") == NULL)
			fail_msg("round %d: %s", round, out);
	}
	(void)close(fd);
}

static void test_edge_bytes_one_by_one(void **state)
{
	static const char one[] =
		"POST /echo HTTP/1.1\r\nHost: x\r\n" JSON "Content-Length: 4\r\n\r\n{  }";
	char out[4096];
	(void)state;
	int fd = connect_to(port);
	for (size_t i = 0; i < strlen(one); i++)
		send_all(fd, one + i, 1);
	(void)receive(fd, out, sizeof(out), 1);
	assert_non_null(strstr(out, "body={  }"));
	(void)close(fd);
}

static void test_edge_large_bodies(void **state)
{
	static const size_t sizes[] = { 16 * 1024, 16 * 1024 + 1, 900 * 1024, 5 * 1024 * 1024 };
	static char body[5 * 1024 * 1024];
	char out[4096];
	(void)state;
	memset(body, 'y', sizeof(body));
	for (size_t i = 0; i < 4; i++) {
		char head[256];
		int fd = connect_to(port);
		int n = snprintf(head, sizeof(head),
			"POST /echo HTTP/1.1\r\nHost: x\r\n" JSON "Content-Length: %zu\r\n\r\n",
			sizes[i]);
		send_all(fd, head, (size_t)n);
		if (i < 3)
			send_all(fd, body, sizes[i]);
		(void)receive(fd, out, sizeof(out), 1);
		if (strstr(out, i == 0 ? "HTTP/1.1 200" : "HTTP/1.1 413") == NULL)
			fail_msg("size %zu: %s", sizes[i], out);
		(void)close(fd);
	}
}

static void test_edge_large_answer_and_pipelined_behind(void **state)
{
	static char out[5 * 1024 * 1024];
	static const char both[] =
		"GET /big HTTP/1.1\r\nHost: x\r\n\r\nGET /echo HTTP/1.1\r\nHost: x\r\n\r\n";
	(void)state;
	int fd = connect_to(port);
	send_all(fd, both, strlen(both));
	usleep(50000);
	size_t n = receive(fd, out, sizeof(out), 2);
	assert_true(n > 4 * 1024 * 1024);
	assert_non_null(strstr(out + 4 * 1024 * 1024, "body="));
	(void)close(fd);
}

static void test_edge_client_leaves_early(void **state)
{
	static const char one[] = "GET /later HTTP/1.1\r\nHost: x\r\n\r\n";
	(void)state;
	for (int i = 0; i < 50; i++) {
		int fd = connect_to(port);
		struct linger hard = { .l_onoff = 1, .l_linger = 0 };
		(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
		send_all(fd, one, strlen(one));
		(void)close(fd);
	}
	char out[4096];
	ask(port, one, out, sizeof(out));
	assert_non_null(strstr(out, "later"));
}

static void test_edge_garbage_and_long_headers(void **state)
{
	static char long_header[20000];
	char out[4096];
	(void)state;
	ask(port, "\x16\x03\x01 nonsense\r\n\r\n", out, sizeof(out));
	(void)snprintf(long_header, sizeof(long_header),
		"GET /echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %02000d\r\n\r\n", 1);
	ask(port, long_header, out, sizeof(out));
	assert_non_null(strstr(out, "HTTP/1.1 431"));
	(void)snprintf(
		long_header, sizeof(long_header), "GET /%0700d HTTP/1.1\r\nHost: x\r\n\r\n", 1);
	ask(port, long_header, out, sizeof(out));
	assert_non_null(strstr(out, "HTTP/1.1 414"));
	(void)snprintf(long_header, sizeof(long_header),
		"GET /echo HTTP/1.1\r\nHost: x\r\nX-A: %019000d\r\n\r\n", 1);
	ask(port, long_header, out,
		sizeof(out)); /* closed or rejected, and the next client is served */
	ask(port, "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n", out, sizeof(out));
	assert_non_null(strstr(out, "HTTP/1.1 200"));
}

static void test_edge_stream(void **state)
{
	char out[4096] = "";
	(void)state;
	int fd = connect_to(port);
	send_all(fd, "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n", 34);
	size_t n = 0;
	for (ssize_t got; (got = recv(fd, out + n, sizeof(out) - 1 - n, 0)) > 0;)
		n += (size_t)got;
	(void)close(fd);
	assert_non_null(strstr(out, "text/event-stream"));
	assert_non_null(strstr(out, "data: x\n\ndata: x\n\ndata: x\n\n"));
	for (int i = 0; i < 200 && !later.stream_gone; i++)
		usleep(10000);
	assert_true(later.stream_gone);
}

/* What is not a page is kept nowhere, unless it has a tag. */
static void test_edge_answers_are_not_kept(void **state)
{
	static const struct {
		const char *path, *kept;
	} TABLE[] = {
		{ "/echo", "no-store" },
		{ "/nothing", "no-store" },
		{ "/etag", "no-cache" },
		{ "/etag?unkept", "no-store" },
	};
	char out[4096], line[64];
	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		get(port, TABLE[i].path, out, sizeof(out));
		(void)snprintf(line, sizeof(line), "\r\nCache-Control: %s\r\n", TABLE[i].kept);
		assert_non_null(strstr(out, line));
	}
}

/* SIGTERM: the request in flight is answered, then the loop ends. */
static void test_edge_drains(void **state)
{
	char out[4096];
	(void)state;
	int fd = connect_to(port);
	send_all(fd, "GET /echo HTTP/1.1\r\n", 20);
	usleep(30000);
	edge_server_end(thread);
	(void)receive(fd, out, sizeof(out), 1);
	(void)close(fd);
	edge_free(&later.edge);
	assert_null(later.edge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edge_answers),
		cmocka_unit_test(test_edge_begins_a_trace_where_none_is_valid),
		cmocka_unit_test(test_edge_answers_of_routes_are_files),
		cmocka_unit_test(test_edge_bad_requests_are_logged),
		cmocka_unit_test(test_edge_headers_are_never_lost),
		cmocka_unit_test(test_edge_health_listener_serves_nothing_else),
		cmocka_unit_test(test_edge_pipelining),
		cmocka_unit_test(test_edge_bytes_one_by_one),
		cmocka_unit_test(test_edge_large_bodies),
		cmocka_unit_test(test_edge_large_answer_and_pipelined_behind),
		cmocka_unit_test(test_edge_client_leaves_early),
		cmocka_unit_test(test_edge_garbage_and_long_headers),
		cmocka_unit_test(test_edge_stream),
		cmocka_unit_test(test_edge_answers_are_not_kept),
		cmocka_unit_test(test_edge_drains),
	};
	return cmocka_run_group_tests(tests, start, NULL);
}
