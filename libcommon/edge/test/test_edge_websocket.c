/* WebSockets on real sockets: the handshake, and the frames of RFC 6455 that a client may and may
 * not send. */
#include "libcommon/edge/edge.h"
#include "libcommon/edge/test/edge_client.h"
#include "libcommon/edge/test/edge_server.h"
#include "libcommon/edge/ws_frame.h"
#include "libcommon/io/log.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static struct edge *edge;
static pthread_t thread;
static uint16_t port, health_port;

static void on_echo(struct edge_request *request, void *context)
{
	(void)context;
	edge_answer_json(request, 200, "{}", 2);
}

/* A WebSocket that echoes. */
static void on_socket_message(
	struct edge_stream *stream, void *context, const char *text, size_t length)
{
	uint8_t out[WS_OUT_HEAD_MAX + EDGE_MESSAGE_MAX];
	size_t at = ws_head_write(out, WS_TEXT, false, length);
	(void)context;
	memcpy(out + at, text, length);
	(void)edge_stream_write(stream, out, at + length);
}

static void on_socket_nothing(struct edge_stream *stream, void *context)
{
	(void)stream;
	(void)context;
}

static void on_socket(struct edge_request *request, void *context)
{
	static const struct edge_websocket_ops ops = {
		.stream = { .writable = on_socket_nothing, .closed = on_socket_nothing },
		.message = on_socket_message,
		.heard = on_socket_nothing,
		.left = on_socket_nothing,
	};
	char q[8];
	if (edge_query(request, "refuse", q, sizeof(q)) != NULL)
		edge_answer_error(request, 403, "refused", "No.", NULL, NULL, NULL);
	else
		(void)edge_answer_websocket(request, &ops, context);
}

static int start(void **state)
{
	static const struct edge_route routes[] = {
		{ EDGE_GET, "/echo", on_echo, false },
		{ EDGE_GET, NULL, NULL, false },
	};
	const struct edge_config config = {
		.service = "test",
		.listen = "127.0.0.1:0",
		.health_listen = "127.0.0.1:0",
		.routes = routes,
		.connections_max = 500,
		.websocket_path = "/socket",
		.websocket = on_socket,
	};
	(void)state;
	log_open("test", "test-1", LOG_ERROR);
	edge = edge_new(&config);
	port = edge_server_port(edge_address(edge));
	health_port = edge_server_port(edge_health_address(edge));
	thread = edge_server_run(edge);
	return 0;
}

static int end(void **state)
{
	(void)state;
	edge_server_end(thread);
	edge_free(&edge);
	return 0;
}

#define UPGRADE "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
#define KEY "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define VERSION "Sec-WebSocket-Version: 13\r\n"

static const struct {
	const char *request, *status, *text;
} UPGRADES[] = {
	{ "GET /socket HTTP/1.1\r\nHost: x\r\n" UPGRADE KEY VERSION "\r\n", "101",
		"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" },
	{ "GET /socket?a=1 HTTP/1.1\r\nHost: x\r\nSec-WebSocket-Extensions: "
	  "permessage-deflate; client_max_window_bits\r\n" UPGRADE KEY VERSION "\r\n",
		"101", "Sec-WebSocket-Extensions: " WS_DEFLATE_ANSWER "\r\n" },
	{ "GET /socket?refuse=1 HTTP/1.1\r\nHost: x\r\n" UPGRADE KEY VERSION "\r\n", "403",
		"refused" },
	{ "GET /socket HTTP/1.1\r\nHost: x\r\n\r\n", "426", "Sec-WebSocket-Version: 13" },
	{ "GET /socket HTTP/1.1\r\nHost: x\r\n" UPGRADE KEY "Sec-WebSocket-Version: 8\r\n\r\n",
		"426", "upgrade_required" },
	{ "GET /socket HTTP/1.1\r\nHost: x\r\n" UPGRADE VERSION "\r\n", "400", "upgrade_refused" },
	{ "GET /socket HTTP/1.1\r\nHost: x\r\n" UPGRADE VERSION
	  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=\r\n\r\n",
		"400", "upgrade_refused" },
	{ "GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n" KEY VERSION
	  "\r\n",
		"426", "upgrade_required" },
	{ "POST /socket HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n" UPGRADE KEY VERSION "\r\n",
		"405", "Allow: GET" },
	{ "GET /echo HTTP/1.1\r\nHost: x\r\n" UPGRADE KEY VERSION "\r\n", "400",
		"upgrade_refused" },
};

