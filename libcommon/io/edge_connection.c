/* Connections that speak HTTP: bytes in, requests out to edge_http.c one at a time, answers back in
 * order.
 *
 * libwebsockets 4.1 could read HTTP, but not what a money API needs: where one packet holds a
 * request and the next one's POST, it takes bytes of the header for the body. So the library only
 * polls these sockets; reading is ours (http_head.c, strict and fuzzed), and so is writing. A
 * connection is closed from its own callback only: whoever else wants its end asks for a turn
 * there. */
#include "libcommon/io/edge_private.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define IN_FIRST 2048u
#define IN_MAX (HTTP_HEAD_MAX + EDGE_BODY_MAX + 4096u)
#define ARRIVAL_US (20 * UINT64_C(1000000))  /* a request must be whole within */
#define PROGRESS_US (20 * UINT64_C(1000000)) /* a client must take something of its answer within  \
					      */
#define LINGER_US (2 * UINT64_C(1000000))

/* ---- life
 * -------------------------------------------------------------------------------------------------------------------
 */

static struct edge *edge_of(const struct edge_connection *connection)
{
	return connection->listener->edge;
}

static void deadline(struct edge_connection *connection, uint64_t after_us)
{
	connection->deadline_us = edge_of(connection)->now_us + after_us;
}

void edge_connection_new(const struct edge_listener *listener, int fd)
{
	struct edge *edge = listener->edge;
	struct edge_connection *connection = calloc(1, sizeof(*connection));
	if (connection == NULL)
		fatal("edge: out of memory");
	connection->listener = listener;
	connection->fd = fd;
	connection->fresh = true;
	deadline(connection, ARRIVAL_US);
	connection->next = edge->first;
	if (edge->first != NULL)
		edge->first->previous = connection;
	edge->first = connection;
	edge->connections++;
	const lws_adopt_desc_t info = {
		.vh = edge->vhost,
		.type = LWS_ADOPT_RAW_FILE_DESC,
		.fd = { .filefd = fd },
		.vh_prot_name = "edge-connection",
		.opaque = connection, /* freed when the library says that it is closed */
	};
	connection->wsi = lws_adopt_descriptor_vhost_via_info(&info);
	if (connection->wsi == NULL)
		fatal("edge: the loop refused a connection");
}

static void connection_free(struct edge_connection *connection)
{
	struct edge *edge = edge_of(connection);
	if (connection->request != NULL)
		edge_request_free(connection->request);
	struct edge_stream *stream = connection->stream;
	connection->closing = true;
	if (stream != NULL && stream->ops->closed != NULL)
		stream->ops->closed(stream, stream->context);
	free(stream);
	if (connection->previous != NULL)
		connection->previous->next = connection->next;
	else
		edge->first = connection->next;
	if (connection->next != NULL)
		connection->next->previous = connection->previous;
	edge->connections--;
	free(connection->in);
	free(connection->out);
	free(connection);
}

void edge_connection_close(struct edge_connection *connection)
{
	connection->closing = true;
	(void)lws_callback_on_writable(connection->wsi);
}

/* Says that nothing follows, and waits for the client to have read it: closing a socket with unread
 * bytes in it would throw away the answer. */
static void linger(struct edge_connection *connection)
{
	if (connection->ended || shutdown(connection->fd, SHUT_WR) != 0) {
		edge_connection_close(connection);
		return;
	}
	deadline(connection, LINGER_US);
	if (connection->paused) {
		connection->paused = false;
		(void)lws_rx_flow_control(connection->wsi, 1);
	}
}

void edge_connection_finish(struct edge_connection *connection)
{
	if (connection->finishing || connection->closing)
		return;
	connection->finishing = true;
	if (connection->out_used == 0)
		linger(connection);
}

/* ---- out
 * --------------------------------------------------------------------------------------------------------------------
 */

