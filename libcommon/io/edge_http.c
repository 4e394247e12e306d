/* HTTP of the edge: from libwebsockets' callbacks to handlers, and answers back.
 *
 * While a handler has a request, reading of its connection is off: libwebsockets 4.1 would take a pipelined request for the body of the one being
 * answered, and poll() would report it for ever. An answer is written at once, in one piece with its header, whoever calls; what the socket
 * does not take, the library keeps and sends later. */
#include "libcommon/io/edge_private.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UNANSWERED_US (30 * UINT64_C(1000000))
#define DISCARD_MAX (1024 * 1024) /* a body that is too large is read to its end up to this, so that the client hears why */
#define HEADER_ROOM 2560

static const struct {
	uint32_t status;
	const char *reason;
} STATUSES[EDGE_STATUSES_MAX] = {
	{ 200, "OK" },
	{ 201, "Created" },
	{ 204, "No Content" },
	{ 301, "Moved Permanently" },
	{ 304, "Not Modified" },
	{ 400, "Bad Request" },
	{ 401, "Unauthorized" },
	{ 402, "Payment Required" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 409, "Conflict" },
	{ 411, "Length Required" },
	{ 413, "Content Too Large" },
	{ 414, "URI Too Long" },
	{ 415, "Unsupported Media Type" },
	{ 422, "Unprocessable Content" },
	{ 429, "Too Many Requests" },
	{ 431, "Request Header Fields Too Large" },
	{ 500, "Internal Server Error" },
	{ 503, "Service Unavailable" },
	{ 504, "Gateway Timeout" },
	{ 501, "Not Implemented" },
	{ 502, "Bad Gateway" },
};

static size_t status_index(uint32_t status)
{
	for (size_t i = 0; i < EDGE_STATUSES_MAX; i++)
		if (STATUSES[i].status == status)
			return i;
	fatal("edge: an answer with status %" PRIu32 ", which no table names", status);
}

/* ---- metrics ---------------------------------------------------------------------------------------------------------------- */

static const char *route_label(const struct edge *edge, size_t i)
{
	if (i < edge->routes_n)
		return edge->config.routes[i].pattern;
	return i == edge->routes_n ? "pages" : "other";
}

void edge_http_begin(struct edge *edge)
{
	while (edge->config.routes != NULL && edge->config.routes[edge->routes_n].pattern != NULL)
		if (++edge->routes_n > EDGE_ROUTES_MAX)
			fatal("edge: more than %d routes", EDGE_ROUTES_MAX);
	for (size_t i = 0; i < edge->routes_n + 2; i++) {
		char labels[256];
		(void)snprintf(labels, sizeof(labels), "route=\"%s\"", route_label(edge, i));
		edge->metrics[i].latency = metric_histogram_us("carillon_http_request_us", labels,
			"From the header of a request to its answer");
	}
}

static void count(struct edge_request *request, uint32_t status)
{
	struct edge *edge = request->edge;
	struct edge_route_metrics *metrics = &edge->metrics[request->metrics];
	size_t i = status_index(status);
	if (metrics->status[i] == NULL) {
		char labels[256];
		(void)snprintf(labels, sizeof(labels), "route=\"%s\",status=\"%" PRIu32 "\"",
			route_label(edge, request->metrics), status);
		metrics->status[i] = metric_counter(
			"carillon_http_requests_total", labels, "Requests answered");
	}
	metric_add(metrics->status[i], 1);
	edge->now_us = clock_mono_us();
	metric_observe_us(metrics->latency, edge->now_us - request->began_us);
}

/* ---- answers ---------------------------------------------------------------------------------------------------------------- */

void edge_answer_header(struct edge_request *request, const char *name, const char *value)
{
	size_t room = sizeof(request->more) - request->more_length;
	int n = snprintf(
		request->more + request->more_length, room, "%s: %s\r\n", name, value);
	if (n > 0 && (size_t)n < room)
		request->more_length += (size_t)n;
	else
		request->more[request->more_length] = '\0';
}

static const char *date_now(struct edge *edge)
{
	uint64_t now_s = clock_wall_us() / 1000000;
	if (now_s != edge->date_s) {
		time_t t = (time_t)now_s;
		struct tm tm;
		(void)gmtime_r(&t, &tm);
		(void)strftime(edge->date, sizeof(edge->date), "%a, %d %b %Y %H:%M:%S GMT", &tm);
		edge->date_s = now_s;
	}
	return edge->date;
}

static uint8_t *out_room(struct edge *edge, size_t need)
{
	if (edge->out_room < need) {
		free(edge->out);
		edge->out_room = need * 2;
		edge->out = malloc(edge->out_room);
		if (edge->out == NULL)
			fatal("edge: out of memory");
	}
	return edge->out + LWS_PRE;
}

