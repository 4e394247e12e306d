#include "tests/support/players/response.h"

#include <string.h>
#include <strings.h>

static enum response_status fault(struct response *response, const char *what)
{
	response->fault = what;
	return RESPONSE_MALFORMED;
}

/* ---- lines ---- */

static bool is_token(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* Text of a field: no control character but the tab. */
static bool is_text(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

/* The next line, without its CRLF, and the parser behind it. RESPONSE_WHOLE: there is one. */
static enum response_status line_take(
	struct response *response, const char *bytes, size_t n, const char **line_r, size_t *n_r)
{
	const char *line = bytes + response->at;
	const char *end = memchr(line, '\n', n - response->at);
	size_t length = end ? (size_t)(end - line) + 1 : n - response->at;
	if (length > RESPONSE_LINE_MAX || response->head_n + length > RESPONSE_HEAD_MAX)
		return fault(response, "the head is too long");
	if (!end)
		return RESPONSE_MORE;
	if (length < 2 || line[length - 2] != '\r')
		return fault(response, "a line ends without CR");
	*line_r = line;
	*n_r = length - 2;
	response->at += length;
	response->head_n += length;
	return is_text(line, length - 2) ? RESPONSE_WHOLE
					 : fault(response, "a control character in the head");
}

/* "HTTP/1.1 200 OK": the reason may be empty; its blank may be missing. */
static bool status_line(struct response *response, const char *line, size_t n)
{
	if (n < 12 || memcmp(line, "HTTP/1.", 7) != 0 || (line[7] != '0' && line[7] != '1') ||
		line[8] != ' ' || (n > 12 && line[12] != ' '))
		return false;
	response->old = line[7] == '0';
	response->status = 0;
	for (size_t i = 9; i < 12; i++) {
		if (line[i] < '0' || line[i] > '9')
			return false;
		response->status = 10 * response->status + (line[i] - '0');
	}
	return response->status >= 100 && response->status <= 599;
}

static bool same(const char *text, size_t n, const char *word)
{
	return n == strlen(word) && strncasecmp(text, word, n) == 0;
}

/* Is `word` in this list, separated by commas? */
static bool listed(const char *list, size_t n, const char *word)
{
	for (size_t at = 0; at < n;) {
		size_t end = at;
		while (end < n && list[end] != ',')
			end++;
		size_t last = end;
		while (at < last && (list[at] == ' ' || list[at] == '\t'))
			at++;
		while (last > at && (list[last - 1] == ' ' || list[last - 1] == '\t'))
			last--;
		if (same(list + at, last - at, word))
			return true;
		at = end + 1;
	}
	return false;
}

static bool length_read(struct response *response, const char *value, size_t n)
{
	if (response->has_length || n == 0 || n > 18)
		return false;
	response->has_length = true;
	response->left = 0;
	for (size_t i = 0; i < n; i++) {
		if (value[i] < '0' || value[i] > '9')
			return false;
		response->left = 10 * response->left + (uint64_t)(value[i] - '0');
	}
	return true;
}

static const char *field(struct response *response, const char *line, size_t n)
{
	size_t name = 0, at, end = n;
	while (name < n && is_token((unsigned char)line[name]))
		name++;
	if (name == 0 || name == n || line[name] != ':')
		return "a line of the head is no field";
	at = name + 1;
	while (at < end && (line[at] == ' ' || line[at] == '\t'))
		at++;
	while (end > at && (line[end - 1] == ' ' || line[end - 1] == '\t'))
		end--;
	if (same(line, name, "content-length") && !length_read(response, line + at, end - at))
		return "Content-Length is twice there or no number";
	if (same(line, name, "transfer-encoding")) {
		if (response->chunked || !same(line + at, end - at, "chunked"))
			return "Transfer-Encoding is not chunked";
		response->chunked = true;
	}
	if (same(line, name, "connection")) {
		response->close |= listed(line + at, end - at, "close");
		response->kept |= listed(line + at, end - at, "keep-alive");
	}
	return NULL;
}

/* ---- parts ---- */

static enum response_status head_end(struct response *response)
{
	bool none = response->status < 200 || response->status == 204 || response->status == 304;
	response->keep_alive = !response->close && (!response->old || response->kept);
	response->body_at = response->at;
	response->head_n = response->status < 200 ? response->head_n : 0;
	if (response->chunked && (response->has_length || response->old))
		return fault(response, "a length beside chunks, or chunks in HTTP/1.0");
	if (response->status < 200) { /* 100 Continue: the response itself follows */
		size_t at = response->at, head_n = response->head_n;
		*response = (struct response){ .at = at, .head_n = head_n };
	} else if (none || (response->has_length && response->left == 0)) {
		response->part = RESPONSE_END;
	} else if (response->chunked) {
		response->part = RESPONSE_CHUNK_SIZE;
	} else if (response->has_length) {
		response->part = RESPONSE_BODY;
	} else {
		response->part = RESPONSE_REST;
		response->keep_alive = false;
	}
	return RESPONSE_WHOLE;
}

static unsigned digit_of(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10u : 16u;
}

/* Hexadecimal digits, then perhaps an extension, which nobody needs. */
static bool chunk_size(struct response *response, const char *line, size_t n)
{
	size_t i = 0;
	response->left = 0;
	for (; i < n && i < 9 && digit_of((unsigned char)line[i]) < 16; i++)
		response->left = 16 * response->left + digit_of((unsigned char)line[i]);
	if (i == 0 || i == 9 || (i < n && line[i] != ';' && line[i] != ' ' && line[i] != '\t'))
		return false;
	response->part = response->left ? RESPONSE_BODY : RESPONSE_TRAILERS;
	return true;
}

/* A line of the head, of a chunk or of the trailers. */
static enum response_status line_read(struct response *response, const char *line, size_t n)
{
	const char *why = NULL;
	switch (response->part) {
	case RESPONSE_STATUS_LINE:
		response->part = RESPONSE_FIELDS;
		return status_line(response, line, n) ? RESPONSE_WHOLE
						      : fault(response, "no status line");
	case RESPONSE_FIELDS:
		if (n == 0)
			return head_end(response);
		why = field(response, line, n);
		return why ? fault(response, why) : RESPONSE_WHOLE;
	case RESPONSE_CHUNK_SIZE:
		response->head_n = 0; /* each chunk has a line of its own */
		return chunk_size(response, line, n) ? RESPONSE_WHOLE
						     : fault(response, "no size of a chunk");
	case RESPONSE_CHUNK_END:
		response->part = RESPONSE_CHUNK_SIZE;
		return n == 0 ? RESPONSE_WHOLE : fault(response, "a chunk is longer than its size");
	case RESPONSE_TRAILERS:
		response->part = n == 0 ? RESPONSE_END : RESPONSE_TRAILERS;
		return RESPONSE_WHOLE;
	case RESPONSE_BODY:
	case RESPONSE_REST:
	case RESPONSE_END:
		break;
	}
	return fault(response, "no line");
}

/* Adds what has arrived of the body; a chunk is moved to the end of those before it. */
static enum response_status body_read(struct response *response, char *bytes, size_t n)
{
	size_t there = n - response->at;
	size_t take = response->part == RESPONSE_REST || there < response->left
			      ? there
			      : (size_t)response->left;
	if (take > RESPONSE_BODY_MAX - response->body_n ||
		(response->part == RESPONSE_BODY &&
			response->left > RESPONSE_BODY_MAX - response->body_n))
		return fault(response, "the body is too long");
	char *end = bytes + response->body_at + response->body_n;
	if (end != bytes + response->at)
		memmove(end, bytes + response->at, take);
	response->body_n += take;
	response->at += take;
	if (response->part == RESPONSE_REST)
		return RESPONSE_MORE;
	response->left -= take;
	if (response->left)
		return RESPONSE_MORE;
	response->part = response->chunked ? RESPONSE_CHUNK_END : RESPONSE_END;
	return RESPONSE_WHOLE;
}

/* What is missing can come no more. */
static enum response_status at_end(struct response *response)
{
	if (response->part != RESPONSE_REST)
		return fault(response, "the connection ended in the response");
	response->part = RESPONSE_END;
	return RESPONSE_WHOLE;
}

enum response_status response_read(struct response *response, char *bytes, size_t n, bool ended)
{
	while (response->part != RESPONSE_END) {
		enum response_status status;
		const char *line = NULL;
		size_t length = 0;
		if (response->part == RESPONSE_BODY || response->part == RESPONSE_REST) {
			status = body_read(response, bytes, n);
		} else {
			status = line_take(response, bytes, n, &line, &length);
			if (status == RESPONSE_WHOLE)
				status = line_read(response, line, length);
		}
		if (status == RESPONSE_MORE && ended)
			status = at_end(response);
		if (status != RESPONSE_WHOLE)
			return status;
	}
	if (response->at < n || ended)
		response->keep_alive = false;
	return RESPONSE_WHOLE;
}
