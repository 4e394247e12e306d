/* HTTP of the edge: from the head of a request to its handler, and the answer back. An answer is
 * written at once, in one piece with its header. Bytes that the socket does not take are kept and
 * sent later. */
#include "libcommon/edge/private/server.h"

#include "libcommon/edge/ws_frame.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define UNANSWERED_US (30 * UINT64_C(1000000))
#define DISCARD_MAX                                                                                \
	(1 << 20) /* a body that is too large is read to its end up to this, so that the           \
			 client hears why */
#define HEADER_ROOM 2560
#define TEXT_ROOM 560 /* of a text in an error */
#define BAD_PER_S 10  /* lines about bad requests */

static const struct {
	uint32_t status;
	const char *reason;
} STATUSES[EDGE_STATUSES_MAX] = {
	{ 200, "OK" },
	{ 201, "Created" },
	{ 202, "Accepted" },
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
	{ 101, "Switching Protocols" },
	{ 426, "Upgrade Required" },
	{ 421, "Misdirected Request" },
};

static size_t status_index(uint32_t status)
{
	for (size_t i = 0; i < EDGE_STATUSES_MAX; i++)
		if (STATUSES[i].status == status)
			return i;
	fatal("edge: answer: found status %" PRIu32 ", expected one in the table of statuses",
		status);
}

const char *edge_status_title(uint32_t status)
{
	return STATUSES[status_index(status)].reason;
}

/* ---- metrics ---- */

static const char *route_label(const struct edge *edge, size_t i)
{
	if (i < edge->routes_n)
		return edge->config.routes[i].pattern;
	if (i == edge->routes_n + 2)
		return edge->config.websocket_path;
	return i == edge->routes_n ? "pages" : "other";
}

void edge_http_begin(struct edge *edge)
{
	const struct edge_route *routes = edge->config.routes;
	edge->routes_n = 0;
	while (routes != NULL && routes[edge->routes_n].pattern != NULL)
		if (++edge->routes_n > EDGE_ROUTES_MAX)
			fatal("edge: more than %d routes", EDGE_ROUTES_MAX);
	size_t all = edge->routes_n + (edge->config.websocket_path != NULL ? 3 : 2);
	for (size_t i = 0; i < all; i++) {
		char labels[256];
		(void)snprintf(labels, sizeof(labels), "route=\"%s\"", route_label(edge, i));
		edge->metrics[i].latency = metric_histogram_us("carillon_http_request_us", labels,
			"Time from the header of a request to its answer");
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
		metrics->status[i] =
			metric_counter("carillon_http_requests_total", labels, "Requests answered");
	}
	metric_add(metrics->status[i], 1);
	edge->now_us = clock_mono_us();
	metric_observe_us(metrics->latency, edge->now_us - request->began_us);
}

/* ---- answers ---- */

void edge_answer_header(struct edge_request *request, const char *name, const char *value)
{
	size_t room = sizeof(request->more) - request->more_length;
	int n = snprintf(request->more + request->more_length, room, "%s: %s\r\n", name, value);
	if (n > 0 && (size_t)n < room) {
		request->more_length += (size_t)n;
		return;
	}
	request->more[request->more_length] = '\0';
	request->header_lost = true;
	log_error_as("edge.header.lost",
		"the header %s of an answer to %s does not fit: found %d bytes, expected less "
		"than %zu [%s]",
		name, request->path, n, room, request->id);
}

/* Forgets what was set for an answer that is not sent. */
static void headers_forget(struct edge_request *request)
{
	request->header_lost = request->lasts = false;
	request->more[request->more_length = 0] = '\0';
	request->etag[0] = '\0';
}

static void answer_lost(struct edge_request *request)
{
	headers_forget(request);
	edge_answer_error(request, 500, "header_lost",
		"The server could not send its answer: one of the headers was too long.", NULL,
		NULL, NULL);
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
	return edge->out;
}

