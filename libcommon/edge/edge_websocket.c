/* WebSocket: the handshake, and frames on a connection of the edge.
 *
 * libwebsockets would hold 5.7 kB a client, copy each frame for each client and poll all of them at
 * each event. Here a client costs less than 1 kB, waits in the edge's epoll set, and one prebuilt
 * frame is sent to all. ws_frame.c, which is pure and fuzzed, reads the frames. */
#include "libcommon/edge/private/server.h"
#include "libcommon/edge/ws_frame.h"

#include "libcommon/io/log.h"

#include <openssl/sha.h>
#include <sodium.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define STUCK_US (5 * UINT64_C(1000000)) /* for a close frame to leave */
#define KEY_LENGTH 24			 /* 16 bytes in base64 */

/* ---- the handshake ---- */

bool edge_websocket_wanted(const struct edge_request *request)
{
	const struct edge_config *config = &request->edge->config;
	return config->websocket != NULL && !request->health_only &&
	       strcmp(request->path, config->websocket_path) == 0;
}

static bool key_valid(const char *key)
{
	unsigned char bytes[16];
	size_t n;
	return key != NULL && strlen(key) == KEY_LENGTH &&
	       sodium_base642bin(bytes, sizeof(bytes), key, KEY_LENGTH, NULL, &n, NULL,
		       sodium_base64_VARIANT_ORIGINAL) == 0 &&
	       n == sizeof(bytes);
}

