/* State that the files of the edge share. Private to libcommon/edge. */
#ifndef CARILLON_EDGE_PRIVATE_SERVER_H
#define CARILLON_EDGE_PRIVATE_SERVER_H

#include "libcommon/edge/address.h"
#include "libcommon/edge/crowds.h"
#include "libcommon/edge/edge.h"
#include "libcommon/edge/http_head.h"
#include "libcommon/edge/ws_deflate.h"
#include "libcommon/io/metrics.h"

#define EDGE_LISTENERS_MAX 2
#define EDGE_ADOPTED_MAX 32 /* timers among them */
#define EDGE_TIMERS_MAX 16
#define EDGE_ROUTES_MAX 160
#define EDGE_STATUSES_MAX 28
#define EDGE_ARENA_BYTES 6144
#define EDGE_MORE_HEADERS_MAX 1800

struct edge_listener {
	struct edge *edge;
	int fd;
	size_t adopted;		  /* its index in the set */
	uint64_t paused_until_us; /* 0: the listener is in the set */
	uint64_t accepted_us;	  /* when connections were last accepted; monotonic */
	bool health_only;
	char address[80];
};

struct edge_adopted {
	edge_readable *readable;
	void *context;
};

struct edge_timer {
	int fd;
	edge_tick *tick;
	void *context;
};

struct edge_page {
	char path[128];
	const char *type;
	char etag[24];
	char *bytes;
	size_t length;
	const char *coding; /* of the bytes: "br", "gzip"; NULL: none, a page by its own path */
	const struct edge_page *coded[2]; /* the same page in a coding, the better one first */
	bool lasts;			  /* its name has its digest: what it holds never changes */
};

/* Metrics of one route: a counter for each status, created when first needed, and the time from the
 * last byte of the request to the answer. */
struct edge_route_metrics {
	struct metric *status[EDGE_STATUSES_MAX];
	struct metric *latency;
};

enum request_state {
	REQUEST_COLLECTING, /* the body is arriving */
	REQUEST_REFUSED,    /* the body is arriving and is discarded: the answer is already known */
	REQUEST_OPEN,	    /* passed to a handler */
};

struct edge_request {
	struct edge *edge;
	struct edge_connection *connection; /* NULL: the slot is free */
	uint32_t slot, generation;
	enum request_state state;
	const struct edge_route *route;
	size_t metrics; /* index of its metrics */
	bool head, close, method_post, health_only;
	bool lasts;	  /* the answer may be kept for ever */
	bool unkept;	  /* the answer is kept nowhere, also with a tag */
	bool header_lost; /* a header did not fit: the answer is not sent without it */
	uint64_t began_us;
	char path[EDGE_PATH_MAX];
	uint16_t parameter_at[EDGE_PARAMETERS_MAX]; /* in the arena; 0: none */
	uint16_t header_at[EDGE_HEADERS_N];
	uint16_t query_at, query_end; /* "name=value\0name=value\0" */
	uint16_t arena_used;
	char *body;
	size_t body_length, body_expected;
	char id[EDGE_REQUEST_ID_MAX];
	uint8_t trace[EDGE_TRACE_BYTES];
	struct address client;
	char peer[ADDRESS_TEXT_MAX];
	char etag[80];
	size_t more_length;
	bool upgrade;	 /* a valid handshake of a WebSocket */
	bool deflates;	 /* the client of the WebSocket offered permessage-deflate */
	char accept[29]; /* the Sec-WebSocket-Accept of its answer */
	/* for REQUEST_REFUSED: sent when the body has ended */
	uint32_t refused_status;
	const char *refused_code, *refused_message;
	/* Not cleared between requests. */
	char more[EDGE_MORE_HEADERS_MAX]; /* extra header lines of the answer */
	char arena[EDGE_ARENA_BYTES];
};

struct edge_stream {
	struct edge_connection *connection;
	const struct edge_stream_ops *ops;
	void *context;
	bool woken; /* `writable` was requested */
	/* Of a WebSocket; NULL: server-sent events. */
	const struct edge_websocket_ops *websocket;
	bool deflates;
	bool in_parts; /* the first frame of a message has come, and not the last */
	bool packed;   /* that message is compressed */
	uint8_t *parts;
	size_t parts_length;
};

