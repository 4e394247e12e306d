/* Parses the head of a request. */
#include "libcommon/edge/http_head.h"

#include <string.h>
#include <strings.h>

#define LENGTH_MAX UINT64_C(1000000000000000000)

/* RFC 9110, tchar: the characters of method and field names. */
static bool is_token(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

/* Finds the end of the head, after the first CR LF CR LF; 0 when it is not there. Rejects a bare LF
 * or NUL before it. */
static enum http_head_status head_end(const char *bytes, size_t length, size_t *end_r)
{
	size_t limit = length < HTTP_HEAD_MAX ? length : HTTP_HEAD_MAX;
	for (size_t i = 0; i < limit; i++) {
		if (bytes[i] == '\0' || (bytes[i] == '\n' && (i == 0 || bytes[i - 1] != '\r')) ||
			(i > 0 && bytes[i - 1] == '\r' && bytes[i] != '\n'))
			return HTTP_HEAD_MALFORMED;
		if (bytes[i] == '\n' && i >= 3 && bytes[i - 2] == '\n') {
			*end_r = i + 1;
			return HTTP_HEAD_OK;
		}
	}
	return length >= HTTP_HEAD_MAX ? HTTP_HEAD_TOO_LARGE : HTTP_HEAD_MORE;
}

/* The length of "http://" or "https://" at the beginning of an absolute-form target, else 0. */
static size_t scheme_length(const char *target)
{
	return strncasecmp(target, "http://", 7) == 0	 ? 7
	       : strncasecmp(target, "https://", 8) == 0 ? 8
							 : 0;
}

/* The host of an absolute-form target and its port, which replace those of the header Host (RFC
 * 9112, 3.2.2). They are moved over the end of the scheme, to make room for the NUL and for the "/"
 * of a target without a path. User information is refused (RFC 9110, 4.2.4). */
static enum http_head_status absolute_form(char *target, size_t scheme, struct http_head *head)
{
	char *host = target + scheme;
	size_t length = strcspn(host, "/?");

	if (length == 0 || memchr(host, '@', length) != NULL || memchr(host, '#', length) != NULL)
		return HTTP_HEAD_MALFORMED;
	head->host = host - 2;
	memmove(head->host, host, length);
	head->host[length] = '\0';
	head->path = host + length;
	if (*head->path != '/')
		*--head->path = '/';
	return HTTP_HEAD_OK;
}

/* Finds all positions in the line before it writes to the line. */
static enum http_head_status request_line(char *line, struct http_head *head)
{
	size_t method = 0;
	while (is_token((unsigned char)line[method]))
		method++;
	char *target = line + method + 1;
	if (strncmp(line, "OPTIONS * ", 10) == 0)
		*target = '/'; /* asterisk-form, about the server as a whole: RFC 9112, 3.2.4 */
	if (method == 0 || line[method] != ' ' || (*target != '/' && scheme_length(target) == 0))
		return HTTP_HEAD_MALFORMED;
	size_t length = 0;
	while ((unsigned char)target[length] > 0x20 && target[length] != 0x7f)
		length++;
	const char *version = target + length + 1;
	if (target[length] != ' ' || strncmp(version, "HTTP/", 5) != 0)
		return HTTP_HEAD_MALFORMED;
	if ((strncmp(version, "HTTP/1.1", 8) != 0 && strncmp(version, "HTTP/1.0", 8) != 0) ||
		version[8] != '\r')
		return HTTP_HEAD_VERSION;
	head->newer = version[7] == '1';
	head->keep_alive = head->newer;
	head->method = line;
	head->path = target;
	line[method] = '\0';
	target[length] = '\0';
	char *question = memchr(target, '?', length);
	if (question != NULL) {
		*question = '\0';
		head->query = question + 1;
	}
	return *target == '/' ? HTTP_HEAD_OK : absolute_form(target, scheme_length(target), head);
}

static enum http_head_status field_line(char *line, struct http_head *head)
{
	size_t name = 0;
	while (is_token((unsigned char)line[name]))
		name++;
	if (name == 0 || line[name] != ':')
		return HTTP_HEAD_MALFORMED;
	if (head->fields_n == HTTP_FIELDS_MAX)
		return HTTP_HEAD_TOO_LARGE;
	char *value = line + name + 1;
	while (*value == ' ' || *value == '\t')
		value++;
	char *end = value;
	for (; *end != '\r'; end++)
		if (((unsigned char)*end < 0x20 && *end != '\t') || *end == 0x7f)
			return HTTP_HEAD_MALFORMED;
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	line[name] = '\0';
	for (size_t i = 0; i < name; i++)
		if (line[i] >= 'A' && line[i] <= 'Z')
			line[i] = (char)(line[i] - 'A' + 'a');
	head->fields[head->fields_n++] = (struct http_field){ line, value };
	return HTTP_HEAD_OK;
}

/* Is word one of the comma-separated words of list? */
static bool list_has(const char *list, const char *word)
{
	size_t length = strlen(word);
	while (*list != '\0') {
		list += strspn(list, " \t,");
		size_t n = strcspn(list, " \t,");
		if (n == length && strncasecmp(list, word, n) == 0)
			return true;
		list += n;
	}
	return false;
}

static enum http_head_status length_read(const char *text, struct http_head *head)
{
	uint64_t value = 0;
	size_t n = 0;
	/* A number with more digits is too large in any case. */
	for (; text[n] >= '0' && text[n] <= '9'; n++)
		value = value >= LENGTH_MAX / 10 ? LENGTH_MAX
						 : value * 10 + (uint64_t)(text[n] - '0');
	if (n == 0 || text[n] != '\0' || (head->has_length && head->content_length != value))
		return HTTP_HEAD_LENGTH;
	head->has_length = true;
	head->content_length = value;
	return HTTP_HEAD_OK;
}

/* Headers of which two would leave it to the reader which one counts. */
static bool is_single(const char *name)
{
	static const char *const SINGLE[] = { "authorization", "content-type", "idempotency-key",
		"origin", "sec-websocket-key", "sec-websocket-version", "upgrade" };
	for (size_t i = 0; i < sizeof(SINGLE) / sizeof(SINGLE[0]); i++)
		if (strcmp(name, SINGLE[i]) == 0)
			return true;
	return false;
}

static enum http_head_status fields_single(struct http_head *head)
{
	size_t hosts = 0;
	for (size_t i = 0; i < head->fields_n; i++) {
		const char *name = head->fields[i].name;
		if (strcmp(name, "host") == 0) {
			hosts++;
			if (head->host != NULL)
				head->fields[i].value = head->host;
		} else if (is_single(name) && http_head_field(head, name) != head->fields[i].value)
			return HTTP_HEAD_TWICE;
	}
	/* RFC 9112, 3.2 */
	return hosts > 1 || (hosts == 0 && head->newer) ? HTTP_HEAD_HOST : HTTP_HEAD_OK;
}

static enum http_head_status fields_mean(struct http_head *head)
{
	for (size_t i = 0; i < head->fields_n; i++) {
		const struct http_field *field = &head->fields[i];
		enum http_head_status status = HTTP_HEAD_OK;
		if (strcmp(field->name, "content-length") == 0) {
			status = length_read(field->value, head);
		} else if (strcmp(field->name, "transfer-encoding") == 0) {
			status = HTTP_HEAD_LENGTH;
		} else if (strcmp(field->name, "connection") == 0) {
			if (list_has(field->value, "close"))
				head->keep_alive = false;
			else if (list_has(field->value, "keep-alive"))
				head->keep_alive = true;
			head->upgrade = head->upgrade || list_has(field->value, "upgrade");
		}
		if (status != HTTP_HEAD_OK)
			return status;
	}
	return fields_single(head);
}

enum http_head_status http_head_parse(
	char *bytes, size_t length, struct http_head *head_r, size_t *used_r)
{
	size_t end = 0;
	enum http_head_status status = head_end(bytes, length, &end);
	if (status != HTTP_HEAD_OK)
		return status;
	head_r->query = NULL;
	head_r->host = NULL;
	head_r->upgrade = false;
	head_r->has_length = false;
	head_r->content_length = 0;
	head_r->fields_n = 0;
	*used_r = end;
	char *line = bytes;
	char *next = (char *)memchr(line, '\n', end) + 1;
	status = request_line(line, head_r);
	while (status == HTTP_HEAD_OK && next[0] != '\r') {
		line = next;
		next = (char *)memchr(line, '\n', (size_t)(bytes + end - line)) + 1;
		status = field_line(line, head_r);
	}
	return status != HTTP_HEAD_OK ? status : fields_mean(head_r);
}

const char *http_head_field(const struct http_head *head, const char *name)
{
	for (size_t i = 0; i < head->fields_n; i++)
		if (strcmp(head->fields[i].name, name) == 0)
			return head->fields[i].value;
	return NULL;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The q of the parameters of a row is 0: ";q=0", ";q=0.000". */
static bool is_zero(const char *text, size_t n)
{
	for (size_t i = 0; i + 2 < n; i++)
		if (text[i] == ';') {
			size_t at = i + 1;
			while (at < n && (text[at] == ' ' || text[at] == '\t'))
				at++;
			if (at + 2 < n && (text[at] == 'q' || text[at] == 'Q') &&
				text[at + 1] == '=')
				return strspn(text + at + 2, "0.") >= n - at - 2;
		}
	return false;
}

bool http_accepts(const char *list, const char *coding)
{
	bool any = false;
	while (*list != '\0') {
		list += strspn(list, ", \t");
		size_t n = strcspn(list, ",");
		while (n > 0 && (list[n - 1] == ' ' || list[n - 1] == '\t'))
			n--;
		size_t name = strcspn(list, ",; \t");
		bool allowed = !is_zero(list, n);
		if (name == strlen(coding) && strncasecmp(list, coding, name) == 0)
			return allowed;
		if (name == 1 && list[0] == '*')
			any = allowed;
		list += strcspn(list, ",");
	}
	return any;
}

bool http_decode(char *text, bool plus)
{
	char *out = text;
	for (; *text != '\0'; text++) {
		char c = *text;
		if (c == '%') {
			int high = digit(text[1]);
			int low = high < 0 ? -1 : digit(text[2]);
			if (low < 0)
				return false;
			c = (char)(high << 4 | low);
			text += 2;
		} else if (c == '+' && plus) {
			c = ' ';
		}
		if ((unsigned char)c < 0x20 || c == 0x7f)
			return false;
		*out++ = c;
	}
	*out = '\0';
	return true;
}
