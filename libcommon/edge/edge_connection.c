/* HTTP connections: bytes in, requests out to edge_http.c one at a time, answers back in order.
 *
 * libwebsockets 4.1 can read HTTP but fails for a money API: when one packet holds a request and
 * the start of a POST, it takes bytes of the POST's header for its body. So the edge reads HTTP
 * itself (http_head.c, strict and fuzzed) and writes it itself.
 *
 * A closed connection is freed at the end of the turn, because callers further up the stack may
 * still use it. */
#include "libcommon/edge/door_settings.h"
#include "libcommon/edge/private/server.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define IN_FIRST 2048u
#define IN_MAX (HTTP_HEAD_MAX + EDGE_BODY_MAX + 4096u)
#define ARRIVAL_US (20 * UINT64_C(1000000)) /* longest time for a request to arrive in full */
#define PROGRESS_US                                                                                \
	(20 * UINT64_C(1000000)) /* longest time for a client to take no byte of its answer */
#define LINGER_US (2 * UINT64_C(1000000))

static struct edge *edge_of(const struct edge_connection *connection)
{
	return connection->listener->edge;
}

static void deadline(struct edge_connection *connection, uint64_t after_us)
{
	connection->deadline_us = edge_of(connection)->now_us + after_us;
}

/* Updates the connection's epoll events when they have changed. */
static void interest_set(struct edge_connection *connection)
{
	uint32_t wanted = (connection->paused ? 0 : (uint32_t)EPOLLIN) |
			  (connection->out_used > 0 ? (uint32_t)EPOLLOUT : 0);
	struct epoll_event event = { .events = wanted, .data.ptr = connection };
	if (wanted == connection->interest)
		return;
	connection->interest = wanted;
	if (epoll_ctl(edge_of(connection)->epoll_fd, EPOLL_CTL_MOD, connection->fd, &event) != 0)
		edge_connection_close(connection);
}

/* ---- life ---- */

void edge_connection_new(const struct edge_listener *listener, int fd, const struct address *peer)
{
	struct edge *edge = listener->edge;
	struct edge_connection *connection = calloc(1, sizeof(*connection));
	if (connection == NULL)
		fatal("edge: out of memory");
	connection->listener = listener;
	connection->fd = fd;
	connection->interest = EPOLLIN;
	connection->client = *peer;
	deadline(connection, edge->arrival_us);
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = connection };
	if (epoll_ctl(edge->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0)
		fatal("edge: epoll failed: %s", strerror(errno));
	connection->next = edge->first;
	if (edge->first != NULL)
		edge->first->previous = connection;
	edge->first = connection;
	edge->connections++;
	edge_doors_wait(connection, EDGE_HALF_OPEN);
	/* The client of a proxy is counted when the proxy has named it. */
	connection->by_proxy =
		!listener->health_only && networks_have(&edge->proxies, &connection->client);
	connection->names_client = connection->by_proxy && edge->doors->proxy_protocol != 0;
	if (!connection->by_proxy && !edge_doors_enter(connection))
		edge_connection_close(connection);
}

static void connection_free(struct edge_connection *connection)
{
	struct edge *edge = edge_of(connection);
	if (connection->request != NULL)
		edge_request_free(connection->request);
	struct edge_stream *stream = connection->stream;
	if (stream != NULL && stream->ops->closed != NULL)
		stream->ops->closed(stream, stream->context);
	if (stream != NULL)
		free(stream->parts);
	free(stream);
	if (connection->previous != NULL)
		connection->previous->next = connection->next;
	else
		edge->first = connection->next;
	if (connection->next != NULL)
		connection->next->previous = connection->previous;
	edge->connections--;
	edge->given_back += sizeof(*connection) + connection->in_room + connection->out_room;
	edge_doors_leave(connection);
	(void)close(connection->fd); /* which also takes it out of the set */
	free(connection->in);
	free(connection->out);
	free(connection);
}

void edge_connection_close(struct edge_connection *connection)
{
	struct edge *edge = edge_of(connection);
	if (connection->closing)
		return;
	connection->closing = true;
	edge_doors_wait(connection, EDGE_WAITS_NOT);
	connection->next_dead = edge->dead;
	edge->dead = connection;
}

/* Ends our side and waits until the client has read the answer: closing a socket with unread bytes
 * would discard it. */
static void linger(struct edge_connection *connection)
{
	if (connection->ended || shutdown(connection->fd, SHUT_WR) != 0) {
		edge_connection_close(connection);
		return;
	}
	deadline(connection, LINGER_US);
	connection->paused = false;
	interest_set(connection);
}

