/* A request, read from its head. All that handlers may use is copied here, because the connection's
 * buffer moves on before the answer. */
#include "libcommon/edge/private/server.h"

#include "libcommon/edge/trace_parent.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Requests whose memory is kept for the next ones when they have ended. */
#define REQUESTS_KEPT 512

/* ---- the table of requests: tickets outlive what they name ---- */

static void table_grow(struct edge *edge)
{
	uint32_t room = edge->slots_room == 0 ? 256 : edge->slots_room * 2;
	edge->slots = realloc(edge->slots, room * sizeof(struct edge_request *));
	edge->free_slots = realloc(edge->free_slots, room * sizeof(edge->free_slots[0]));
	if (edge->slots == NULL || edge->free_slots == NULL)
		fatal("edge: out of memory");
	edge->slots_room = room;
}

/* A free slot: the one used last, whose request is still in the processor's caches. */
static uint32_t slot_take(struct edge *edge)
{
	if (edge->free_n > 0)
		return edge->free_slots[--edge->free_n];
	if (edge->slots_n == edge->slots_room)
		table_grow(edge);
	edge->slots[edge->slots_n] = NULL;
	return edge->slots_n++;
}

struct edge_request *edge_request_new(struct edge_connection *connection)
{
	struct edge *edge = connection->listener->edge;
	uint32_t slot = slot_take(edge);
	struct edge_request *request = edge->slots[slot];
	if (request == NULL)
		request = edge->slots[slot] = malloc(sizeof(*request));
	if (request == NULL)
		fatal("edge: out of memory");
	memset(request, 0, offsetof(struct edge_request, more));
	request->more[0] = '\0';
	request->slot = slot;
	if (++edge->generation == 0) /* so that no ticket is 0 */
		edge->generation = 1;
	request->generation = edge->generation;
	request->edge = edge;
	request->connection = connection;
	request->client = connection->client;
	request->arena_used = 1; /* 0 means none */
	request->arena[0] = '\0';
	request->began_us = clock_mono_us();
	edge->now_us = request->began_us;
	edge->open++;
	return request;
}

void edge_request_free(struct edge_request *request)
{
	struct edge *edge = request->edge;
	free(request->body);
	request->body = NULL;
	request->connection = NULL;
	edge->free_slots[edge->free_n++] = request->slot;
	edge->open--;
	if (edge->free_n > REQUESTS_KEPT) {
		edge->slots[request->slot] = NULL;
		edge->given_back += sizeof(*request);
		free(request);
	}
}

uint64_t edge_ticket(struct edge_request *request)
{
	return (uint64_t)request->generation << 32 | (request->slot + 1);
}

struct edge_request *edge_find(struct edge *edge, uint64_t ticket)
{
	uint32_t slot = (uint32_t)ticket - 1;
	if (edge == NULL || ticket == 0 || slot >= edge->slots_n)
		return NULL;
	struct edge_request *request = edge->slots[slot];
	if (request == NULL || request->connection == NULL ||
		request->generation != (uint32_t)(ticket >> 32))
		return NULL;
	return request;
}

void edge_again(struct edge_request *request)
{
	log_trace(request->trace, sizeof(request->trace));
	request->route->handler(request, request->edge->config.context);
	log_trace(NULL, 0);
}

/* ---- copying ---- */

/* Reserves `length` bytes and a NUL in the arena; NULL when it is full */
static char *arena_take(struct edge_request *request, size_t length, uint16_t *at_r)
{
	if (length + 1 > (size_t)EDGE_ARENA_BYTES - request->arena_used)
		return NULL;
	*at_r = request->arena_used;
	request->arena_used = (uint16_t)(request->arena_used + length + 1);
	char *out = &request->arena[*at_r];
	out[length] = '\0';
	return out;
}

static bool arena_copy(struct edge_request *request, const char *text, uint16_t *at_r)
{
	size_t length = strlen(text);
	char *out = length >= EDGE_HEADER_MAX ? NULL : arena_take(request, length, at_r);
	if (out != NULL)
		memcpy(out, text, length + 1);
	return out != NULL;
}

/* "Bearer xyz" becomes "xyz". Any other scheme counts as no token. */
static const char *bearer(const char *value)
{
	if (strncasecmp(value, "Bearer ", 7) != 0)
		return NULL;
	return value + 7 + strspn(value + 7, " ");
}