/* RFC 6455, 4.2.2: proves to the client that the server speaks WebSocket. */
static void accept_make(struct edge_request *request, const char *key)
{
	char text[KEY_LENGTH + 40];
	unsigned char digest[SHA_DIGEST_LENGTH];
	int n = snprintf(text, sizeof(text), "%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
	(void)SHA1((const unsigned char *)text, (size_t)n, digest);
	(void)sodium_bin2base64(request->accept, sizeof(request->accept), digest, sizeof(digest),
		sodium_base64_VARIANT_ORIGINAL);
}

void edge_websocket_request(struct edge_request *request, const struct http_head *head)
{
	const char *upgrade = http_head_field(head, "upgrade");
	const char *version = http_head_field(head, "sec-websocket-version");
	const char *key = http_head_field(head, "sec-websocket-key");
	const char *extensions = http_head_field(head, "sec-websocket-extensions");
	request->metrics = request->edge->routes_n + 2;
	if (strcmp(head->method, "GET") != 0) {
		edge_http_refuse(
			request, 405, "method_refused", "This path does not accept this method.");
		edge_answer_header(request, "Allow", "GET");
	} else if (!head->upgrade || upgrade == NULL || strcasecmp(upgrade, "websocket") != 0 ||
		   version == NULL || strcmp(version, "13") != 0) {
		edge_http_refuse(request, 426, "upgrade_required",
			"This path accepts only WebSocket connections of version 13.");
		edge_answer_header(request, "Upgrade", "websocket");
		edge_answer_header(request, "Sec-WebSocket-Version", "13");
	} else if (!key_valid(key)) {
		edge_http_refuse(request, 400, "upgrade_refused",
			"Sec-WebSocket-Key must be 16 bytes in base64.");
	} else {
		request->upgrade = true;
		request->deflates = extensions != NULL && ws_deflate_offered(extensions);
		accept_make(request, key);
	}
}

/* ---- what the service asks ---- */

bool edge_websocket_deflates(const struct edge_stream *stream)
{
	return stream->deflates;
}

void edge_websocket_ping(struct edge_stream *stream)
{
	uint8_t out[WS_OUT_HEAD_MAX];
	if (edge_stream_ready(stream))
		edge_connection_write(
			stream->connection, out, ws_head_write(out, WS_PING, false, 0));
}

void edge_websocket_close(struct edge_stream *stream, uint16_t code, const char *text)
{
	struct edge_connection *connection = stream->connection;
	uint8_t out[WS_OUT_HEAD_MAX + WS_CONTROL_MAX];
	if (connection->closing || connection->finishing)
		return;
	edge_connection_write(connection, out, ws_close_write(out, code, text));
	edge_connection_finish(connection);
	if (connection->out_used > 0)
		connection->deadline_us = connection->listener->edge->now_us + STUCK_US;
}

/* ---- frames ---- */

static void pong(struct edge_stream *stream, const uint8_t *payload, size_t length)
{
	uint8_t out[WS_OUT_HEAD_MAX + WS_CONTROL_MAX];
	/* A client that does not read gets no further pong: only the newest ping needs one. */
	if (!edge_stream_ready(stream))
		return;
	size_t at = ws_head_write(out, WS_PONG, false, length);
	memcpy(out + at, payload, length);
	edge_connection_write(stream->connection, out, at + length);
}

static void on_close_frame(struct edge_stream *stream, const uint8_t *payload, size_t length)
{
	uint16_t code = ws_close_read(payload, length);
	stream->websocket->left(stream, stream->context);
	edge_websocket_close(stream,
		code == 0		   ? WS_CLOSE_PROTOCOL
		: code == WS_CLOSE_NO_CODE ? WS_CLOSE_NORMAL
					   : code,
		"");
}

/* The whole message has come. */
static void on_message(struct edge_stream *stream, const uint8_t *bytes, size_t length, bool packed)
{
	struct edge *edge = stream->connection->listener->edge;
	uint8_t plain[EDGE_MESSAGE_MAX + 1];
	if (packed) {
		if (edge->deflate == NULL)
			edge->deflate = ws_deflate_new();
		uint16_t code = ws_deflate_unpack(
			edge->deflate, bytes, length, plain, sizeof(plain), &length);
		if (code != 0) {
			edge_websocket_close(stream, code, "a bad or too large compressed message");
			return;
		}
		bytes = plain;
	}
	if (!ws_utf8(bytes, length))
		edge_websocket_close(stream, WS_CLOSE_NOT_TEXT, "not UTF-8");
	else
		stream->websocket->message(stream, stream->context, (const char *)bytes, length);
}

static void parts_add(struct edge_stream *stream, const uint8_t *bytes, size_t length)
{
	if (stream->parts == NULL)
		stream->parts = malloc(EDGE_MESSAGE_MAX);
	if (stream->parts == NULL)
		fatal("edge: out of memory");
	memcpy(stream->parts + stream->parts_length, bytes, length);
	stream->parts_length += length;
}

static void parts_end(struct edge_stream *stream)
{
	uint8_t *parts = stream->parts;
	size_t length = stream->parts_length;
	stream->parts = NULL;
	stream->parts_length = 0;
	stream->in_parts = false;
	on_message(stream, parts, length, stream->packed);
	free(parts);
}

static void on_data(struct edge_stream *stream, const struct ws_head *head, const uint8_t *payload)
{
	size_t length = (size_t)head->length;
	if (stream->in_parts != (head->opcode == WS_CONTINUATION)) {
		edge_websocket_close(stream, WS_CLOSE_PROTOCOL, "a fragment out of sequence");
	} else if (head->opcode == WS_BINARY) {
		edge_websocket_close(stream, WS_CLOSE_BINARY, "only text messages are accepted");
	} else if (head->final && !stream->in_parts) {
		on_message(stream, payload, length, head->compressed);
	} else if (stream->parts_length + length > EDGE_MESSAGE_MAX) {
		edge_websocket_close(stream, WS_CLOSE_TOO_LARGE, "more than 4096 bytes");
	} else {
		if (!stream->in_parts)
			stream->packed = head->compressed;
		stream->in_parts = true;
		parts_add(stream, payload, length);
		if (head->final)
			parts_end(stream);
	}
}

static void on_frame(struct edge_stream *stream, const struct ws_head *head, const uint8_t *payload)
{
	if (head->opcode == WS_CLOSE)
		on_close_frame(stream, payload, (size_t)head->length);
	else if (head->opcode == WS_PING)
		pong(stream, payload, (size_t)head->length);
	else if (head->opcode != WS_PONG)
		on_data(stream, head, payload);
}

/* Takes one frame; false: it has not arrived in full, or the connection ends. */
static bool frame_take(struct edge_connection *connection)
{
	struct edge_stream *stream = connection->stream;
	uint8_t *at = (uint8_t *)connection->in + connection->in_at;
	size_t there = connection->in_used - connection->in_at;
	struct ws_head head;
	enum ws_status status =
		there == 0 ? WS_MORE : ws_head_read(at, there, stream->deflates, &head);
	if (status == WS_BAD) {
		edge_websocket_close(stream, WS_CLOSE_PROTOCOL, "not a valid client frame");
	} else if (status == WS_OK && head.length > EDGE_MESSAGE_MAX) {
		edge_websocket_close(stream, WS_CLOSE_TOO_LARGE, "more than 4096 bytes");
	} else if (status == WS_OK && there - head.size >= head.length) {
		connection->in_at += head.size + (size_t)head.length;
		ws_unmask(at + head.size, (size_t)head.length, head.mask);
		on_frame(stream, &head, at + head.size);
		return true;
	}
	return false;
}

void edge_websocket_advance(struct edge_connection *connection)
{
	if (connection->advancing)
		return;
	connection->advancing = true;
	while (!connection->closing && !connection->finishing && frame_take(connection))
		;
	connection->advancing = false;
	if (connection->closing || connection->finishing ||
		connection->in_at == connection->in_used) {
		free(connection->in);
		connection->in = NULL;
		connection->in_at = connection->in_used = connection->in_room = 0;
	}
}