static size_t header_write(struct edge_request *request, char *out, uint32_t status,
	const char *content_type, size_t length, bool endless)
{
	struct edge *edge = request->edge;
	char etag[sizeof(request->etag) + 16] = "";
	char size[48] = "";
	char parent[17];
	for (size_t i = 0; i < 8; i++)
		(void)snprintf(parent + 2 * i, 3, "%02x", request->trace[16 + i]);
	if (request->etag[0] != '\0')
		(void)snprintf(etag, sizeof(etag), "ETag: %s\r\n", request->etag);
	if (!endless && status != 304 && status != 204)
		(void)snprintf(size, sizeof(size), "Content-Length: %zu\r\n", length);
	int n = snprintf(out, HEADER_ROOM,
		"HTTP/1.1 %" PRIu32 " %s\r\nDate: %s\r\nX-Request-Id: %s\r\n%s%s%s%s%s%s%s%s\r\n", status,
		STATUSES[status_index(status)].reason, date_now(edge), request->id,
		content_type != NULL ? "Content-Type: " : "", content_type != NULL ? content_type : "",
		content_type != NULL ? "\r\nX-Content-Type-Options: nosniff\r\n" : "", size, etag,
		etag[0] != '\0' ? "Cache-Control: no-cache\r\n" : "Cache-Control: no-store\r\n",
		request->more_length > 0 ? request->more : "",
		endless || request->close ? "Connection: close\r\n" : "");
	if (n < 0 || n >= HEADER_ROOM)
		fatal("edge: the header of an answer does not fit (%d bytes)", n);
	return (size_t)n;
}

/* Ends the connection when libwebsockets gets round to it, after what was written has left. */
static void close_soon(struct edge_session *session, struct lws *wsi)
{
	session->closing = true;
	(void)lws_callback_on_writable(wsi);
}

void edge_answer(struct edge_request *request, uint32_t status, const char *content_type,
	const void *body, size_t length)
{
	struct edge *edge = request->edge;
	struct lws *wsi = request->wsi;
	struct edge_session *session = request->session;
	if (edge->draining)
		request->close = true;
	bool close = request->close;
	uint8_t *out = out_room(edge, LWS_PRE + HEADER_ROOM + length);
	size_t n = header_write(request, (char *)out, status, content_type, length, false);
	if (!request->head && status != 304 && status != 204 && length > 0) {
		memcpy(out + n, body, length);
		n += length;
	}
	count(request, status);
	if (status >= 500)
		log_debug("%s %s: %" PRIu32 " [%s]", request->method_post ? "POST" : "GET",
			request->path, status, request->id);
	session->request = NULL;
	edge_request_free(request);
	int written = lws_write(wsi, out, n, LWS_WRITE_HTTP);
	(void)lws_rx_flow_control(wsi, 1);
	if (written < 0 || close || lws_http_transaction_completed(wsi) != 0)
		close_soon(session, wsi);
}

void edge_answer_json(
	struct edge_request *request, uint32_t status, const char *json, size_t length)
{
	edge_answer(request, status, "application/json", json, length);
}

/* Appends text as a JSON string; what does not fit is cut. Bytes that are no ASCII go out as they came when they are UTF-8 enough to be read. */
static size_t json_text(char *out, size_t room, const char *text)
{
	size_t n = 0;
	out[n++] = '"';
	for (const unsigned char *c = (const unsigned char *)text; *c != '\0' && n + 9 < room; c++) {
		if (*c == '"' || *c == '\\') {
			out[n++] = '\\';
			out[n++] = (char)*c;
		} else if (*c < 0x20 || *c >= 0x7f) {
			n += (size_t)snprintf(out + n, room - n, "\\u%04x", *c);
		} else {
			out[n++] = (char)*c;
		}
	}
	out[n++] = '"';
	out[n] = '\0';
	return n;
}

void edge_answer_error(struct edge_request *request, uint32_t status, const char *code,
	const char *message, const char *where, const char *found, const char *expected)
{
	const char *const names[] = { "code", "message", "where", "found", "expected" };
	const char *const values[] = { code, message, where, found, expected };
	char json[5 * 600 + 64];
	size_t n = (size_t)snprintf(json, sizeof(json), "{\"error\":{");
	bool first = true;
	for (size_t i = 0; i < 5; i++) {
		if (values[i] == NULL)
			continue;
		n += (size_t)snprintf(json + n, 32, "%s\"%s\":", first ? "" : ",", names[i]);
		n += json_text(json + n, 560, values[i]);
		first = false;
	}
	n += (size_t)snprintf(json + n, 3, "}}");
	edge_answer_json(request, status, json, n);
}