void edge_connection_finish(struct edge_connection *connection)
{
	if (connection->finishing || connection->closing)
		return;
	connection->finishing = true;
	if (connection->out_used == 0)
		linger(connection);
}

/* ---- out ---- */

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
	interest_set(connection);
	if (connection->stream == NULL)
		edge_doors_wait(connection, EDGE_IDLE);
}

static bool would_block(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

void edge_connection_write(struct edge_connection *connection, const uint8_t *bytes, size_t length)
{
	if (connection->closing)
		return;
	if (connection->out_used == 0) {
		ssize_t n = send(connection->fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && !would_block()) {
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

void edge_connection_wake(struct edge_connection *connection)
{
	struct edge *edge = edge_of(connection);
	if (connection->in_woken || connection->closing)
		return;
	connection->in_woken = true;
	connection->next_woken = edge->woken;
	edge->woken = connection;
}

/* All buffered output has been sent. */
static void on_flushed(struct edge_connection *connection)
{
	edge_of(connection)->given_back += connection->out_room;
	free(connection->out);
	connection->out = NULL;
	connection->out_at = connection->out_used = connection->out_room = 0;
	connection->deadline_us = 0;
	interest_set(connection);
	if (connection->finishing)
		linger(connection);
	else if (connection->stream != NULL && connection->stream->woken)
		edge_connection_wake(connection);
	else
		edge_connection_advance(connection);
}

/* The socket takes more bytes. */
static void on_writable(struct edge_connection *connection)
{
	while (connection->out_used > connection->out_at) {
		ssize_t n = send(connection->fd, connection->out + connection->out_at,
			connection->out_used - connection->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && would_block())
			return;
		if (n <= 0) {
			edge_connection_close(connection);
			return;
		}
		connection->out_at += (size_t)n;
		deadline(connection, PROGRESS_US);
	}
	if (connection->out_used > 0)
		on_flushed(connection);
}

/* ---- in ---- */

/* Makes room after in_used; false when the buffer is at its limit. */
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

/* Takes the bytes of the body that have arrived; true when it is complete. Discards the body of a
 * rejected request. */
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

static void in_free(struct edge_connection *connection)
{
	edge_of(connection)->given_back += connection->in_room;
	free(connection->in);
	connection->in = NULL;
	connection->in_at = connection->in_used = connection->in_room = 0;
}

/* All that has arrived is handled. A large buffer is not kept for the next request. */
static void in_empty(struct edge_connection *connection)
{
	connection->in_at = connection->in_used = 0;
	if (connection->in_room > IN_FIRST)
		in_free(connection);
}

/* RFC 9112, 2.2: empty lines before a request are skipped. */
static void skip_empty_lines(struct edge_connection *connection)
{
	while (connection->in_at < connection->in_used &&
		(connection->in[connection->in_at] == '\r' ||
			connection->in[connection->in_at] == '\n'))
		connection->in_at++;
}

/* Reads the head of the next request if it has arrived. False: wait for more bytes, or the
 * connection has ended. */
static bool head_take(struct edge_connection *connection)
{
	struct http_head head;
	size_t used = 0;
	if (connection->names_client && !edge_doors_names_client(connection))
		return false;
	skip_empty_lines(connection);
	size_t there = connection->in_used - connection->in_at;
	if (there == 0) {
		in_empty(connection);
		if (connection->deadline_us == 0 && connection->waiting != EDGE_HALF_OPEN) {
			deadline(connection,
				(uint64_t)edge_of(connection)->config.idle_timeout_s * 1000000);
			edge_doors_wait(connection, EDGE_IDLE);
		}
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

static void pause_reading(struct edge_connection *connection)
{
	connection->paused = true;
	interest_set(connection);
}

void edge_connection_advance(struct edge_connection *connection)
{
	if (connection->advancing)
		return;
	connection->advancing = true;
	while (!connection->closing && !connection->finishing && connection->stream == NULL &&
		connection->out_used == 0) {
		if (connection->request == NULL) {
			if (connection->slowed_until_us != 0 || !head_take(connection))
				break;
		} else if (connection->request->state == REQUEST_OPEN || !body_take(connection)) {
			break;
		} else {
			edge_http_dispatch(connection->request);
		}
	}
	connection->advancing = false;
	if (connection->stream != NULL && connection->stream->websocket != NULL)
		edge_websocket_advance(connection);
	if (connection->ended && connection->request == NULL && connection->stream == NULL)
		edge_connection_finish(connection);
	if (connection->slowed_until_us != 0 && !connection->closing) {
		pause_reading(connection);
	} else if (connection->paused && !connection->ended && !connection->closing &&
		   connection->in_used - connection->in_at < IN_MAX) {
		connection->paused = false;
		interest_set(connection);
	}
}

/* A client may close its side and still wait for the answer. */
static void on_end(struct edge_connection *connection)
{
	connection->ended = true;
	if (connection->finishing || connection->stream != NULL ||
		(connection->request == NULL && connection->out_used == 0))
		edge_connection_close(connection);
	else
		pause_reading(connection);
}

static void on_bytes(struct edge_connection *connection, size_t n)
{
	struct edge_stream *stream = connection->stream;
	connection->in_used += n;
	if (stream != NULL) {
		stream->websocket->heard(stream, stream->context);
		edge_websocket_advance(connection);
		return;
	}
	/* The time limit of a request starts at its first byte; that of the first request starts
	 * when the connection opens, and only a whole head ends it. */
	if (connection->request == NULL && connection->in_used - connection->in_at == n &&
		connection->waiting != EDGE_HALF_OPEN)
		connection->deadline_us = 0;
	edge_connection_advance(connection);
}

static void on_readable(struct edge_connection *connection)
{
	char waste[4096];
	bool keep = !connection->finishing &&
		    (connection->stream == NULL || connection->stream->websocket != NULL);
	if (keep && !in_room(connection)) {
		pause_reading(connection);
		return;
	}
	ssize_t n = keep ? recv(connection->fd, connection->in + connection->in_used,
				   connection->in_room - connection->in_used, MSG_DONTWAIT)
			 : recv(connection->fd, waste, sizeof(waste), MSG_DONTWAIT);
	if (n == 0) {
		on_end(connection);
	} else if (n < 0) {
		if (!would_block())
			edge_connection_close(connection);
	} else if (keep) {
		on_bytes(connection, (size_t)n);
	}
}

/* ---- the set ---- */

void edge_connection_event(struct edge_connection *connection, uint32_t events)
{
	if (!connection->closing && (events & EPOLLOUT) != 0)
		on_writable(connection);
	if (!connection->closing && (events & EPOLLIN) != 0)
		on_readable(connection);
	else if (!connection->closing && (events & (EPOLLHUP | EPOLLERR)) != 0)
		edge_connection_close(connection);
}

void edge_connections_begin(struct edge *edge)
{
	edge->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (edge->epoll_fd < 0)
		fatal("edge: epoll failed: %s", strerror(errno));
}

static void run_woken(struct edge *edge)
{
	struct edge_connection *woken = edge->woken;
	edge->woken = NULL;
	while (woken != NULL) {
		struct edge_connection *connection = woken;
		struct edge_stream *stream = connection->stream;
		woken = connection->next_woken;
		connection->in_woken = false;
		if (stream == NULL || !stream->woken || connection->closing ||
			connection->finishing || connection->out_used > 0)
			continue;
		stream->woken = false;
		stream->ops->writable(stream, stream->context);
	}
}

/* Frees closed connections. A connection in the woken list stays until that list has been
 * handled. */
static void free_dead(struct edge *edge)
{
	struct edge_connection *connection = edge->dead;
	edge->dead = NULL;
	while (connection != NULL) {
		struct edge_connection *next = connection->next_dead;
		if (connection->in_woken) {
			connection->next_dead = edge->dead;
			edge->dead = connection;
		} else {
			connection_free(connection);
		}
		connection = next;
	}
}

void edge_connections_turn(struct edge *edge)
{
	if (edge->woken != NULL)
		run_woken(edge);
	if (edge->dead != NULL)
		free_dead(edge);
}

void edge_connections_end(struct edge *edge)
{
	run_woken(edge);
	for (struct edge_connection *c = edge->first; c != NULL; c = c->next)
		edge_connection_close(c);
	while (edge->woken != NULL)
		run_woken(edge);
	free_dead(edge);
	(void)close(edge->epoll_fd);
}

void edge_connections_sweep(struct edge *edge)
{
	edge->now_us = clock_mono_us();
	for (struct edge_connection *c = edge->first; c != NULL; c = c->next) {
		bool idle = c->request == NULL && c->stream == NULL && c->out_used == 0 &&
			    c->in_used == c->in_at;
		if (c->slowed_until_us != 0 && edge->now_us >= c->slowed_until_us) {
			c->slowed_until_us = 0;
			edge_connection_advance(c);
		}
		if (c->deadline_us != 0 && edge->now_us >= c->deadline_us)
			edge_connection_close(c);
		else if (edge->draining && idle && !c->listener->health_only)
			edge_connection_finish(c);
		else if (idle && c->in != NULL && !c->advancing)
			in_free(c);
	}
}
