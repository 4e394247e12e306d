/* The subscribers' thread against a real WebSocket server (libcommon/edge/edge.h) that pushes,
 * drains and takes them back, while the players' thread hands out tokens and asks what was seen. */
#include "tests/support/players/events.h"

#include "libcommon/edge/edge.h"
#include "libcommon/edge/ws_frame.h"
#include "libcommon/io/log.h"
#include "tests/support/players/stats.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <jansson.h>

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CLIENTS 3
#define DRAINED 6 /* connections that are closed again, with a hint when to come back */
#define PLACES (CLIENTS + DRAINED)
#define WINNERS 5 /* pushed on each connection */

struct session {
	struct edge_stream *stream; /* NULL: the place is free */
	bool subscribed, snapshot, token, drain;
	unsigned winners;
	uint64_t hit; /* the last one told */
};

static struct {
	struct edge *edge;
	pthread_t thread;
	atomic_uint tokens; /* subscriptions with one */
	/* Of the edge's thread. */
	unsigned connections;
	uint64_t version, seq;
	struct session sessions[PLACES];
} server;

static void push(struct edge_stream *stream, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void push(struct edge_stream *stream, const char *format, ...)
{
	uint8_t bytes[WS_OUT_HEAD_MAX + 1024];
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	size_t at = ws_head_write(bytes, WS_TEXT, false, (uint64_t)n);
	memcpy(bytes + at, text, (size_t)n);
	(void)edge_stream_write(stream, bytes, at + (size_t)n);
}

static void push_counters(struct edge_stream *stream, const char *type)
{
	server.version++;
	push(stream,
		"{\"type\":\"%s\",\"channel\":\"jackpots\",\"pools\":[{\"pool\":1,\"rows\":[{"
		"\"currency\":\"EUR\",\"coin_minor\":100,\"value_minor\":%" PRIu64
		",\"version\":%" PRIu64 ",\"hits\":0}]}]}",
		type, 5000 + server.version, server.version);
}

static void subscribed(struct session *session, const void *bytes, size_t length)
{
	json_t *json = json_loadb(bytes, length, 0, NULL);
	const char *offset = json_string_value(json_object_get(
		json_object_get(json_object_get(json, "resume"), "winners"), "offset"));
	session->token = json_object_get(json, "token") != NULL;
	if (session->token)
		atomic_fetch_add(&server.tokens, 1);
	if (!session->subscribed && offset != NULL)
		session->hit = strtoull(offset, NULL, 10);
	session->subscribed = true;
	json_decref(json);
}

/* One frame a call. */
static void push_next(struct edge_stream *stream, void *context)
{
	struct session *session = context;
	if (!session->subscribed)
		return;
	if (session->token) {
		push(stream,
			"{\"type\":\"balance\",\"channel\":\"player\",\"seq\":%" PRIu64
			",\"balance_minor\":7}",
			++server.seq);
		session->token = false;
	} else if (!session->snapshot) {
		push_counters(stream, "snapshot");
		session->snapshot = true;
	} else if (session->winners < WINNERS) {
		session->winners++;
		session->hit++;
		push(stream,
			"{\"type\":\"winner\",\"channel\":\"winners\",\"epoch\":\"e\","
			"\"offset\":\"%" PRIu64 "\",\"pool\":1,\"hit\":%" PRIu64
			",\"coin_minor\":100,\"paid_minor\":%" PRIu64
			",\"currency\":\"EUR\",\"player\":\"1-1***\"}",
			session->hit, session->hit, 1000 + session->hit);
	} else if (session->drain) {
		edge_websocket_close(stream, 4003, "{\"retry_ms\":20}");
	} else {
		push_counters(stream, "counters");
		return;
	}
	edge_stream_wake(stream);
}

static void on_message(struct edge_stream *stream, void *context, const char *text, size_t length)
{
	subscribed(context, text, length);
	edge_stream_wake(stream);
}

static void on_nothing(struct edge_stream *stream, void *context)
{
	(void)stream;
	(void)context;
}

static void on_closed(struct edge_stream *stream, void *context)
{
	struct session *session = context;
	(void)stream;
	session->stream = NULL;
}

static void on_websocket(struct edge_request *request, void *context)
{
	static const struct edge_websocket_ops ops = {
		.stream = { .writable = push_next, .closed = on_closed },
		.message = on_message,
		.heard = on_nothing,
		.left = on_nothing,
	};
	struct session *session = server.sessions;
	(void)context;
	while (session->stream != NULL)
		session++;
	assert_true(session < server.sessions + PLACES);
	*session = (struct session){ .drain = server.connections++ < DRAINED };
	session->stream = edge_answer_websocket(request, &ops, session);
}

static void on_tick(void *context)
{
	(void)context;
	for (size_t i = 0; i < PLACES; i++)
		if (server.sessions[i].stream != NULL)
			edge_stream_wake(server.sessions[i].stream);
}

static void *serve(void *context)
{
	(void)context;
	(void)edge_run(server.edge);
	return NULL;
}

static void server_start(char *url, size_t room)
{
	static const struct edge_route routes[] = { { EDGE_GET, NULL, NULL, false } };
	const struct edge_config config = {
		.service = "test",
		.listen = "127.0.0.1:0",
		.routes = routes,
		.drain_ms = 200,
		.websocket_path = "/v1/events",
		.websocket = on_websocket,
	};
	log_open("test", "test-1", LOG_ERROR);
	server.edge = edge_new(&config);
	edge_every(server.edge, 20, on_tick, NULL);
	(void)snprintf(url, room, "ws://%s/v1/events", edge_address(server.edge));
	assert_int_equal(pthread_create(&server.thread, NULL, serve, NULL), 0);
}

static void server_stop(void)
{
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	assert_int_equal(pthread_join(server.thread, NULL), 0);
	edge_free(&server.edge);
}

static uint64_t reconnects(void)
{
	stats_lock();
	uint64_t n = stats.events_reconnects;
	stats_unlock();
	return n;
}

static void test_events_survive_draining_and_miss_nothing(void **state)
{
	char url[128];
	char token[32];
	bool all = false;
	(void)state;
	server_start(url, sizeof(url));
	assert_true(events_start(url, CLIENTS, 1));
	for (unsigned i = 0; i < 1000 && !all; i++) {
		(void)snprintf(token, sizeof(token), "token-%u", i);
		events_set_token(i % CLIENTS, token);
		/* The first of a second connection: the client resumed behind the last of the
		 * first. */
		all = reconnects() >= DRAINED && events_settled(200) &&
		      events_saw_winner(1, 100, 1000 + WINNERS + 1);
		(void)usleep(10000);
	}
	assert_true(all);
	assert_false(events_saw_winner(2, 100, 1001));
	assert_false(events_saw_winner(1, 100, 1));
	assert_true(atomic_load(&server.tokens) > 0);
	events_stop();
	for (uint64_t i = 0; i < stats.mismatches_n && i < STATS_TEXTS_MAX; i++)
		print_message("%s\n", stats.mismatches[i]);
	assert_int_equal(stats.mismatches_n, 0);
	assert_true(stats.events_snapshots >= CLIENTS + DRAINED);
	assert_true(stats.events_counters > 0);
	assert_true(stats.events_winners >= WINNERS);
	server_stop();
}

static void test_invalid_events_url(void **state)
{
	(void)state;
	assert_false(events_start("ws:/nowhere", 1, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_survive_draining_and_miss_nothing),
		cmocka_unit_test(test_invalid_events_url),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