bool edge_answer_etag(struct edge_request *request, const char *etag)
{
	(void)snprintf(request->etag, sizeof(request->etag), "%s", etag);
	const char *known = edge_header(request, EDGE_IF_NONE_MATCH);
	if (known == NULL || (strcmp(known, "*") != 0 && strstr(known, request->etag) == NULL))
		return false;
	edge_answer(request, 304, NULL, NULL, 0);
	return true;
}

struct edge_stream *edge_answer_stream(struct edge_request *request, const char *content_type,
	const struct edge_stream_ops *ops, void *context)
{
	struct edge *edge = request->edge;
	struct edge_session *session = request->session;
	struct edge_stream *stream = calloc(1, sizeof(*stream));
	if (stream == NULL)
		fatal("edge: out of memory");
	stream->wsi = request->wsi;
	stream->session = session;
	stream->ops = ops;
	stream->context = context;
	uint8_t *out = out_room(edge, LWS_PRE + HEADER_ROOM);
	size_t n = header_write(request, (char *)out, 200, content_type, 0, true);
	count(request, 200);
	session->request = NULL;
	session->stream = stream;
	edge_request_free(request);
	if (lws_write(stream->wsi, out, n, LWS_WRITE_HTTP) < 0)
		edge_stream_close(stream);
	return stream;
}

/* ---- requests --------------------------------------------------------------------------------------------------------------- */

static void own_routes(struct edge_request *request)
{
	struct edge *edge = request->edge;
	if (strcmp(request->path, "/healthz") == 0) {
		edge_answer(request, 200, "text/plain", "ok\n", 3);
	} else if (strcmp(request->path, "/readyz") == 0) {
		const char *text = edge->ready ? "ready" : edge->why_not;
		edge_answer(request, edge->ready ? 200 : 503, "text/plain", text, strlen(text));
	} else {
		size_t length;
		char *text = metrics_text(&length);
		edge_answer(request, 200, "text/plain; version=0.0.4", text, length);
		free(text);
	}
}

static bool is_own(const struct edge_request *request)
{
	return !request->method_post &&
		(strcmp(request->path, "/healthz") == 0 || strcmp(request->path, "/readyz") == 0 ||
			strcmp(request->path, "/metrics") == 0);
}

/* The request is whole: to whom? */
static void dispatch(struct edge_request *request)
{
	struct edge *edge = request->edge;
	(void)lws_rx_flow_control(request->wsi, 0);
	lws_set_timeout(request->wsi, NO_PENDING_TIMEOUT, 0);
	if (request->state == REQUEST_REFUSED) {
		edge_answer_error(request, request->refused_status, request->refused_code,
			request->refused_message, NULL, NULL, NULL);
		return;
	}
	request->state = REQUEST_OPEN;
	if (request->route != NULL) {
		request->route->handler(request, edge->config.context);
		return;
	}
	if (is_own(request)) {
		own_routes(request);
		return;
	}
	bool redirect = false;
	const struct edge_page *page =
		request->health_only ? NULL : edge_page_find(edge, request->path, &redirect);
	if (redirect) {
		char target[EDGE_PATH_MAX + 2];
		(void)snprintf(target, sizeof(target), "%s/", request->path);
		edge_answer_header(request, "Location", target);
		edge_answer(request, 301, NULL, NULL, 0);
	} else if (page != NULL) {
		request->metrics = edge->routes_n;
		edge_page_answer(request, page);
	} else {
		edge_answer_error(request, 404, "not_found", "There is nothing at this path.", "path",
			request->path, NULL);
	}
}

static void refuse(
	struct edge_request *request, uint32_t status, const char *code, const char *message)
{
	request->state = REQUEST_REFUSED;
	request->refused_status = status;
	request->refused_code = code;
	request->refused_message = message;
}

enum body_kind { BODY_NONE, BODY_LENGTH, BODY_UNSAFE };