static void test_edge_upgrades(void **state)
{
	char out[8192];
	(void)state;
	for (size_t i = 0; i < sizeof(UPGRADES) / sizeof(UPGRADES[0]); i++) {
		ask(port, UPGRADES[i].request, out, sizeof(out));
		if (strncmp(out + 9, UPGRADES[i].status, 3) != 0 ||
			strstr(out, UPGRADES[i].text) == NULL)
			fail_msg("case %zu: %s\ngot: %.600s", i, UPGRADES[i].request, out);
	}
	ask(health_port, UPGRADES[0].request, out, sizeof(out));
	assert_non_null(strstr(out, "HTTP/1.1 400"));
}

static int upgrade(const char *more, size_t more_length)
{
	char bytes[1024], out[512];
	size_t length = strlen(UPGRADES[0].request);
	int fd = connect_to(port);
	memcpy(bytes, UPGRADES[0].request, length);
	memcpy(bytes + length, more, more_length);
	send_all(fd, bytes, length + more_length);
	size_t n = 0;
	do
		assert_int_equal(take(fd, out + n, 1), 1);
	while (++n < 4 || memcmp(out + n - 4, "\r\n\r\n", 4) != 0);
	return fd;
}

/* What a client sends behind the handshake, masked by zeros, and what comes back, by the sections
 * of RFC 6455. A close frame is the last that comes back. */
#define NO_MASK "\0\0\0\0"
#define X25 "xxxxxxxxxxxxxxxxxxxxxxxxx"
#define X125 X25 X25 X25 X25 X25
#define CLOSED(code) "\x88\x02" code
#define PROTOCOL CLOSED("\x03\xea")
#define BAD_FRAME "\x88\x1a\x03\xeanot a valid client frame"
#define BAD_SEQUENCE                                                                               \
	"\x88\x1c\x03\xea"                                                                         \
	"a fragment out of sequence"
#define NOT_TEXT "\x88\x0b\x03\xefnot UTF-8"
#define TOO_LARGE "\x88\x16\x03\xf1more than 4096 bytes"