/* Connections that may be closed to make room, oldest first. */
enum edge_waiting {
	EDGE_WAITS_NOT,
	EDGE_HALF_OPEN, /* its first request has not arrived in full */
	EDGE_IDLE,	/* between requests, or the client does not take its answer */
	EDGE_WAITINGS
};

struct edge_waiters {
	struct edge_connection *oldest, *newest;
	uint32_t n;
};

/* One HTTP connection, from accept to its end. */
struct edge_connection {
	const struct edge_listener *listener;
	struct edge_connection *previous, *next;
	struct edge_connection *next_dead, *next_woken;
	int fd;
	uint32_t interest; /* events registered with epoll */
	struct edge_request *request;
	struct edge_stream *stream;
	char *in; /* received and not yet consumed: from in_at up to in_used */
	size_t in_at, in_used, in_room;
	uint8_t *out; /* bytes that the socket has not taken yet */
	size_t out_at, out_used, out_room;
	uint64_t deadline_us;  /* 0: none */
	struct address client; /* the peer, or as the PROXY protocol names it */
	struct edge_connection *waits_before, *waits_after;
	uint64_t waits_since_us;
	uint64_t slowed_until_us; /* not read until then; 0: it is read */
	uint8_t waiting;	  /* enum edge_waiting */
	bool counted;		  /* among the connections of its client */
	bool by_proxy;		  /* the peer is a listed proxy */
	bool names_client;	  /* the proxy has not yet sent the header of the PROXY protocol */
	bool advancing;		  /* edge_connection_advance is running further up the stack */
	bool paused;		  /* reading is off */
	bool ended;		  /* the client sends no more */
	bool finishing; /* no more answers: what is left is sent, then the connection closes */
	bool closing;	/* closed; freed at the end of the turn */
	bool in_woken;	/* in the list of woken connections */
};

struct edge {
	struct edge_config config;
	struct edge_connection *first, *dead, *woken;
	int epoll_fd;
	struct edge_listener listener[EDGE_LISTENERS_MAX];
	size_t listeners;
	struct edge_adopted adopted[EDGE_ADOPTED_MAX];
	size_t adopted_n;
	struct edge_timer timer[EDGE_TIMERS_MAX];
	size_t timers;
	int signal_fd;
	bool ready, draining, ended;
	char why_not[160];
	char note[256]; /* empty: none */
	uint64_t now_us, drain_until_us;
	uint64_t random; /* generator state for ids of requests and spans; not secret */

	struct edge_request **slots;
	uint32_t slots_n, slots_room;
	uint32_t *free_slots;
	uint32_t free_n;
	uint32_t open;	     /* requests */
	uint32_t generation; /* of the newest request */
	uint32_t connections, connections_max;

	const struct door_settings *doors;
	struct crowds *crowds; /* NULL: nobody is limited */
	struct networks proxies, unlimited;
	struct edge_waiters waiters[EDGE_WAITINGS];
	uint32_t half_open_max;
	uint64_t arrival_us;
	uint64_t accept_failures; /* since the last line in the log */
	size_t given_back;	  /* bytes freed since memory was last returned to the system */
	uint64_t trim_us;
	struct metric *half_open_gauge, *shed, *refused_address, *refused_rate, *accept_failed;

	size_t routes_n;
	struct edge_route_metrics metrics[EDGE_ROUTES_MAX + 3]; /* after the routes: pages, unknown
								   paths, the WebSocket's path */
	struct metric *connections_gauge, *open_gauge, *accepted, *refused;

	struct edge_page *pages;
	size_t pages_n;
	char policy[768], modules_policy[768]; /* without frame-ancestors, which depends on the
						  request */
	const char *modules; /* pages below this path may compile WebAssembly; NULL: none */
	const char *framed;  /* pages below this path may be framed; NULL: none */
	edge_framers *framers;

	struct ws_deflate *deflate; /* NULL until a message comes compressed */
	uint8_t *out;		    /* answers are assembled here */
	size_t out_room;
	char date[40];
	uint64_t date_s;
	uint64_t bad_s; /* the second of the lines about bad requests */
	uint32_t bad;	/* bad requests in it */
};

/* edge_http.c */
void edge_http_begin(struct edge *edge);  /* metrics of the routes */
void edge_http_timers(struct edge *edge); /* once a second: ends requests without an answer */
void edge_http_end(struct edge *edge);
/* Makes a request from a head and checks the request. False: it was answered and the connection
 * ends. */
