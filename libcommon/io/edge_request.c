/* A request as it is read from libwebsockets: everything handlers may ask for is copied here when the headers are complete, because the library
 * may reuse its own copy while the answer is on its way. */
#include "libcommon/io/edge_private.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table of requests: tickets outlive what they name ------------------------------------------------------------------ */

static void table_grow(struct edge *edge)
{
	uint32_t room = edge->slots_room == 0 ? 256 : edge->slots_room * 2;
	edge->slots = realloc(edge->slots, room * sizeof(edge->slots[0]));
	edge->free_slots = realloc(edge->free_slots, room * sizeof(edge->free_slots[0]));
	if (edge->slots == NULL || edge->free_slots == NULL)
		fatal("edge: out of memory");
	edge->slots_room = room;
}

struct edge_request *edge_request_new(struct edge *edge)
{
	struct edge_request *request;
	if (edge->free_n > 0) {
		request = edge->slots[edge->free_slots[--edge->free_n]];
	} else {
		if (edge->slots_n == edge->slots_room)
			table_grow(edge);
		request = calloc(1, sizeof(*request));
		if (request == NULL)
			fatal("edge: out of memory");
		request->slot = edge->slots_n;
		edge->slots[edge->slots_n++] = request;
	}
	uint32_t slot = request->slot;
	uint32_t generation = request->generation + 1;
	memset(request, 0, offsetof(struct edge_request, arena));
	memset(&request->body, 0, sizeof(*request) - offsetof(struct edge_request, body));
	request->slot = slot;
	request->generation = generation == 0 ? 1 : generation;
	request->edge = edge;
	request->arena_used = 1; /* 0 means: none */
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
	request->wsi = NULL;
	edge->free_slots[edge->free_n++] = request->slot;
	edge->open--;
}

uint64_t edge_ticket(struct edge_request *request)
{
	return (uint64_t)request->generation << 32 | (request->slot + 1);
}

struct edge_request *edge_find(struct edge *edge, uint64_t ticket)
{
	uint32_t slot = (uint32_t)ticket - 1;
	if (ticket == 0 || slot >= edge->slots_n)
		return NULL;
	struct edge_request *request = edge->slots[slot];
	if (request->wsi == NULL || request->generation != (uint32_t)(ticket >> 32))
		return NULL;
	return request;
}

/* ---- copying ------------------------------------------------------------------------------------------------------------ */

/* Where a text of `length` bytes may be written in the arena, NUL after it; NULL when it is full. */
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

/* Control characters in a header are never meant well. */
static bool text_clean(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return false;
	return true;
}

static bool known_header(struct edge_request *request, enum lws_token_indexes token,
	enum edge_header header)
{
	int length = lws_hdr_total_length(request->wsi, token);
	if (length <= 0)
		return true;
	char *out = length >= EDGE_HEADER_MAX
		? NULL
		: arena_take(request, (size_t)length, &request->header_at[header]);
	return out != NULL && lws_hdr_copy(request->wsi, out, length + 1, token) >= 0 &&
		text_clean(out, strlen(out));
}

static bool custom_header(
	struct edge_request *request, const char *name, char *out, size_t size, bool *found_r)
{
	int name_length = (int)strlen(name);
	int length = lws_hdr_custom_length(request->wsi, name, name_length);
	*found_r = length > 0;
	if (length <= 0)
		return true;
	if ((size_t)length >= size ||
		lws_hdr_custom_copy(request->wsi, out, (int)size, name, name_length) < 0)
		return false;
	size_t from = strspn(out, " \t");
	size_t end = strlen(out);
	while (end > from && (out[end - 1] == ' ' || out[end - 1] == '\t'))
		end--;
	memmove(out, out + from, end - from);
	out[end - from] = '\0';
	return text_clean(out, end - from);
}

/* "Bearer xyz" becomes "xyz"; another scheme is as good as none. */
static void authorization_strip(struct edge_request *request)
{
	uint16_t at = request->header_at[EDGE_AUTHORIZATION];
	if (at == 0)
		return;
	const char *value = &request->arena[at];
	size_t skip = strncasecmp(value, "Bearer ", 7) == 0 ? 7 : 0;
	while (skip > 0 && value[skip] == ' ')
		skip++;
	request->header_at[EDGE_AUTHORIZATION] = (uint16_t)(skip > 0 ? at + skip : 0);
}

static bool headers_read(struct edge_request *request)
{
	char value[EDGE_HEADER_MAX];
	bool found;
	if (!known_header(request, WSI_TOKEN_HTTP_AUTHORIZATION, EDGE_AUTHORIZATION) ||
		!known_header(request, WSI_TOKEN_HTTP_IF_NONE_MATCH, EDGE_IF_NONE_MATCH) ||
		!known_header(request, WSI_TOKEN_ORIGIN, EDGE_ORIGIN))
		return false;
	authorization_strip(request);
	static const struct {
		const char *name;
		enum edge_header header;
	} customs[] = {
		{ "idempotency-key:", EDGE_IDEMPOTENCY_KEY },
		{ "last-event-id:", EDGE_LAST_EVENT_ID },
	};
	for (size_t i = 0; i < sizeof(customs) / sizeof(customs[0]); i++) {
		if (!custom_header(request, customs[i].name, value, sizeof(value), &found))
			return false;
		if (!found)
			continue;
		size_t length = strlen(value);
		char *out = arena_take(request, length, &request->header_at[customs[i].header]);
		if (out == NULL)
			return false;
		memcpy(out, value, length);
	}
	return true;
}

