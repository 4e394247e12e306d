/* The edge: the loop of a process that serves browsers (gateway, notifications), and its HTTP and
 * WebSocket.
 *
 * The loop accepts connections, reads HTTP requests strictly and within limits, passes them to
 * handlers by a table of routes, and polls the caller's descriptors (Kafka, nanomsg, the Postgres
 * pool). There is one thread: call every function here from it, and let no callback wait for long.
 *
 *     edge = edge_new(&config);                       routes, listeners, signals
 *     edge_adopt(edge, nn_bus_fd(bus), on_bus, bus);  our descriptors
 *     edge_every(edge, 100, on_tick, ctx);            timers
 *     return edge_run(edge);                          until drained after SIGTERM or SIGINT
 *
 * A handler answers at once, or keeps the request's ticket and answers later through edge_find,
 * which returns NULL when the client has gone. Every edge also serves GET /healthz (200 while the
 * loop turns) and /readyz (200, or 503 with the reason) on the public listener and on the health
 * listener, and GET /metrics on the health listener alone. */
#ifndef CARILLON_EDGE_EDGE_H
#define CARILLON_EDGE_EDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EDGE_BODY_MAX (16 << 10) /* bytes of a request's body; larger: 413 */
#define EDGE_PATH_MAX 512 /* bytes of the path, and of the query, with the NUL; larger: 414 */
/* Bytes of the value of a header in enum edge_header, with the NUL; larger: 431. A Cookie or
 * Accept-Encoding that is too long counts as not sent. */
#define EDGE_HEADER_MAX 1024
#define EDGE_PARAMETERS_MAX 4 /* path parameters ("{}") in one route */
#define EDGE_MESSAGE_MAX 4096 /* bytes of a message on a WebSocket; larger: close code 1009 */
#define EDGE_REQUEST_ID_MAX 65

struct address;
struct edge;
struct edge_request;
struct door_settings;
struct edge_stream;

enum edge_method { EDGE_GET, EDGE_POST };

/* Answers the request, or takes its ticket to answer later. A request that gets no answer is a bug;
 * it ends in 504 after 30 s. */
typedef void edge_handler(struct edge_request *request, void *context);

struct edge_route {
	enum edge_method method;
	const char *pattern; /* "/v1/rounds/{}/actions"; {} is one segment, not empty. Also the
				label of the metrics. NULL ends the table */
	edge_handler *handler;
	bool body; /* POST: true takes a JSON body (Content-Type application/json, else 415); false
		      rejects a body */
};

struct edge_config {
	const char *service; /* "gateway": for the log */
	const char *listen;  /* "127.0.0.1:8080", "[::1]:0", "0.0.0.0:80"; port 0: any free port.
				SO_REUSEPORT: instances may share it */
	const char *health_listen; /* the same, for /healthz, /readyz and /metrics only; NULL or "":
				      none */
	const struct edge_route *routes; /* the first match is taken */
	void *context;			 /* passed to handlers and to the functions below */
	uint32_t connections_max;	 /* 0: 20,000, or fewer if the descriptor limit is lower */
	uint32_t idle_timeout_s;	 /* of kept-alive connections; 0: 60 */
	uint32_t drain_ms;		 /* longest drain after SIGTERM; 0: 5,000 */

	const char *websocket_path; /* "/v1/events"; NULL: none */
	/* Answers a valid upgrade request for that path at once: by edge_answer_websocket, or with
	 * an error. */
	edge_handler *websocket;
	int socket_send_bytes; /* SO_SNDBUF of accepted sockets; 0: the system's default */
	/* Connections accepted in one turn of the loop; 0: 64. The limit lets connected clients be
	 * served while thousands reconnect. But a client that finds the kernel's queue full tries
	 * again only after seconds. So when turns are long, because the server is busy, the loop
	 * accepts more: it goes on for an eighth of the time since it last began to accept (at most
	 * 50 ms), while connections_max is not reached. */
	uint32_t accepts_per_turn;
	/* The proxies that are believed and the limits on clients (door_settings.h), on the public
	 * listener. NULL: no proxy is believed, no client is limited. */
	const struct door_settings *doors;

	/* All may be NULL. */
	void (*turn)(void *context);	 /* after each poll, when all ready descriptors have been
					    handled: flush collected messages */
	void (*draining)(void *context); /* called after SIGTERM, when no new connection is accepted
					    any more: close WebSockets and streams now */
	bool (*drained)(void *context);	 /* is all work done, apart from open requests? */
};

/* Raises RLIMIT_NOFILE, blocks SIGTERM and SIGINT (the loop receives them), ignores SIGPIPE. Call
 * it before any thread starts (librdkafka's), because threads inherit the signal mask. Fatal when
 * an address cannot be bound. */
