/* What the files of the edge share; nobody else includes this. */
#ifndef CARILLON_IO_EDGE_PRIVATE_H
#define CARILLON_IO_EDGE_PRIVATE_H

#include "libcommon/io/edge.h"
#include "libcommon/io/metrics.h"

#define EDGE_LISTENERS_MAX 2
#define EDGE_ADOPTED_MAX 16
#define EDGE_TIMERS_MAX 16
#define EDGE_ROUTES_MAX 64
#define EDGE_STATUSES_MAX 24
#define EDGE_ARENA_BYTES 6144
#define EDGE_MORE_HEADERS_MAX 1200

struct edge_listener {
	struct edge *edge;
	int fd;
	struct lws *wsi;
	bool health_only;
	char address[80];
};

struct edge_adopted {
	edge_readable *readable;
	void *context;
	struct lws *wsi;
};

struct edge_timer {
	lws_sorted_usec_list_t sul;
	struct edge *edge;
	uint32_t period_ms;
	edge_tick *tick;
	void *context;
};

struct edge_page {
	char path[128];
	const char *type;
	char etag[24];
	char *bytes;
	size_t length;
};

/* Metrics of one route: a counter a status, made when first needed, and the time from the last byte of the request to the answer. */
struct edge_route_metrics {
	struct metric *status[EDGE_STATUSES_MAX];
	struct metric *latency;
};

enum request_state {
	REQUEST_COLLECTING,           /* body on its way */
	REQUEST_REFUSED,              /* body on its way, but the answer is already known: it is read and thrown away */
	REQUEST_OPEN,                 /* a handler has it */
};

struct edge_request {
	struct edge *edge;
	struct lws *wsi;
	struct edge_session *session;
	uint32_t slot, generation;
	enum request_state state;
	const struct edge_route *route;
	size_t metrics;               /* index of its metrics */
	bool head, close, method_post, health_only;
	uint64_t began_us;
	char path[EDGE_PATH_MAX];
	uint16_t parameter_at[EDGE_PARAMETERS_MAX]; /* in the arena; 0: none */
	uint16_t header_at[EDGE_HEADERS_N];
	uint16_t query_at, query_end; /* "name=value\0name=value\0" */
	uint16_t arena_used;
	char arena[EDGE_ARENA_BYTES];
	char *body;
	size_t body_length, body_expected;
	char id[EDGE_REQUEST_ID_MAX];
	uint8_t trace[EDGE_TRACE_BYTES];
	char peer[64];
	char etag[80];
	char more[EDGE_MORE_HEADERS_MAX]; /* further header lines of the answer */
	size_t more_length;
	/* of a refusal that waits for the body's end */
	uint32_t refused_status;
	const char *refused_code, *refused_message;
};

struct edge_stream {
	struct lws *wsi;
	struct edge_session *session;
	const struct edge_stream_ops *ops;
	void *context;
	bool closing, wrote;
};

/* One connection's own, kept by libwebsockets as user space; the session of a WebSocket lies behind it. */
struct edge_session {
	_Alignas(16) struct edge_request *request;
	struct edge_stream *stream;
	bool closing;                 /* close at the next chance, after what was written has left */
	bool websocket;
	bool counted;
};

struct edge {
	struct edge_config config;
	struct lws_context *lws;
	struct lws_vhost *vhost;
	struct lws_protocols protocols[3];
	struct edge_listener listener[EDGE_LISTENERS_MAX];
	size_t listeners;
	struct edge_adopted adopted[EDGE_ADOPTED_MAX];
	size_t adopted_n;
	struct edge_timer timer[EDGE_TIMERS_MAX];
	size_t timers;
	int signal_fd;
	bool ready, draining, ended;
	char why_not[160];
	uint64_t now_us, drain_until_us;
	uint64_t random;              /* state of the ids of requests and spans; not secret */

	struct edge_request **slots;
	uint32_t slots_n, slots_room;
	uint32_t *free_slots;
	uint32_t free_n;
	uint32_t open;                /* requests */
	uint32_t connections, connections_max;

	size_t routes_n;
	struct edge_route_metrics metrics[EDGE_ROUTES_MAX + 2]; /* behind the routes: pages, and what fits nothing */
	struct metric *connections_gauge, *open_gauge, *accepted, *refused;

	struct edge_page *pages;
	size_t pages_n;
	char policy[768];

	uint8_t *out;                 /* answers are put together here: libwebsockets copies what the socket does not take */
	size_t out_room;
	char date[40];
	uint64_t date_s;
};

/* edge_http.c */
int edge_http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length);
void edge_http_begin(struct edge *edge);   /* metrics of the routes */
void edge_http_timers(struct edge *edge);  /* once a second: requests nobody answers */
void edge_http_end(struct edge *edge);
/* edge_request.c */
bool edge_request_read(struct edge_request *request, const char *path, size_t path_length);
struct edge_request *edge_request_new(struct edge *edge);
void edge_request_free(struct edge_request *request);
bool edge_request_route(struct edge_request *request, bool *path_known_r);
/* edge_pages.c */
const struct edge_page *edge_page_find(const struct edge *edge, const char *path, bool *redirect_r);
void edge_page_answer(struct edge_request *request, const struct edge_page *page);
void edge_pages_free(struct edge *edge);
/* edge_stream.c: LWS_CALLBACK_HTTP_WRITEABLE and the end of the connection */
int edge_stream_writable(struct edge_stream *stream);
void edge_stream_gone(struct edge_stream *stream);
/* edge.c */
uint64_t edge_random(struct edge *edge);

#endif
