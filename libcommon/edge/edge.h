/* The edge: one libwebsockets context as the loop of a process that faces browsers (gateway,
 * notifications).
 *
 * The loop is the master: it accepts connections, reads HTTP requests strictly and within limits,
 * hands them to handlers by a table of routes, and polls descriptors of ours beside them (Kafka,
 * nanomsg, the Postgres pool). One thread; every function here is called from that thread, and
 * nothing called from it may wait for long.
 *
 *     edge = edge_new(&config);                       routes, listeners, signals
 *     edge_adopt(edge, nn_bus_fd(bus), on_bus, bus);  our descriptors
 *     edge_every(edge, 100, on_tick, ctx);            timers
 *     return edge_run(edge);                          until drained after SIGTERM or SIGINT
 *
 * A handler answers at once, or keeps the ticket of the request and answers later through
 * edge_find, which gives NULL when the client has gone. Every edge also serves GET /healthz (200
 * while the loop turns), /readyz (200, or 503 with the reason) and /metrics, on the public listener
 * and on the one of health. */
#ifndef CARILLON_EDGE_EDGE_H
#define CARILLON_EDGE_EDGE_H

#include <libwebsockets.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EDGE_BODY_MAX (16 << 10) /* bytes of a request's body; above it 413 */
#define EDGE_PATH_MAX 512 /* bytes of the path, and of the query, with the NUL; above it 414 */
#define EDGE_HEADER_MAX                                                                            \
	1024 /* bytes of one header's value that handlers read, with the NUL; above it 431 */
#define EDGE_PARAMETERS_MAX 4 /* {} in one route */
#define EDGE_REQUEST_ID_MAX 65

struct edge;
struct edge_request;
struct edge_stream;

enum edge_method { EDGE_GET, EDGE_POST };

/* Answers at once or later; a request that is neither answered nor kept by its ticket is a bug and
 * ends in 504 after 30 s. */
typedef void edge_handler(struct edge_request *request, void *context);

struct edge_route {
	enum edge_method method;
	const char *pattern; /* "/v1/rounds/{}/actions": {} is one segment, not empty. Also the
				label of the metrics. NULL ends a table */
	edge_handler *handler;
	bool body; /* POST: takes a JSON body (Content-Type application/json, else 415); false: a
		      body is refused */
};

/* WebSocket: the callback of libwebsockets, for one path. It gets FILTER_PROTOCOL_CONNECTION
 * (headers can be read; not 0 refuses), then ESTABLISHED with `session` all zero, RECEIVE,
 * RECEIVE_PONG, SERVER_WRITEABLE, TIMER, WS_PEER_INITIATED_CLOSE and CLOSED. Wake-ups from outside
 * come by adopted descriptors. */
typedef int edge_websocket(struct edge *edge, struct lws *wsi, enum lws_callback_reasons reason,
	void *session, void *in, size_t length);

struct edge_config {
	const char *service; /* "gateway": for the log */
	const char *listen;  /* "127.0.0.1:8080", "[::1]:0", "0.0.0.0:80"; port 0 picks a free one.
				SO_REUSEPORT: instances may share it */
	const char *health_listen; /* likewise, for /healthz, /readyz, /metrics alone; NULL or "":
				      none */
	const struct edge_route *routes; /* the first that fits is taken */
	void *context;			 /* handed to handlers and to the functions below */
	uint32_t connections_max;	 /* 0: 20,000, or what the limit of descriptors leaves */
	uint32_t idle_timeout_s;	 /* kept-alive connections; 0: 60 */
	uint32_t drain_ms;		 /* after SIGTERM at most; 0: 5,000 */

	const char *websocket_path; /* "/v1/events"; NULL: none */
	edge_websocket *websocket;
	size_t websocket_session_bytes;
	int socket_send_bytes; /* SO_SNDBUF of accepted sockets; 0: the system's */
	/* SYN backlog of a thousand reconnecting clients is taken this many a turn, so that those
	 * already here are served; 0: 64. */
	uint32_t accepts_per_turn;

	/* All may be NULL. */
	void (*turn)(void *context);	 /* after each poll, when everything that was ready has been
					    handled: flush what was gathered */
	void (*draining)(void *context); /* SIGTERM came: nothing new is accepted any more.
					    WebSockets and streams should be closed now */
	bool (*drained)(void *context);	 /* is nothing left to be done besides open requests? */
};

/* Raises RLIMIT_NOFILE, blocks SIGTERM and SIGINT (taken by the loop), ignores SIGPIPE. Must be
 * called before threads are made (librdkafka's), for these inherit the mask. Fatal when an address
 * cannot be bound. */
struct edge *edge_new(const struct edge_config *config);
/* Exit status of the process: 0. */
int edge_run(struct edge *edge);
void edge_free(struct edge **edge);
/* "127.0.0.1:8080" with the port really bound. */
const char *edge_address(const struct edge *edge);
const char *edge_health_address(const struct edge *edge); /* "" when there is none */
void *edge_context(const struct edge *edge);
/* /readyz says 503 with why_not until this has said true. */
void edge_ready(struct edge *edge, bool ready, const char *why_not);
/* Microseconds, monotonic, read once a turn: cheap, for time-outs and limits. */
uint64_t edge_now_us(const struct edge *edge);