/* ---- trace and request id --------------------------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool hex_read(const char *text, uint8_t *out, size_t n)
{
	uint8_t any = 0;
	for (size_t i = 0; i < n; i++) {
		int high = hex_digit(text[2 * i]);
		int low = high < 0 ? -1 : hex_digit(text[2 * i + 1]);
		if (low < 0)
			return false;
		out[i] = (uint8_t)(high << 4 | low);
		any |= out[i];
	}
	return any != 0;
}

static void hex_write(const uint8_t *bytes, size_t n, char *out)
{
	for (size_t i = 0; i < n; i++) {
		out[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		out[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
	out[2 * n] = '\0';
}

/* "00-<32 hex>-<16 hex>-<2 hex>"; a sender's parent is replaced by an id of ours, the trace goes on. */
static void trace_read(struct edge_request *request)
{
	char text[128];
	bool found;
	uint8_t parent[8];
	uint8_t *trace = request->trace;
	uint64_t random[3] = { edge_random(request->edge), edge_random(request->edge),
		edge_random(request->edge) };
	bool taken = custom_header(request, "traceparent:", text, sizeof(text), &found) && found &&
		strlen(text) >= 55 && strncmp(text, "00-", 3) == 0 && text[35] == '-' &&
		text[52] == '-' && hex_read(text + 3, trace, 16) && hex_read(text + 36, parent, 8);
	if (!taken)
		memcpy(trace, random, 16);
	memcpy(trace + 16, &random[2], 8);
	trace[24] = taken && hex_digit(text[54]) >= 0 ? (uint8_t)(hex_digit(text[54]) & 1) : 0;
}

static void id_read(struct edge_request *request)
{
	char text[EDGE_REQUEST_ID_MAX];
	bool found;
	bool sane = custom_header(request, "x-request-id:", text, sizeof(text), &found) && found;
	for (size_t i = 0; sane && text[i] != '\0'; i++)
		sane = strchr("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-",
			       text[i]) != NULL;
	if (sane && text[0] != '\0')
		memcpy(request->id, text, strlen(text) + 1);
	else
		hex_write(request->trace, 16, request->id);
}

/* ---- path, query ------------------------------------------------------------------------------------------------------------ */

static bool query_read(struct edge_request *request)
{
	int total = lws_hdr_total_length(request->wsi, WSI_TOKEN_HTTP_URI_ARGS);
	if (total <= 0)
		return true;
	if (total >= EDGE_PATH_MAX)
		return false;
	request->query_at = request->arena_used;
	char one[EDGE_PATH_MAX];
	for (int i = 0;; i++) {
		int length = lws_hdr_copy_fragment(
			request->wsi, one, sizeof(one), WSI_TOKEN_HTTP_URI_ARGS, i);
		if (length < 0)
			break;
		if (length == 0)
			continue;
		uint16_t at;
		char *out = arena_take(request, (size_t)length, &at);
		if (out == NULL || !text_clean(one, (size_t)length))
			return false;
		memcpy(out, one, (size_t)length);
	}
	request->query_end = request->arena_used;
	return true;
}

bool edge_request_read(struct edge_request *request, const char *path, size_t path_length)
{
	trace_read(request);
	id_read(request);
	if (path_length >= sizeof(request->path) || !text_clean(path, path_length))
		return false;
	memcpy(request->path, path, path_length);
	request->path[path_length] = '\0';
	return query_read(request) && headers_read(request);
}

/* ---- routes --------------------------------------------------------------------------------------------------------------- */

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

bool edge_request_route(struct edge_request *request, bool *path_known_r)
{
	const struct edge *edge = request->edge;
	enum edge_method method = request->method_post ? EDGE_POST : EDGE_GET;
	*path_known_r = false;
	for (size_t i = 0; i < edge->routes_n; i++) {
		const struct edge_route *route = &edge->config.routes[i];
		if (!pattern_fits(request, route->pattern))
			continue;
		*path_known_r = true;
		request->metrics = i;
		if (route->method != method)
			continue;
		request->route = route;
		return true;
	}
	return false;
}

/* ---- what handlers ask ------------------------------------------------------------------------------------------------------ */

const char *edge_path(const struct edge_request *request)
{
	return request->path;
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

const char *edge_query(
	const struct edge_request *request, const char *name, char *out, size_t size)
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
		/* Found out only when asked for: it is a system call. */
		struct edge_request *mine = request->edge->slots[request->slot];
		(void)lws_get_peer_simple(request->wsi, mine->peer, sizeof(mine->peer));
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

const char *edge_route_pattern(const struct edge_request *request)
{
	return request->route == NULL ? "" : request->route->pattern;
}