bool edge_http_request(struct edge_connection *connection, const struct http_head *head);
void edge_http_dispatch(struct edge_request *request); /* its body is complete */
/* The answer will be this error, once the body has been read. */
void edge_http_refuse(
	struct edge_request *request, uint32_t status, const char *code, const char *message);
void edge_http_malformed(struct edge_connection *connection, enum http_head_status status);
/* edge_request.c */
/* The headers. False: one of them is too long. */
bool edge_request_read(struct edge_request *request, const struct http_head *head);
/* The path and the query, decoded. False: they cannot be. */
bool edge_request_path(struct edge_request *request, const struct http_head *head);
struct edge_request *edge_request_new(struct edge_connection *connection);
void edge_request_free(struct edge_request *request);
bool edge_request_route(struct edge_request *request);
/* For the header Allow: what the path accepts. NULL: no route has this path. */
const char *edge_request_methods(struct edge_request *request);
/* edge_connection.c */
void edge_connections_begin(struct edge *edge); /* makes the epoll set */
void edge_connections_end(struct edge *edge);
void edge_connection_new(const struct edge_listener *listener, int fd, const struct address *peer);
void edge_connection_event(struct edge_connection *connection, uint32_t events);
void edge_connection_write(struct edge_connection *connection, const uint8_t *bytes, size_t length);
/* Sends what is left, then closes. */
void edge_connection_finish(struct edge_connection *connection);
void edge_connection_close(struct edge_connection *connection); /* at once */
void edge_connection_advance(struct edge_connection *connection);
void edge_connection_wake(struct edge_connection *connection); /* its stream wants to write */
/* At the end of each turn: lets woken streams write and frees closed connections. */
void edge_connections_turn(struct edge *edge);
/* Once a second: closes connections on timeout, and idle ones while draining. */
void edge_connections_sweep(struct edge *edge);
/* edge_doors.c */
void edge_doors_begin(struct edge *edge); /* fatal on networks that cannot be read */
void edge_doors_end(struct edge *edge);
/* Can connections be accepted now? If not, the listener is paused. */
bool edge_doors_open(struct edge_listener *listener);
/* Makes room for a connection from peer. False: it must be closed. */
bool edge_doors_room(const struct edge_listener *listener, const struct address *peer);
/* May the client hold this connection? If so, counts it, unless the client has no limits. */
bool edge_doors_enter(struct edge_connection *connection);
void edge_doors_leave(struct edge_connection *connection);
/* Takes the PROXY protocol's header from the connection's bytes. False: it has not arrived yet, or
 * the connection is closed. */
bool edge_doors_names_client(struct edge_connection *connection);
/* Checks a request that has been read: its host, its path, its client's rate. False: it was
 * answered and the connection ends. */
bool edge_doors_request(struct edge_request *request, const struct http_head *head);
/* The client of a request: its connection's, or as the listed proxy in front names it. */
struct address edge_doors_client(
	const struct edge_connection *connection, const struct http_head *head);
/* Puts the connection at the end of a list of those that may be closed, or in none. */
void edge_doors_wait(struct edge_connection *connection, enum edge_waiting waiting);
/* accept failed: the process or the system has no descriptor or memory left. Pauses the listener.
 */
void edge_doors_exhausted(struct edge_listener *listener, int error);
void edge_doors_tick(struct edge *edge); /* opens paused listeners again */
/* Once a second: metrics, the log, unused memory. */
void edge_doors_second(struct edge *edge);
/* edge_pages.c */
const struct edge_page *edge_page_find(const struct edge *edge, const char *path, bool *redirect_r);
void edge_page_answer(struct edge_request *request, const struct edge_page *page);
void edge_pages_free(struct edge *edge);
/* edge_websocket.c */
/* Is the request for the WebSocket's path? */
bool edge_websocket_wanted(const struct edge_request *request);
/* Checks the handshake of such a request: sets `upgrade`, or refuses it. */
void edge_websocket_request(struct edge_request *request, const struct http_head *head);
/* Handles the frames that have arrived. */
void edge_websocket_advance(struct edge_connection *connection);
/* edge.c */
uint64_t edge_random(struct edge *edge);

#endif