struct edge *edge_new(const struct edge_config *config);
/* Runs the loop until the process has drained. Returns its exit status, 0. */
int edge_run(struct edge *edge);
void edge_free(struct edge **edge);
/* "127.0.0.1:8080" with the actual port. */
const char *edge_address(const struct edge *edge);
const char *edge_health_address(const struct edge *edge); /* "" when there is none */
void *edge_context(const struct edge *edge);
/* /readyz answers 503 with why_not until ready is true. */
void edge_ready(struct edge *edge, bool ready, const char *why_not);
/* /readyz adds this to its answer, ready or not; empty: nothing. */
void edge_note(struct edge *edge, const char *note);
/* The monotonic time in microseconds. The loop reads the clock once a turn, so this call is cheap.
 */
uint64_t edge_now_us(const struct edge *edge);

/* Calls back when fd is readable, level-triggered, until the edge is freed. The caller keeps
 * ownership of fd and closes it. */
typedef void edge_readable(void *context);
void edge_adopt(struct edge *edge, int fd, edge_readable *readable, void *context);
/* Calls back every period_ms, first after one period. At most 16 timers. */
typedef void edge_tick(void *context);
void edge_every(struct edge *edge, uint32_t period_ms, edge_tick *tick, void *context);

/* ---- the request ---- */

enum edge_header {
	EDGE_AUTHORIZATION, /* the value after "Bearer " */
	EDGE_IDEMPOTENCY_KEY,
	EDGE_IF_NONE_MATCH,
	EDGE_ORIGIN,
	EDGE_LAST_EVENT_ID,
	EDGE_HOST,
	EDGE_ACCEPT_ENCODING,
	EDGE_COOKIE,	 /* all cookies; NULL: not sent, or too long */
	EDGE_CSRF,	 /* X-CSRF-Token */
	EDGE_USER_AGENT, /* NULL: not sent, or too long */
	EDGE_HEADERS_N
};

/* W3C trace context: 16 bytes trace id, 8 bytes parent id, 1 byte flags, as in Envelope.trace. */
#define EDGE_TRACE_BYTES 25

/* All strings that these functions return are valid until the request is answered. */

/* The route that the request matched. */
const struct edge_route *edge_route_of(const struct edge_request *request);
/* The time at which the last byte of the request's head arrived, on the clock of edge_now_us. */
uint64_t edge_began_us(const struct edge_request *request);
/* The i-th {} of the route, decoded; "" when there is none. */
const char *edge_parameter(const struct edge_request *request, size_t i);
/* A decoded parameter of the query, or NULL. `out` holds `size` bytes; a longer value gives "". */
const char *edge_query(
	const struct edge_request *request, const char *name, char *out, size_t size);
/* The i-th name in the query, for rejecting unknown names; "" past the end. */
const char *edge_query_name(const struct edge_request *request, size_t i, char *out, size_t size);
/* NULL: not sent. */
const char *edge_header(const struct edge_request *request, enum edge_header header);
const char *edge_body(const struct edge_request *request, size_t *length_r); /* ends in a NUL */
/* The client's IP address as text, without the port: the address that a listed proxy names, or else
 * that of the connection. */
const char *edge_peer(const struct edge_request *request);
/* The same address as a struct (address.h), for limits that the caller itself sets. NULL: the
 * caller must not limit this client, because it is in a network without limits or
 * edge_config.doors is NULL. */
const struct address *edge_limited(const struct edge_request *request);
/* X-Request-Id: the client's if valid, else a new one. */
const char *edge_request_id(const struct edge_request *request);
/* The client's trace with a new parent id, or a new trace. */
const uint8_t *edge_trace(const struct edge_request *request);

/* A ticket to answer later. Tickets are unique and never 0. */
uint64_t edge_ticket(struct edge_request *request);
/* NULL: the client has gone, the request was answered, or `edge` is NULL because it was freed. */
struct edge_request *edge_find(struct edge *edge, uint64_t ticket);
/* Passes a kept request to its handler again, from the start. */
void edge_again(struct edge_request *request);

/* ---- the answer ---- */

/* Copies the body and ends the request: do not use the request afterwards. Cache-Control is
 * no-store unless an ETag is set. */
void edge_answer(struct edge_request *request, uint32_t status, const char *content_type,
	const void *body, size_t length);
/* The same for JSON: application/json, or application/problem+json from status 400 on. */
void edge_answer_json(
	struct edge_request *request, uint32_t status, const char *json, size_t length);
/* A problem (RFC 9457), as application/problem+json: {"type","title","status","detail","error":
 * {"code","message","where","found","expected"}}. `type` names the code, which never changes its
 * meaning; `detail` is the message. where, found and expected are left out when NULL. */
void edge_answer_error(struct edge_request *request, uint32_t status, const char *code,
	const char *message, const char *where, const char *found, const char *expected);
/* The title of a status: "Conflict". Fatal for one that the edge does not know. */
const char *edge_status_title(uint32_t status);
/* Prefix of the URL of the page about an error code: EDGE_PROBLEM_TYPE "move_spent". */
#define EDGE_PROBLEM_TYPE "/docs/#error-"
/* Adds a header to the coming answer. Neither name nor value may contain a line break. The lines of
 * all added headers must be shorter than 1,800 bytes together. If a header does not fit, the log
 * names it and the answer becomes a 500 `header_lost`, because an answer that lacks a header might
 * be unsafe. */