static const struct {
	const char *rule, *sent;
	size_t sent_n;
	const char *back;
	size_t back_n;
} TALKS[] = {
#define TALK(rule, sent, back)                                                                     \
	{                                                                                          \
		rule, sent, sizeof(sent) - 1, back, sizeof(back) - 1                               \
	}
	TALK("5.1: a client masks", "\x81\x01x", BAD_FRAME),
	TALK("5.2: RSV1 without an extension", "\xc1\x81" NO_MASK "x", BAD_FRAME),
	TALK("5.2: RSV2", "\xa1\x81" NO_MASK "x", BAD_FRAME),
	TALK("5.2: RSV3", "\x91\x81" NO_MASK "x", BAD_FRAME),
	TALK("5.2: RSV2 of a ping", "\xa9\x80" NO_MASK, BAD_FRAME),
	TALK("5.2: RSV3 of a close", "\x98\x80" NO_MASK, BAD_FRAME),
	TALK("5.2: a reserved opcode of data", "\x83\x80" NO_MASK, BAD_FRAME),
	TALK("5.2: a reserved opcode of control", "\x8b\x80" NO_MASK, BAD_FRAME),
	TALK("5.2: 125 bytes", "\x81\xfd" NO_MASK X125, "\x81\x7d" X125),
	TALK("5.2: 126 bytes", "\x81\xfe\0\x7e" NO_MASK X125 "x", "\x81\x7e\0\x7e" X125 "x"),
	TALK("5.2: 125 in 16 bits", "\x81\xfe\0\x7d" NO_MASK X125, BAD_FRAME),
	TALK("5.2: 65,535 in 64 bits", "\x81\xff\0\0\0\0\0\0\xff\xff" NO_MASK, BAD_FRAME),
	TALK("5.2: 1 in 64 bits", "\x81\xff\0\0\0\0\0\0\0\1" NO_MASK "x", BAD_FRAME),
	TALK("5.2: 65,536 in 64 bits", "\x81\xff\0\0\0\0\0\1\0\0" NO_MASK, TOO_LARGE),
	TALK("5.2: the largest length", "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff" NO_MASK,
		TOO_LARGE),
	TALK("5.2: the first of 64 bits", "\x81\xff\x80\0\0\0\0\0\0\0" NO_MASK, BAD_FRAME),
	TALK("5.4: not fragmented", "\x81\x82" NO_MASK "hi", "\x81\x02hi"),
	TALK("5.4: a ping between fragments",
		"\x01\x82" NO_MASK "hi\x89\x81" NO_MASK "p\x00\x81" NO_MASK " \x80\x81" NO_MASK "u",
		"\x8a\x01p\x81\x04hi u"),
	TALK("5.4: empty fragments", "\x01\x80" NO_MASK "\x00\x80" NO_MASK "\x80\x80" NO_MASK,
		"\x81\x00"),
	TALK("5.4: a close between fragments", "\x01\x82" NO_MASK "hi\x88\x82" NO_MASK "\x03\xe8",
		CLOSED("\x03\xe8")),
	TALK("5.4: a continuation of nothing", "\x80\x81" NO_MASK "x", BAD_SEQUENCE),
	TALK("5.4: a message between fragments", "\x01\x81" NO_MASK "x\x81\x81" NO_MASK "x",
		BAD_SEQUENCE),
	TALK("5.5: a ping of 126 bytes", "\x89\xfe\0\x7e" NO_MASK X125 "x", BAD_FRAME),
	TALK("5.5: a pong of 126 bytes", "\x8a\xfe\0\x7e" NO_MASK X125 "x", BAD_FRAME),
	TALK("5.5: a close of 126 bytes", "\x88\xfe\0\x7e" NO_MASK "\x03\xe8" X125, BAD_FRAME),
	TALK("5.5: a ping in 64 bits", "\x89\xff\0\0\0\0\0\1\0\0" NO_MASK, BAD_FRAME),
	TALK("5.5: a fragmented ping", "\x09\x80" NO_MASK "\x80\x80" NO_MASK, BAD_FRAME),
	TALK("5.5: a fragmented pong", "\x0a\x80" NO_MASK "\x80\x80" NO_MASK, BAD_FRAME),
	TALK("5.5: a fragmented close", "\x08\x82" NO_MASK "\x03\xe8\x80\x80" NO_MASK, BAD_FRAME),
	TALK("5.5.1: no code", "\x88\x80" NO_MASK, CLOSED("\x03\xe8")),
	TALK("5.5.1: half a code", "\x88\x81" NO_MASK "x", PROTOCOL),
	TALK("5.5.1: the code comes back", "\x88\x82" NO_MASK "\x03\xe9", CLOSED("\x03\xe9")),
	TALK("5.5.1: a reason", "\x88\x84" NO_MASK "\x03\xe8\xc3\xa9", CLOSED("\x03\xe8")),
	TALK("5.5.1: a reason of 123 bytes",
		"\x88\xfd" NO_MASK "\x03\xe8" X25 X25 X25 X25 "xxxxxxxxxxxxxxxxxxxxxxx",
		CLOSED("\x03\xe8")),
	TALK("5.5.1: a reason that is not UTF-8", "\x88\x83" NO_MASK "\x03\xe8\xff", PROTOCOL),
	TALK("5.5.1: a reason that ends in a character", "\x88\x83" NO_MASK "\x03\xe8\xc3",
		PROTOCOL),
	TALK("5.5.1: data after a close", "\x88\x82" NO_MASK "\x03\xe8\x81\x82" NO_MASK "hi",
		CLOSED("\x03\xe8")),
	TALK("5.5.1: a ping after a close", "\x88\x82" NO_MASK "\x03\xe8\x89\x80" NO_MASK,
		CLOSED("\x03\xe8")),
	TALK("5.5.1: a second close", "\x88\x82" NO_MASK "\x03\xe8\x88\x82" NO_MASK "\x03\xe9",
		CLOSED("\x03\xe8")),
	TALK("5.5.2: a pong has the bytes of its ping", "\x89\xfd" NO_MASK X125, "\x8a\x7d" X125),
	TALK("5.5.3: a pong that nothing asked for", "\x8a\x80" NO_MASK "\x81\x80" NO_MASK,
		"\x81\x00"),
	TALK("7.4.1: 1003", "\x88\x82" NO_MASK "\x03\xeb", CLOSED("\x03\xeb")),
	TALK("7.4.1: 1004 is reserved", "\x88\x82" NO_MASK "\x03\xec", PROTOCOL),
	TALK("7.4.1: 1005 is never sent", "\x88\x82" NO_MASK "\x03\xed", PROTOCOL),
	TALK("7.4.1: 1006 is never sent", "\x88\x82" NO_MASK "\x03\xee", PROTOCOL),
	TALK("7.4.1: 1007", "\x88\x82" NO_MASK "\x03\xef", CLOSED("\x03\xef")),
	TALK("7.4.1: 1015 is never sent", "\x88\x82" NO_MASK "\x03\xf7", PROTOCOL),
	TALK("7.4.1: binary messages", "\x82\x81" NO_MASK "x",
		"\x88\x21\x03\xebonly text messages are accepted"),
	TALK("7.4.2: 0", "\x88\x82" NO_MASK "\0\0", PROTOCOL),
	TALK("7.4.2: 999", "\x88\x82" NO_MASK "\x03\xe7", PROTOCOL),
	TALK("7.4.2: 1016", "\x88\x82" NO_MASK "\x03\xf8", PROTOCOL),
	TALK("7.4.2: 2999", "\x88\x82" NO_MASK "\x0b\xb7", PROTOCOL),
	TALK("7.4.2: 3000", "\x88\x82" NO_MASK "\x0b\xb8", CLOSED("\x0b\xb8")),
	TALK("7.4.2: 4999", "\x88\x82" NO_MASK "\x13\x87", CLOSED("\x13\x87")),
	TALK("7.4.2: 5000", "\x88\x82" NO_MASK "\x13\x88", PROTOCOL),
	TALK("7.4.2: 65535", "\x88\x82" NO_MASK "\xff\xff", PROTOCOL),
	TALK("8.1: not UTF-8", "\x81\x81" NO_MASK "\xff", NOT_TEXT),
	TALK("8.1: a surrogate", "\x81\x83" NO_MASK "\xed\xa0\x80", NOT_TEXT),
	TALK("8.1: a character in two fragments", "\x01\x81" NO_MASK "\xc3\x80\x81" NO_MASK "\xa9",
		"\x81\x02\xc3\xa9"),
	TALK("8.1: a character in three fragments, and a ping",
		"\x01\x82" NO_MASK "\xf0\x9f\x00\x81" NO_MASK "\x8e\x89\x80" NO_MASK
		"\x80\x81" NO_MASK "\xb0",
		"\x8a\x00\x81\x04\xf0\x9f\x8e\xb0"),
	TALK("8.1: a character that another fragment does not end",
		"\x01\x81" NO_MASK "\xc3\x80\x81" NO_MASK "x", NOT_TEXT),
	TALK("8.1: a character that never ends", "\x01\x81" NO_MASK "\xe2\x80\x81" NO_MASK "\x82",
		NOT_TEXT),
	TALK("10.4: a larger message", "\x81\xfe\x10\x01" NO_MASK, TOO_LARGE),
};

/* In one packet with the handshake, and byte by byte behind it. */
static void test_edge_websocket(void **state)
{
	char out[256];
	(void)state;
	for (size_t i = 0; i < 2 * sizeof(TALKS) / sizeof(TALKS[0]); i++) {
		const char *sent = TALKS[i / 2].sent;
		size_t sent_n = TALKS[i / 2].sent_n, back_n = TALKS[i / 2].back_n;
		int fd = upgrade(sent, i % 2 == 0 ? sent_n : 0);
		for (size_t k = 0; i % 2 == 1 && k < sent_n; k++)
			send_all(fd, sent + k, 1);
		size_t n = take(fd, out, back_n);
		if (n != back_n || memcmp(out, TALKS[i / 2].back, n) != 0)
			fail_msg("%s: %zu bytes, %.*s", TALKS[i / 2].rule, n, (int)n, out);
		if (out[0] == '\x88' && take(fd, out, 1) != 0)
			fail_msg("%s: more after the close frame", TALKS[i / 2].rule);
		(void)close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edge_upgrades),
		cmocka_unit_test(test_edge_websocket),
	};
	return cmocka_run_group_tests(tests, start, end);
}