/* How a body is announced. What is not plain digits could be read differently by somebody in between: the connection is then closed. */
static enum body_kind body_announced(struct edge_request *request)
{
	char text[16];
	if (lws_hdr_total_length(request->wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0)
		return BODY_UNSAFE;
	int length = lws_hdr_total_length(request->wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH);
	if (length <= 0)
		return BODY_NONE;
	if (length >= (int)sizeof(text) ||
		lws_hdr_copy(request->wsi, text, sizeof(text), WSI_TOKEN_HTTP_CONTENT_LENGTH) < 0 ||
		strspn(text, "0123456789") != strlen(text))
		return BODY_UNSAFE;
	request->body_expected = (size_t)strtoull(text, NULL, 10);
	return BODY_LENGTH;
}

static bool json_content(const struct edge_request *request)
{
	char type[128];
	if (lws_hdr_total_length(request->wsi, WSI_TOKEN_HTTP_CONTENT_TYPE) >= (int)sizeof(type) ||
		lws_hdr_copy(request->wsi, type, sizeof(type), WSI_TOKEN_HTTP_CONTENT_TYPE) <= 0)
		return false;
	return strncasecmp(type, "application/json", 16) == 0 &&
		(type[16] == '\0' || type[16] == ';' || type[16] == ' ');
}

/* All that can be refused by looking at the header. */
static void header_check(struct edge_request *request, bool method_known, bool readable)
{
	bool path_known = false;
	if (!readable) {
		refuse(request, 431, "header_refused",
			"A header, the path or the query is too long or holds control characters.");
	} else if (!method_known) {
		refuse(request, 405, "method_refused", "Only GET, HEAD and POST are understood.");
		edge_answer_header(request, "Allow", "GET, HEAD, POST");
	} else if (!request->health_only && edge_request_route(request, &path_known)) {
		bool body = request->route->body;
		if (request->body_expected > EDGE_BODY_MAX)
			refuse(request, 413, "too_large", "The body is larger than 16384 bytes.");
		else if (!body && request->body_expected > 0)
			refuse(request, 400, "body_refused", "This request takes no body.");
		else if (body && !json_content(request))
			refuse(request, 415, "content_type", "Content-Type must be application/json.");
	} else if (path_known) {
		refuse(request, 405, "method_refused",
			"This path is there, but not for this method.");
		edge_answer_header(request, "Allow", request->method_post ? "GET, HEAD" : "POST");
	} else if (request->body_expected > 0) {
		refuse(request, 404, "not_found", "There is nothing at this path for this method.");
	} else if (request->method_post) {
		refuse(request, 404, "not_found", "There is nothing at this path.");
	}
}

/* A request whose end cannot be told: answered at once, and the connection ends. */
static int refuse_and_close(struct edge_request *request, uint32_t status, const char *code,
	const char *message)
{
	request->close = true;
	edge_answer_error(request, status, code, message, NULL, NULL, NULL);
	return -1;
}

static int on_request(struct lws *wsi, struct edge_session *session, const char *path, size_t length)
{
	struct edge *edge = lws_context_user(lws_get_context(wsi));
	const struct edge_listener *listener = lws_get_opaque_user_data(wsi);
	if (session->request != NULL || session->stream != NULL)
		return -1;
	struct edge_request *request = edge_request_new(edge);
	request->wsi = wsi;
	request->session = session;
	session->request = request;
	request->metrics = edge->routes_n + 1;
	request->health_only = listener != NULL && listener->health_only;
	request->head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
	request->method_post = lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) > 0;
	bool known = request->head || request->method_post ||
		lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0;
	bool readable = edge_request_read(request, path, length);
	enum body_kind body = body_announced(request);
	if (body == BODY_UNSAFE)
		return refuse_and_close(request, 411, "length_required",
			"A body must be announced by one Content-Length in digits.");
	if (body == BODY_NONE && (request->method_post || !known))
		return refuse_and_close(
			request, 411, "length_required", "Content-Length is missing.");
	if (request->body_expected > DISCARD_MAX)
		return refuse_and_close(
			request, 413, "too_large", "The body is larger than 16384 bytes.");
	header_check(request, known, readable);
	if (request->body_expected == 0 && !request->method_post) {
		dispatch(request);
		return session->closing ? -1 : 0;
	}
	if (request->state == REQUEST_COLLECTING) {
		request->body = malloc(request->body_expected + 1);
		if (request->body == NULL)
			fatal("edge: out of memory");
		request->body[0] = '\0';
	}
	return 0;
}

static int on_body(struct edge_session *session, const void *bytes, size_t length)
{
	struct edge_request *request = session->request;
	if (request == NULL || request->state != REQUEST_COLLECTING || length == 0)
		return 0;
	if (length > request->body_expected - request->body_length)
		return -1;
	memcpy(request->body + request->body_length, bytes, length);
	request->body_length += length;
	request->body[request->body_length] = '\0';
	return 0;
}

static int on_body_end(struct edge_session *session)
{
	struct edge_request *request = session->request;
	/* A handler has it already: libwebsockets says so again when a pipelined request arrives. */
	if (request != NULL && request->state != REQUEST_OPEN)
		dispatch(request);
	return session->closing ? -1 : 0;
}