void edge_answer_header(struct edge_request *request, const char *name, const char *value);
/* Sets the ETag of the coming answer. When If-None-Match contains it: answers 304, ends the request
 * and returns true. */
bool edge_answer_etag(struct edge_request *request, const char *etag);
/* Browsers must not keep the answer, whose tag is for programs that do. Call it first. */
void edge_answer_unkept(struct edge_request *request);

/* ---- answers without an end: server-sent events ---- */

struct edge_stream_ops {
	/* Called after edge_stream_wake, when the stream is ready. */
	void (*writable)(struct edge_stream *stream, void *context);
	/* The client has gone or edge_stream_close was called. The stream is freed after this
	 * call. */
	void (*closed)(struct edge_stream *stream, void *context);
};
/* Sends the head of the answer (200, not cached, connection not kept) and ends the request. The
 * edge owns the stream. */
struct edge_stream *edge_answer_stream(struct edge_request *request, const char *content_type,
	const struct edge_stream_ops *ops, void *context);
void edge_stream_wake(struct edge_stream *stream); /* requests a call of `writable` */
/* True when the socket has taken all earlier writes: the stream may be written to at once. */
bool edge_stream_ready(const struct edge_stream *stream);
/* Call it only while the stream is ready. Copies the bytes that the socket does not take. False:
 * the connection is closing. */
bool edge_stream_write(struct edge_stream *stream, const uint8_t *bytes, size_t length);
/* Bytes that the socket has not taken yet. */
size_t edge_stream_waiting(const struct edge_stream *stream);
void edge_stream_close(struct edge_stream *stream);

/* ---- WebSockets: streams that also receive ---- */

/* No member may be NULL. */
struct edge_websocket_ops {
	struct edge_stream_ops stream;
	/* A whole text message, valid UTF-8, at most EDGE_MESSAGE_MAX bytes; valid in the call
	 * only. */
	void (*message)(struct edge_stream *stream, void *context, const char *text, size_t length);
	/* Bytes came from the client, even if only a pong. */
	void (*heard)(struct edge_stream *stream, void *context);
	/* The client sent a close frame; `closed` follows. */
	void (*left)(struct edge_stream *stream, void *context);
};
/* Accepts the upgrade and ends the request. Write whole frames to the stream: a head by
 * ws_head_write (ws_frame.h) and the payload. */
struct edge_stream *edge_answer_websocket(
	struct edge_request *request, const struct edge_websocket_ops *ops, void *context);
/* True when the client takes frames compressed by permessage-deflate (ws_deflate.h). */
bool edge_websocket_deflates(const struct edge_stream *stream);
/* Sends a ping, unless earlier writes still wait. */
void edge_websocket_ping(struct edge_stream *stream);
/* Sends a close frame after all bytes still waiting, then closes. Closes without sending the rest
 * when the client takes no byte within 5 s of this call, or none for 20 s after it took one. */
void edge_websocket_close(struct edge_stream *stream, uint16_t code, const char *text);

/* ---- pages ---- */

/* Reads a whole folder (at most 768 files, 32 MiB) and serves it under "/", without files of types
 * that pages do not have. Routes take precedence over files. The page of a folder is its
 * index.html. A client that accepts brotli or gzip gets app.js.br or app.js.gz, if there is one, in
 * place of app.js. A client may cache a file with a digest in its path (app.0123abcd.js,
 * /a.0123456789ab.a/app.js) for ever. A request for a file in another build's folder /a.DIGEST.a
 * gets the file of the same name from this build's folder; the client must ask again before each
 * later use of that answer. Every page is sent with an ETag, a strict Content-Security-Policy and
 * Referrer-Policy: no-referrer; a 304 has only the ETag. No page may be shown in a frame, except as
 * edge_pages_framed permits.
 *
 * - connect: other origins that the pages may connect to, space-separated ("ws://127.0.0.1:8081"),
 *   or NULL
 * - modules: a path below which pages may compile WebAssembly, borrowed; NULL: no page may
 *
 * False when a folder cannot be read, a file cannot be opened or the files exceed a limit. The log
 * then says why, except for a file that cannot be opened. All other files are served. */
bool edge_pages(struct edge *edge, const char *folder, const char *connect, const char *modules);

#define EDGE_FRAMERS_MAX 512 /* bytes of the origins that may frame one page, with the NUL */

/* Writes the origins, space-separated, that may show the answer to this request in a frame; false:
 * none may. */
typedef bool edge_framers(
	void *context, const struct edge_request *request, char out[EDGE_FRAMERS_MAX]);
/* From now on `framers` decides who may frame the pages whose paths begin with `prefix`; it gets
 * the context of the edge. No other page is ever shown in a frame. `prefix` must stay valid. */
void edge_pages_framed(struct edge *edge, const char *prefix, edge_framers *framers);

#endif