static size_t header_write(struct edge_request *request, char *out, uint32_t status,
	const char *content_type, size_t length, bool endless)
{
	struct edge *edge = request->edge;
	char etag[sizeof(request->etag) + 16] = "";
	char size[48] = "";
	if (request->etag[0] != '\0')
		(void)snprintf(etag, sizeof(etag), "ETag: %s\r\n", request->etag);
	if (!endless && status != 304 && status != 204)
		(void)snprintf(size, sizeof(size), "Content-Length: %zu\r\n", length);
	int n = snprintf(out, HEADER_ROOM,
		"HTTP/1.1 %" PRIu32 " %s\r\nDate: %s\r\nX-Request-Id: %s\r\n"
		"X-Content-Type-Options: nosniff\r\n%s%s%s%s%s%s%s%s\r\n",
		status, STATUSES[status_index(status)].reason, date_now(edge), request->id,
		content_type != NULL ? "Content-Type: " : "",
		content_type != NULL ? content_type : "", content_type != NULL ? "\r\n" : "", size,
		etag,
		request->lasts ? "Cache-Control: public, max-age=31536000, immutable\r\n"
		: etag[0] != '\0' && !request->unkept ? "Cache-Control: no-cache\r\n"
						      : "Cache-Control: no-store\r\n",
		request->more_length > 0 ? request->more : "",
		endless || request->close ? "Connection: close\r\n" : "");
	if (n < 0 || n >= HEADER_ROOM)
		fatal("edge: the header of an answer has %d bytes, expected fewer than %d", n,
			(int)HEADER_ROOM);
	return (size_t)n;
}

void edge_answer(struct edge_request *request, uint32_t status, const char *content_type,
	const void *body, size_t length)
{
	struct edge *edge = request->edge;
	struct edge_connection *connection = request->connection;
	if (request->header_lost) {
		answer_lost(request);
		return;
	}
	if (edge->draining || connection->ended)
		request->close = true;
	bool close = request->close;
	uint8_t *out = out_room(edge, HEADER_ROOM + length);
	size_t n = header_write(request, (char *)out, status, content_type, length, false);
	if (!request->head && status != 304 && status != 204 && length > 0) {
		memcpy(out + n, body, length);
		n += length;
	}
	count(request, status);
	if (status >= 500)
		log_debug("%s %s: %" PRIu32 " [%s]", request->method_post ? "POST" : "GET",
			request->path, status, request->id);
	connection->request = NULL;
	edge_request_free(request);
	edge_connection_write(connection, out, n);
	if (close)
		edge_connection_finish(connection);
	else
		edge_connection_advance(connection);
}

void edge_answer_json(
	struct edge_request *request, uint32_t status, const char *json, size_t length)
{
	/* A browser that is led to a route saves the answer under this name and shows none of it,
	 * whatever the answer repeats of the request. */
	if (request->route != NULL)
		edge_answer_header(
			request, "Content-Disposition", "attachment; filename=\"api.json\"");
	edge_answer(request, status, status < 400 ? "application/json" : "application/problem+json",
		json, length);
}

/* Appends text as a JSON string, cut when it does not fit. A byte that is not printable ASCII
 * becomes \u00XX. */