/* Calls back when fd is readable, level-triggered, until the edge is freed. The descriptor stays
 * the caller's and is not closed. */
typedef void edge_readable(void *context);
void edge_adopt(struct edge *edge, int fd, edge_readable *readable, void *context);
/* Calls back every period_ms, first after one period. At most 16. */
typedef void edge_tick(void *context);
void edge_every(struct edge *edge, uint32_t period_ms, edge_tick *tick, void *context);

/* ---- the request
 * ----------------------------------------------------------------------------------------------------
 */

enum edge_header {
	EDGE_AUTHORIZATION, /* the value of "Bearer ..." without that word */
	EDGE_IDEMPOTENCY_KEY,
	EDGE_IF_NONE_MATCH,
	EDGE_ORIGIN,
	EDGE_LAST_EVENT_ID,
	EDGE_HEADERS_N
};

/* W3C trace context: 16 bytes trace id, 8 bytes parent id, 1 byte flags, as in Envelope.trace. */
#define EDGE_TRACE_BYTES 25

/* All strings live as long as the request: until it is answered. */
const char *edge_parameter(const struct edge_request *request,
	size_t i); /* the i-th {} of the route, decoded; "" when there is none */
/* A parameter of the query, decoded, or NULL. out holds size bytes; one that is longer is given cut
 * to nothing: "". */
const char *edge_query(
	const struct edge_request *request, const char *name, char *out, size_t size);
/* The i-th name in the query, "" past the end: to refuse what no handler knows. */
const char *edge_query_name(const struct edge_request *request, size_t i, char *out, size_t size);
const char *edge_header(
	const struct edge_request *request, enum edge_header header);	     /* NULL: not sent */
const char *edge_body(const struct edge_request *request, size_t *length_r); /* NUL behind it */
const char *edge_peer(
	const struct edge_request *request); /* IP address in text, without the port */
const char *edge_request_id(
	const struct edge_request *request); /* X-Request-Id: the client's if sane, else ours */
const uint8_t *edge_trace(const struct edge_request
		*request); /* the client's trace with a parent id of ours, or a new one */

/* To answer later. A ticket is never given twice; 0 is none. */
uint64_t edge_ticket(struct edge_request *request);
struct edge_request *edge_find(
	struct edge *edge, uint64_t ticket); /* NULL: the client has gone or it was answered */
/* A request that was kept goes to its handler once more, from its beginning. */
void edge_again(struct edge_request *request);

/* ---- the answer
 * -----------------------------------------------------------------------------------------------------
 */

/* Copies the body and ends the request; no other call with this request may follow. Cache-Control
 * is no-store unless an ETag is set. */
void edge_answer(struct edge_request *request, uint32_t status, const char *content_type,
	const void *body, size_t length);
void edge_answer_json(
	struct edge_request *request, uint32_t status, const char *json, size_t length);
/* {"error":{"code","message","where","found","expected"}}; any but code and message may be NULL and
 * is then left out. */
void edge_answer_error(struct edge_request *request, uint32_t status, const char *code,
	const char *message, const char *where, const char *found, const char *expected);
/* A further header of the answer, before answering: at most 4, 256 bytes in all; no line breaks. */
void edge_answer_header(struct edge_request *request, const char *name, const char *value);
/* Sets ETag of the answer to come and, when If-None-Match has it, answers 304 and gives true: the
 * request is then ended. */
bool edge_answer_etag(struct edge_request *request, const char *etag);

/* ---- answers without an end: server-sent events
 * --------------------------------------------------------------------- */

struct edge_stream_ops {
	/* May write once, by edge_stream_write; called after edge_stream_wake. */
	void (*writable)(struct edge_stream *stream, void *context);
	/* The client has gone or edge_stream_close was called; the stream is freed after it. */
	void (*closed)(struct edge_stream *stream, void *context);
};
/* Sends the header of the answer (200, not cached, connection not kept) and ends the request; the
 * stream then belongs to the edge. */
struct edge_stream *edge_answer_stream(struct edge_request *request, const char *content_type,
	const struct edge_stream_ops *ops, void *context);
void edge_stream_wake(struct edge_stream *stream); /* ask for `writable` */
/* Only in `writable`, once: everything written before has then left. The bytes are copied where the
 * socket does not take them. */
bool edge_stream_write(struct edge_stream *stream, const uint8_t *bytes, size_t length);
void edge_stream_close(struct edge_stream *stream);

/* ---- pages
 * ----------------------------------------------------------------------------------------------------------
 */

/* Reads a folder whole (at most 256 files, 16 MiB) and serves it under "/": index.html for folders,
 * ETag, a strict Content-Security-Policy, nosniff, no referrer, no frames. connect: origins the
 * pages may speak to besides their own, space-separated ("ws://127.0.0.1:8081"), or NULL. Routes
 * come first. False with a reason in the log when the folder cannot be read. */
bool edge_pages(struct edge *edge, const char *folder, const char *connect);

#endif