static void out_keep(struct edge_connection *connection, const uint8_t *bytes, size_t length)
{
	if (connection->out_used + length > connection->out_room) {
		connection->out_room = connection->out_used + length;
		connection->out = realloc(connection->out, connection->out_room);
		if (connection->out == NULL)
			fatal("edge: out of memory");
	}
	memcpy(connection->out + connection->out_used, bytes, length);
	connection->out_used += length;
	deadline(connection, PROGRESS_US);
	(void)lws_callback_on_writable(connection->wsi);
}

void edge_connection_write(struct edge_connection *connection, const uint8_t *bytes, size_t length)
{
	if (connection->closing)
		return;
	if (connection->out_used == 0) {
		ssize_t n = send(connection->fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
			edge_connection_close(connection);
			return;
		}
		if (n > 0) {
			bytes += n;
			length -= (size_t)n;
		}
	}
	if (length > 0)
		out_keep(connection, bytes, length);
}

/* The socket takes more. -1: close. */
static int on_writable(struct edge_connection *connection)
{
	while (!connection->closing && connection->out_used > connection->out_at) {
		ssize_t n = send(connection->fd, connection->out + connection->out_at,
			connection->out_used - connection->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
			(void)lws_callback_on_writable(connection->wsi);
			return 0;
		}
		if (n <= 0)
			return -1;
		connection->out_at += (size_t)n;
		deadline(connection, PROGRESS_US);
	}
	if (connection->closing)
		return -1;
	if (connection->out_used > 0) {
		free(connection->out);
		connection->out = NULL;
		connection->out_at = connection->out_used = connection->out_room = 0;
		connection->deadline_us = 0;
		if (connection->finishing)
			linger(connection);
	}
	struct edge_stream *stream = connection->stream;
	if (stream != NULL && stream->woken && !connection->finishing) {
		stream->woken = false;
		stream->ops->writable(stream, stream->context);
	}
	edge_connection_advance(connection);
	return connection->closing ? -1 : 0;
}

/* ---- in
 * ---------------------------------------------------------------------------------------------------------------------
 */

/* Makes room behind in_used; false when the buffer may grow no more. */
static bool in_room(struct edge_connection *connection)
{
	if (connection->in_at > 0) {
		connection->in_used -= connection->in_at;
		memmove(connection->in, connection->in + connection->in_at, connection->in_used);
		connection->in_at = 0;
	}
	if (connection->in_used < connection->in_room)
		return true;
	if (connection->in_room >= IN_MAX)
		return false;
	size_t room = connection->in_room == 0 ? IN_FIRST : connection->in_room * 2;
	connection->in_room = room > IN_MAX ? IN_MAX : room;
	connection->in = realloc(connection->in, connection->in_room);
	if (connection->in == NULL)
		fatal("edge: out of memory");
	return true;
}

/* Takes of the body what has arrived; true when it is whole. A refused request's body is thrown
 * away. */
static bool body_take(struct edge_connection *connection)
{
	struct edge_request *request = connection->request;
	size_t there = connection->in_used - connection->in_at;
	size_t wanted = request->body_expected - request->body_length;
	size_t n = there < wanted ? there : wanted;
	if (request->state == REQUEST_COLLECTING && n > 0) {
		memcpy(request->body + request->body_length, connection->in + connection->in_at, n);
		request->body[request->body_length + n] = '\0';
	}
	request->body_length += n;
	connection->in_at += n;
	return request->body_length == request->body_expected;
}

/* Reads the head of the next request, if it is there. False: wait for more, or it is over. */
static bool head_take(struct edge_connection *connection)
{
	struct http_head head;
	size_t used = 0;
	while (connection->in_at < connection->in_used && connection->in != NULL &&
		(connection->in[connection->in_at] == '\r' ||
			connection->in[connection->in_at] == '\n'))
		connection->in_at++; /* RFC 9112, 2.2: empty lines before a request are nothing */
	size_t there = connection->in_used - connection->in_at;
	if (there == 0) {
		connection->in_at = connection->in_used = 0;
		if (connection->deadline_us == 0)
			deadline(connection,
				(uint64_t)edge_of(connection)->config.idle_timeout_s * 1000000);
		return false;
	}
	enum http_head_status status =
		http_head_parse(connection->in + connection->in_at, there, &head, &used);
	if (status == HTTP_HEAD_MORE) {
		if (connection->deadline_us == 0)
			deadline(connection, ARRIVAL_US);
		return false;
	}
	if (status != HTTP_HEAD_OK) {
		edge_http_malformed(connection, status);
		return false;
	}
	deadline(connection, ARRIVAL_US);
	connection->in_at += used;
	return edge_http_request(connection, &head);
}