static bool headers_read(struct edge_request *request, const struct http_head *head)
{
	static const struct {
		const char *name;
		enum edge_header header;
	} wanted[] = {
		{ "authorization", EDGE_AUTHORIZATION },
		{ "idempotency-key", EDGE_IDEMPOTENCY_KEY },
		{ "if-none-match", EDGE_IF_NONE_MATCH },
		{ "origin", EDGE_ORIGIN },
		{ "last-event-id", EDGE_LAST_EVENT_ID },
		{ "host", EDGE_HOST },
		{ "accept-encoding", EDGE_ACCEPT_ENCODING },
		{ "cookie", EDGE_COOKIE },
		{ "x-csrf-token", EDGE_CSRF },
		{ "user-agent", EDGE_USER_AGENT },
	};
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const char *value = http_head_field(head, wanted[i].name);
		if (value != NULL && wanted[i].header == EDGE_AUTHORIZATION)
			value = bearer(value);
		/* Without the codings that the client accepts, it gets none; cookies may be those
		 * of others on the same host; what the browser calls itself is only shown. */
		if (value != NULL &&
			!arena_copy(request, value, &request->header_at[wanted[i].header]) &&
			wanted[i].header != EDGE_ACCEPT_ENCODING &&
			wanted[i].header != EDGE_COOKIE && wanted[i].header != EDGE_USER_AGENT)
			return false;
	}
	return true;
}

/* ---- trace and request id ---- */