static void on_gone(struct edge *edge, struct edge_session *session)
{
	if (session->request != NULL) {
		edge_request_free(session->request);
		session->request = NULL;
	}
	if (session->stream != NULL) {
		struct edge_stream *stream = session->stream;
		session->stream = NULL;
		edge_stream_gone(stream);
	}
	if (session->counted) {
		session->counted = false;
		edge->connections--;
	}
}

void edge_http_timers(struct edge *edge)
{
	uint64_t now_us = clock_mono_us();
	for (uint32_t i = 0; i < edge->slots_n; i++) {
		struct edge_request *request = edge->slots[i];
		if (request->wsi == NULL || request->state != REQUEST_OPEN ||
			now_us - request->began_us < UNANSWERED_US)
			continue;
		log_error("nobody answered %s in 30 s [%s]", request->path, request->id);
		edge_answer_error(request, 504, "no_answer", "No answer in time.", NULL, NULL, NULL);
	}
}

void edge_http_end(struct edge *edge)
{
	for (uint32_t i = 0; i < edge->slots_n; i++) {
		free(edge->slots[i]->body);
		free(edge->slots[i]);
	}
	free(edge->slots);
	free(edge->free_slots);
	free(edge->out);
}

/* ---- WebSocket --------------------------------------------------------------------------------------------------------------- */

static bool websocket_wanted(const struct edge *edge, struct lws *wsi)
{
	char path[EDGE_PATH_MAX];
	const struct edge_listener *listener = lws_get_opaque_user_data(wsi);
	return edge->config.websocket != NULL && !edge->draining &&
		!(listener != NULL && listener->health_only) &&
		lws_hdr_copy(wsi, path, sizeof(path), WSI_TOKEN_GET_URI) > 0 &&
		strcmp(path, edge->config.websocket_path) == 0;
}

static int websocket(struct lws *wsi, enum lws_callback_reasons reason,
	struct edge_session *session, void *in, size_t length)
{
	struct edge *edge = lws_context_user(lws_get_context(wsi));
	if (reason == LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION && !websocket_wanted(edge, wsi))
		return -1;
	if (reason == LWS_CALLBACK_ESTABLISHED) {
		memset(session + 1, 0, edge->config.websocket_session_bytes);
		session->websocket = true;
		if (!session->counted) {
			session->counted = true;
			edge->connections++;
		}
	}
	if (edge->config.websocket == NULL ||
		(reason == LWS_CALLBACK_CLOSED && (session == NULL || !session->websocket)))
		return 0;
	edge->now_us = clock_mono_us();
	return edge->config.websocket(
		edge, wsi, reason, session == NULL ? NULL : session + 1, in, length);
}

/* ---- the callback ------------------------------------------------------------------------------------------------------------ */

/* libwebsockets keeps adding reasons: most are no concern of ours. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wswitch-enum"
int edge_http_callback(
	struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
	struct edge_session *session = user;
	struct edge *edge;
	switch (reason) {
	case LWS_CALLBACK_HTTP_BIND_PROTOCOL:
		edge = lws_context_user(lws_get_context(wsi));
		if (session != NULL && !session->counted) {
			session->counted = true;
			edge->connections++;
		}
		return 0;
	case LWS_CALLBACK_HTTP:
		return on_request(wsi, session, in, length);
	case LWS_CALLBACK_HTTP_BODY:
		return on_body(session, in, length);
	case LWS_CALLBACK_HTTP_BODY_COMPLETION:
		return on_body_end(session);
	case LWS_CALLBACK_HTTP_WRITEABLE:
		if (session->closing)
			return -1;
		return session->stream != NULL ? edge_stream_writable(session->stream) : 0;
	case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
		return strcasecmp(in, "websocket") == 0 ? 0 : -1; /* no HTTP/2 by upgrade */
	case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
	case LWS_CALLBACK_ESTABLISHED:
	case LWS_CALLBACK_RECEIVE:
	case LWS_CALLBACK_RECEIVE_PONG:
	case LWS_CALLBACK_SERVER_WRITEABLE:
	case LWS_CALLBACK_TIMER:
	case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
	case LWS_CALLBACK_CLOSED:
		return websocket(wsi, reason, session, in, length);
	case LWS_CALLBACK_WSI_DESTROY:
		if (session != NULL)
			on_gone(lws_context_user(lws_get_context(wsi)), session);
		return 0;
	case LWS_CALLBACK_CLOSED_HTTP:
		on_gone(lws_context_user(lws_get_context(wsi)), session);
		return 0;
	default:
		return 0;
	}
}
#pragma GCC diagnostic pop