void edge_connection_advance(struct edge_connection *connection)
{
	if (connection->advancing)
		return;
	connection->advancing = true;
	while (!connection->closing && !connection->finishing && connection->stream == NULL &&
		connection->out_used == 0) {
		if (connection->request == NULL) {
			if (!head_take(connection))
				break;
		} else if (connection->request->state == REQUEST_OPEN || !body_take(connection)) {
			break;
		} else {
			edge_http_dispatch(connection->request);
		}
	}
	connection->advancing = false;
	if (connection->ended && connection->request == NULL && connection->stream == NULL)
		edge_connection_finish(connection);
	if (connection->paused && !connection->ended && connection->in_used < IN_MAX) {
		connection->paused = false;
		(void)lws_rx_flow_control(connection->wsi, 1);
	}
}

static void pause_reading(struct edge_connection *connection)
{
	connection->paused = true;
	(void)lws_rx_flow_control(connection->wsi, 0);
}

/* -1: close. */
static int on_readable(struct edge_connection *connection)
{
	char waste[4096];
	bool keep = !connection->finishing && connection->stream == NULL;
	if (connection->fresh && edge_websocket_take(connection))
		return -1;
	connection->fresh = false;
	if (keep && !in_room(connection)) {
		pause_reading(connection);
		return 0;
	}
	ssize_t n = keep ? recv(connection->fd, connection->in + connection->in_used,
				   connection->in_room - connection->in_used, MSG_DONTWAIT)
			 : recv(connection->fd, waste, sizeof(waste), MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
	if (n == 0) {
		/* A client may close its side and still wait for the answer. */
		connection->ended = true;
		if (connection->finishing || connection->stream != NULL ||
			(connection->request == NULL && connection->out_used == 0))
			return -1;
		pause_reading(connection);
		return 0;
	}
	if (keep) {
		connection->in_used += (size_t)n;
		if (connection->request == NULL)
			connection->deadline_us = 0;
		edge_connection_advance(connection);
	}
	return connection->closing ? -1 : 0;
}

/* ---- callbacks
 * --------------------------------------------------------------------------------------------------------------
 */

/* libwebsockets keeps adding reasons: most are no concern of ours. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wswitch-enum"
int edge_connection_callback(
	struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
	(void)user;
	(void)in;
	(void)length;
	struct edge_connection *connection = wsi == NULL ? NULL : lws_get_opaque_user_data(wsi);
	if (connection == NULL)
		return 0;
	edge_of(connection)->now_us = clock_mono_us();
	switch (reason) {
	case LWS_CALLBACK_RAW_RX_FILE:
		return on_readable(connection);
	case LWS_CALLBACK_RAW_WRITEABLE_FILE:
		return on_writable(connection);
	case LWS_CALLBACK_RAW_CLOSE_FILE:
		lws_set_opaque_user_data(wsi, NULL);
		connection_free(connection);
		return 0;
	default:
		return 0;
	}
}
#pragma GCC diagnostic pop

void edge_connections_sweep(struct edge *edge)
{
	edge->now_us = clock_mono_us();
	for (struct edge_connection *c = edge->first; c != NULL; c = c->next) {
		bool idle = c->request == NULL && c->stream == NULL && c->out_used == 0 &&
			    c->in_used == c->in_at;
		if (c->deadline_us != 0 && edge->now_us >= c->deadline_us)
			edge_connection_close(c);
		else if (edge->draining && idle && !c->listener->health_only)
			edge_connection_finish(c);
	}
}