static void hex_write(const uint8_t *bytes, size_t n, char *out)
{
	for (size_t i = 0; i < n; i++) {
		out[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		out[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
	out[2 * n] = '\0';
}

/* The trace of a valid header continues, with an id of ours in place of the sender's parent id;
 * otherwise a new, unsampled one begins. */
static void trace_read(struct edge_request *request, const char *text)
{
	uint64_t random[3] = { edge_random(request->edge), edge_random(request->edge),
		edge_random(request->edge) };
	if (text == NULL || !trace_parent_read(text, request->trace)) {
		memcpy(request->trace, random, 16);
		request->trace[24] = 0;
	}
	memcpy(request->trace + 16, &random[2], 8);
}

/* NULL: not sent, or more than once, which makes a traceparent invalid. */
static const char *field_once(const struct http_head *head, const char *name)
{
	const char *value = NULL;
	for (size_t i = 0; i < head->fields_n; i++) {
		if (strcmp(head->fields[i].name, name) != 0)
			continue;
		if (value != NULL)
			return NULL;
		value = head->fields[i].value;
	}
	return value;
}

static void id_read(struct edge_request *request, const char *text)
{
	static const char allowed[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-";
	size_t length = text == NULL ? 0 : strspn(text, allowed);
	if (length > 0 && length < sizeof(request->id) && text[length] == '\0')
		memcpy(request->id, text, length + 1);
	else
		hex_write(request->trace, 16, request->id);
}

/* ---- path, query ---- */

/* Decodes names and values separately, so that a decoded "&" or "=" stays data. */
static bool query_read(struct edge_request *request, const char *query)
{
	char one[EDGE_PATH_MAX];
	if (query == NULL)
		return true;
	if (strlen(query) >= EDGE_PATH_MAX)
		return false;
	request->query_at = request->arena_used;
	while (*query != '\0') {
		size_t length = strcspn(query, "&");
		uint16_t at;
		memcpy(one, query, length);
		one[length] = '\0';
		query += length + (query[length] == '&' ? 1 : 0);
		if (length > 0 && (!http_decode(one, true) || !arena_copy(request, one, &at)))
			return false;
	}
	request->query_end = request->arena_used;
	return true;
}

bool edge_request_read(struct edge_request *request, const struct http_head *head)
{
	trace_read(request, field_once(head, "traceparent"));
	id_read(request, http_head_field(head, "x-request-id"));
	if (request->connection->by_proxy)
		request->client = edge_doors_client(request->connection, head);
	return headers_read(request, head);
}

bool edge_request_path(struct edge_request *request, const struct http_head *head)
{
	if (strlen(head->path) >= sizeof(request->path))
		return false;
	memcpy(request->path, head->path, strlen(head->path) + 1);
	return http_decode(request->path, false) && query_read(request, head->query);
}

/* ---- routes ---- */

static bool pattern_fits(struct edge_request *request, const char *pattern)
{
	const char *path = request->path;
	size_t parameters = 0;
	uint16_t used = request->arena_used;
	while (*pattern != '\0') {
		if (pattern[0] != '{') {
			if (*pattern++ != *path++)
				return false;
			continue;
		}
		pattern += 2;
		size_t length = strcspn(path, "/");
		if (length == 0 || parameters == EDGE_PARAMETERS_MAX)
			break;
		char *out = arena_take(request, length, &request->parameter_at[parameters]);
		if (out == NULL)
			break;
		parameters++;
		memcpy(out, path, length);
		path += length;
	}
	if (*pattern == '\0' && *path == '\0')
		return true;
	request->arena_used = used;
	memset(request->parameter_at, 0, sizeof(request->parameter_at));
	return false;
}

bool edge_request_route(struct edge_request *request)
{
	const struct edge *edge = request->edge;
	enum edge_method method = request->method_post ? EDGE_POST : EDGE_GET;
	for (size_t i = 0; i < edge->routes_n; i++) {
		const struct edge_route *route = &edge->config.routes[i];
		if (!pattern_fits(request, route->pattern))
			continue;
		request->metrics = i;
		if (route->method != method)
			continue;
		request->route = route;
		return true;
	}
	return false;
}

const char *edge_request_methods(struct edge_request *request)
{
	const struct edge *edge = request->edge;
	bool get = strcmp(request->path, "/healthz") == 0 || strcmp(request->path, "/readyz") == 0;
	bool post = false;
	for (size_t i = 0; i < edge->routes_n && !request->health_only; i++) {
		const struct edge_route *route = &edge->config.routes[i];
		if (!pattern_fits(request, route->pattern))
			continue;
		request->metrics = i;
		get = get || route->method == EDGE_GET;
		post = post || route->method == EDGE_POST;
	}
	return get && post ? "GET, HEAD, POST" : get ? "GET, HEAD" : post ? "POST" : NULL;
}

/* ---- what handlers ask ---- */

const struct edge_route *edge_route_of(const struct edge_request *request)
{
	return request->route;
}

uint64_t edge_began_us(const struct edge_request *request)
{
	return request->began_us;
}

const char *edge_parameter(const struct edge_request *request, size_t i)
{
	return i < EDGE_PARAMETERS_MAX ? &request->arena[request->parameter_at[i]] : "";
}

static const char *query_at(const struct edge_request *request, size_t i)
{
	if (request->query_at == 0)
		return NULL;
	const char *at = &request->arena[request->query_at];
	const char *end = &request->arena[request->query_end];
	while (at < end && i-- > 0)
		at += strlen(at) + 1;
	return at < end ? at : NULL;
}

const char *edge_query(const struct edge_request *request, const char *name, char *out, size_t size)
{
	size_t name_length = strlen(name);
	const char *one;
	for (size_t i = 0; (one = query_at(request, i)) != NULL; i++) {
		if (strncmp(one, name, name_length) != 0 ||
			(one[name_length] != '=' && one[name_length] != '\0'))
			continue;
		const char *value = one + name_length + (one[name_length] == '=' ? 1 : 0);
		(void)snprintf(out, size, "%s", strlen(value) < size ? value : "");
		return out;
	}
	return NULL;
}

const char *edge_query_name(const struct edge_request *request, size_t i, char *out, size_t size)
{
	const char *one = query_at(request, i);
	out[0] = '\0';
	if (one != NULL) {
		size_t length = strcspn(one, "=");
		(void)snprintf(out, size, "%.*s", (int)(length < size ? length : size - 1), one);
	}
	return out;
}

const char *edge_header(const struct edge_request *request, enum edge_header header)
{
	uint16_t at = request->header_at[header];
	return at == 0 ? NULL : &request->arena[at];
}

const char *edge_body(const struct edge_request *request, size_t *length_r)
{
	*length_r = request->body_length;
	return request->body == NULL ? "" : request->body;
}

const char *edge_peer(const struct edge_request *request)
{
	if (request->peer[0] == '\0') {
		struct edge_request *mine = request->edge->slots[request->slot];
		address_format(&request->client, mine->peer);
	}
	return request->peer;
}

const char *edge_request_id(const struct edge_request *request)
{
	return request->id;
}

const uint8_t *edge_trace(const struct edge_request *request)
{
	return request->trace;
}