static size_t json_text(char *out, size_t room, const char *text)
{
	size_t n = 0;
	out[n++] = '"';
	for (const unsigned char *c = (const unsigned char *)text; *c != '\0' && n + 9 < room;
		c++) {
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

/* The members that are not NULL: "name":"value", separated by commas. */
static size_t members(
	char *out, const char *const *names, const char *const *values, size_t n_values)
{
	size_t n = 0;
	for (size_t i = 0; i < n_values; i++) {
		if (values[i] == NULL)
			continue;
		n += (size_t)snprintf(out + n, 32, "%s\"%s\":", n > 0 ? "," : "", names[i]);
		n += json_text(out + n, TEXT_ROOM, values[i]);
	}
	return n;
}

/* What no client in order sends. A flood of it must not fill the disk. */
static void bad_log(struct edge_request *request, uint32_t status, const char *code)
{
	struct edge *edge = request->edge;
	uint64_t now_s = edge->now_us / 1000000;

	if (status != 400 && status != 405 && status != 411 && (status < 413 || status > 415) &&
		status != 421 && status != 426 && status != 431)
		return;
	if (edge->bad_s != now_s && edge->bad > BAD_PER_S)
		log_info("bad requests: %" PRIu32 " more within a second", edge->bad - BAD_PER_S);
	if (edge->bad_s != now_s)
		edge->bad = 0;
	edge->bad_s = now_s;
	if (edge->bad++ < BAD_PER_S)
		log_info("bad request: %s from %s: %" PRIu32 " %s [%s]",
			request->route != NULL	   ? request->route->pattern
			: request->path[0] != '\0' ? request->path
						   : "-",
			edge_peer(request), status, code, request->id);
}

void edge_answer_error(struct edge_request *request, uint32_t status, const char *code,
	const char *message, const char *where, const char *found, const char *expected)
{
	const char *const names[] = { "code", "message", "where", "found", "expected" };
	const char *const values[] = { code, message, where, found, expected };
	char json[6 * (TEXT_ROOM + 40) + 256];
	bad_log(request, status, code);
	size_t n = (size_t)snprintf(json, 256,
		"{\"type\":\"" EDGE_PROBLEM_TYPE "%.64s\",\"title\":\"%s\",\"status\":%" PRIu32
		",\"detail\":",
		code, edge_status_title(status), status);
	n += json_text(json + n, TEXT_ROOM, message);
	n += (size_t)snprintf(json + n, 16, ",\"error\":{");
	n += members(json + n, names, values, 5);
	n += (size_t)snprintf(json + n, 3, "}}");
	edge_answer_json(request, status, json, n);
}

void edge_answer_unkept(struct edge_request *request)
{
	request->unkept = true;
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

/* ---- answers without an end ---- */

static struct edge_stream *stream_begin(struct edge_request *request, uint32_t status,
	const uint8_t *head, size_t length, const struct edge_stream_ops *ops, void *context)
{
	struct edge_connection *connection = request->connection;
	struct edge_stream *stream = calloc(1, sizeof(*stream));
	if (stream == NULL)
		fatal("edge: out of memory");
	stream->connection = connection;
	stream->ops = ops;
	stream->context = context;
	count(request, status);
	connection->request = NULL;
	connection->stream = stream;
	connection->deadline_us = 0;
	edge_request_free(request);
	edge_connection_write(connection, head, length);
	return stream;
}

struct edge_stream *edge_answer_stream(struct edge_request *request, const char *content_type,
	const struct edge_stream_ops *ops, void *context)
{
	uint8_t *out = out_room(request->edge, HEADER_ROOM);
	bool lost = request->header_lost;
	uint32_t status = lost ? 500 : 200;
	if (lost)
		headers_forget(request);
	size_t n = header_write(request, (char *)out, status, content_type, 0, true);
	struct edge_stream *stream = stream_begin(request, status, out, n, ops, context);
	if (lost)
		edge_stream_close(stream);
	return stream;
}

struct edge_stream *edge_answer_websocket(
	struct edge_request *request, const struct edge_websocket_ops *ops, void *context)
{
	bool deflates = request->deflates;
	char *out = (char *)out_room(request->edge, HEADER_ROOM);
	int n = snprintf(out, HEADER_ROOM,
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
		"Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n%s\r\n",
		request->accept,
		deflates ? "Sec-WebSocket-Extensions: " WS_DEFLATE_ANSWER "\r\n" : "");
	struct edge_stream *stream =
		stream_begin(request, 101, (uint8_t *)out, (size_t)n, &ops->stream, context);
	stream->websocket = ops;
	stream->deflates = deflates;
	return stream;
}

void edge_stream_wake(struct edge_stream *stream)
{
	stream->woken = true;
	edge_connection_wake(stream->connection);
}

bool edge_stream_ready(const struct edge_stream *stream)
{
	const struct edge_connection *connection = stream->connection;
	return connection->out_used == 0 && !connection->closing && !connection->finishing;
}

size_t edge_stream_waiting(const struct edge_stream *stream)
{
	return stream->connection->out_used - stream->connection->out_at;
}

bool edge_stream_write(struct edge_stream *stream, const uint8_t *bytes, size_t length)
{
	if (stream->connection->closing || stream->connection->finishing)
		return false;
	edge_connection_write(stream->connection, bytes, length);
	return !stream->connection->closing;
}

void edge_stream_close(struct edge_stream *stream)
{
	edge_connection_finish(stream->connection);
}

/* ---- requests ---- */

static void own_routes(struct edge_request *request)
{
	struct edge *edge = request->edge;
	if (strcmp(request->path, "/healthz") == 0) {
		edge_answer(request, 200, "text/plain; charset=utf-8", "ok\n", 3);
	} else if (strcmp(request->path, "/readyz") == 0) {
		char text[sizeof(edge->why_not) + sizeof(edge->note) + 2];
		(void)snprintf(text, sizeof(text), "%s%s%s", edge->ready ? "ready" : edge->why_not,
			edge->note[0] == '\0' ? "" : "; ", edge->note);
		edge_answer(request, edge->ready ? 200 : 503, "text/plain; charset=utf-8", text,
			strlen(text));
	} else {
		size_t length;
		/* A loop that is stuck answers nothing at all. */
		metric_set(metric_gauge("carillon_healthy", NULL,
				   "1: /healthz is good; 0: the loop is stuck, or has a fault."),
			1);
		metric_set(metric_gauge("carillon_ready", NULL, "1: the instance takes requests."),
			edge->ready);
		char *text = metrics_text(&length);
		edge_answer(request, 200, "text/plain; version=0.0.4; charset=utf-8", text, length);
		free(text);
	}
}

static bool is_own(const struct edge_request *request)
{
	return !request->method_post &&
	       (strcmp(request->path, "/healthz") == 0 || strcmp(request->path, "/readyz") == 0 ||
		       (request->health_only && strcmp(request->path, "/metrics") == 0));
}

/* Finds the handler. */
static void dispatch(struct edge_request *request)
{
	struct edge *edge = request->edge;
	request->connection->deadline_us = 0;
	edge_doors_wait(request->connection, EDGE_WAITS_NOT);
	if (request->state == REQUEST_REFUSED) {
		edge_answer_error(request, request->refused_status, request->refused_code,
			request->refused_message, NULL, NULL, NULL);
		return;
	}
	request->state = REQUEST_OPEN;
	if (request->upgrade) {
		edge->config.websocket(request, edge->config.context);
		return;
	}
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
		edge_answer_error(request, 404, "not_found", "Nothing exists at this path.", "path",
			request->path, NULL);
	}
}

/* The request is complete. What a line of the log says while it is handled is of its trace. */
void edge_http_dispatch(struct edge_request *request)
{
	log_trace(request->trace, sizeof(request->trace));
	dispatch(request);
	log_trace(NULL, 0);
}

void edge_http_refuse(
	struct edge_request *request, uint32_t status, const char *code, const char *message)
{
	request->state = REQUEST_REFUSED;
	request->refused_status = status;
	request->refused_code = code;
	request->refused_message = message;
}

static bool json_content(const struct http_head *head)
{
	const char *type = http_head_field(head, "content-type");
	return type != NULL && strncasecmp(type, "application/json", 16) == 0 &&
	       (type[16] == '\0' || type[16] == ';' || type[16] == ' ');
}

static void refuse_method(struct edge_request *request, const char *methods, const char *message)
{
	edge_http_refuse(request, 405, "method_refused", message);
	edge_answer_header(request, "Allow", methods);
}

/* Refuses the method if the path accepts others. */
static bool path_refuses_method(struct edge_request *request)
{
	const char *methods = edge_request_methods(request);
	if (methods != NULL)
		refuse_method(request, methods, "This path does not accept this method.");
	return methods != NULL;
}

/* All rejections that need only the header. */
static void header_check(struct edge_request *request, const struct http_head *head,
	bool method_known, bool headers_good, bool path_good)
{
	if (strlen(head->path) >= EDGE_PATH_MAX ||
		(head->query != NULL && strlen(head->query) >= EDGE_PATH_MAX)) {
		edge_http_refuse(request, 414, "path_too_long",
			"The path or the query is longer than 511 bytes.");
	} else if (!path_good) {
		edge_http_refuse(request, 400, "path_refused",
			"The path or the query has a control character or a bad % escape.");
	} else if (!headers_good) {
		edge_http_refuse(request, 431, "header_refused",
			"The value of a header is longer than 1023 bytes, or the values do not "
			"fit in 6144 bytes together.");
	} else if (!method_known) {
		if (!path_refuses_method(request))
			refuse_method(request, "GET, HEAD, POST",
				"This server accepts only GET, HEAD and POST.");
	} else if (!request->health_only && edge_request_route(request)) {
		bool body = request->route->body;
		if (request->body_expected > EDGE_BODY_MAX)
			edge_http_refuse(
				request, 413, "too_large", "The body is larger than 16384 bytes.");
		else if (!body && request->body_expected > 0)
			edge_http_refuse(
				request, 400, "body_refused", "This request must not have a body.");
		else if (body && !json_content(head))
			edge_http_refuse(request, 415, "content_type",
				"Content-Type must be application/json.");
	} else if (!is_own(request) && path_refuses_method(request)) {
		return;
	} else if (request->body_expected > 0) {
		edge_http_refuse(
			request, 404, "not_found", "Nothing exists at this path for this method.");
	} else if (request->method_post) {
		edge_http_refuse(request, 404, "not_found", "Nothing exists at this path.");
	}
}

/* Answers at once and ends the connection: the start of the next request is unknown or too far
 * away. */
static bool refuse_and_close(
	struct edge_request *request, uint32_t status, const char *code, const char *message)
{
	request->close = true;
	edge_answer_error(request, status, code, message, NULL, NULL, NULL);
	return false;
}

/* The client waits before it sends the content: the answer is 100, or the refusal at once (RFC
 * 9110, 10.1.1). False: the connection ends. */
static bool expected_continue(struct edge_request *request)
{
	static const char GO_ON[] = "HTTP/1.1 100 Continue\r\n\r\n";

	if (request->state == REQUEST_REFUSED) {
		request->close = true; /* the content may come, or not */
		edge_http_dispatch(request);
		return false;
	}
	edge_connection_write(request->connection, (const uint8_t *)GO_ON, sizeof(GO_ON) - 1);
	return true;
}

static bool expects_continue(const struct http_head *head)
{
	const char *expects = http_head_field(head, "expect");
	return head->newer && expects != NULL && strcasecmp(expects, "100-continue") == 0;
}

bool edge_http_request(struct edge_connection *connection, const struct http_head *head)
{
	struct edge_request *request = edge_request_new(connection);
	connection->request = request;
	request->metrics = request->edge->routes_n + 1;
	request->health_only = connection->listener->health_only;
	request->close = !head->keep_alive;
	request->head = strcmp(head->method, "HEAD") == 0;
	request->method_post = strcmp(head->method, "POST") == 0;
	bool known = request->head || request->method_post || strcmp(head->method, "GET") == 0;
	/* The path and the query take their room first: without a long cookie the request is
	 * served. */
	bool path_good = edge_request_path(request, head);
	bool headers_good = edge_request_read(request, head);
	if (!request->health_only && !edge_doors_request(request, head))
		return false;
	if (request->method_post && !head->has_length)
		return refuse_and_close(
			request, 411, "length_required", "Content-Length is missing.");
	if (edge_websocket_wanted(request) && headers_good && path_good &&
		head->content_length == 0) {
		edge_websocket_request(request, head);
		return true;
	}
	if (head->upgrade && http_head_field(head, "upgrade") != NULL)
		return refuse_and_close(request, 400, "upgrade_refused",
			"This server cannot switch this connection to another protocol.");
	if (head->content_length > DISCARD_MAX)
		return refuse_and_close(
			request, 413, "too_large", "The body is larger than 16384 bytes.");
	request->body_expected = (size_t)head->content_length;
	if (request->state != REQUEST_REFUSED)
		header_check(request, head, known, headers_good, path_good);
	if (request->state == REQUEST_COLLECTING && request->body_expected > 0) {
		request->body = malloc(request->body_expected + 1);
		if (request->body == NULL)
			fatal("edge: out of memory");
	}
	return request->body_expected == 0 || !expects_continue(head) || expected_continue(request);
}

void edge_http_malformed(struct edge_connection *connection, enum http_head_status status)
{
	struct edge_request *request = edge_request_new(connection);
	struct http_head nothing = { .path = (char[]){ "/" } };
	connection->request = request;
	request->metrics = request->edge->routes_n + 1;
	request->health_only = connection->listener->health_only;
	(void)edge_request_read(request, &nothing);
	if (status == HTTP_HEAD_LENGTH)
		(void)refuse_and_close(request, 411, "length_required",
			"A request with a body needs exactly one Content-Length header, in digits.");
	else if (status == HTTP_HEAD_TOO_LARGE)
		(void)refuse_and_close(request, 431, "header_refused",
			"The headers are larger than 8192 bytes in all, or there are more than 64 "
			"of them.");
	else if (status == HTTP_HEAD_HOST)
		(void)refuse_and_close(request, 400, "host_refused",
			"An HTTP/1.1 request needs exactly one Host header.");
	else if (status == HTTP_HEAD_TWICE)
		(void)refuse_and_close(request, 400, "header_refused",
			"One of these headers was sent twice, but may be sent only once: "
			"Authorization, Content-Type, Idempotency-Key, Origin, "
			"Sec-WebSocket-Key, Sec-WebSocket-Version or Upgrade.");
	else if (status == HTTP_HEAD_VERSION)
		(void)refuse_and_close(request, 400, "version_refused",
			"Only HTTP/1.0 and HTTP/1.1 are supported.");
	else
		(void)refuse_and_close(request, 400, "malformed",
			"The bytes that arrived are not a valid "
			"HTTP/1.1 request.");
}

void edge_http_timers(struct edge *edge)
{
	uint64_t now_us = clock_mono_us();
	for (uint32_t i = 0; i < edge->slots_n; i++) {
		struct edge_request *request = edge->slots[i];
		if (request == NULL || request->connection == NULL ||
			request->state != REQUEST_OPEN ||
			now_us - request->began_us < UNANSWERED_US)
			continue;
		log_error_as("edge.request.unanswered", "no handler answered %s within 30 s [%s]",
			request->path, request->id);
		edge_answer_error(request, 504, "no_answer", "The server did not answer in time.",
			NULL, NULL, NULL);
	}
}

void edge_http_end(struct edge *edge)
{
	for (uint32_t i = 0; i < edge->slots_n; i++) {
		if (edge->slots[i] != NULL)
			free(edge->slots[i]->body);
		free(edge->slots[i]);
	}
	free(edge->slots);
	free(edge->free_slots);
	free(edge->out);
	ws_deflate_free(&edge->deflate);
}
