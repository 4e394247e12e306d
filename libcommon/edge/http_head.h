/* The head of an HTTP/1.x request: request line and header fields, read strictly (RFC 9112) from a
 * buffer. Pure: no allocation, no copies; the texts found point into the buffer, whose line ends
 * and blanks around values become NUL.
 *
 * Strict, because what two readers understand differently lets one request hide in another: bare
 * LF, blanks before a colon, folded lines, two Content-Lengths, Content-Length beside
 * Transfer-Encoding and control characters are all refused. */
#ifndef CARILLON_EDGE_HTTP_HEAD_H
#define CARILLON_EDGE_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_HEAD_MAX 8192 /* bytes of the head with its empty line */
#define HTTP_FIELDS_MAX 64

enum http_head_status {
	HTTP_HEAD_OK = 0,
	HTTP_HEAD_MORE, /* the empty line has not come yet */
	HTTP_HEAD_MALFORMED,
	HTTP_HEAD_TOO_LARGE, /* longer than HTTP_HEAD_MAX, or too many fields */
	HTTP_HEAD_LENGTH,    /* the length of the body cannot be told safely: chunked, or no plain
				number */
	HTTP_HEAD_VERSION,   /* not HTTP/1.0 or 1.1 */
};

struct http_field {
	char *name;  /* lower case */
	char *value; /* without blanks around it */
};

struct http_head {
	char *method;		 /* "GET" */
	char *path;		 /* before "?", percent-decoding not done; begins with "/" */
	char *query;		 /* after "?", or NULL */
	bool keep_alive;	 /* by version and Connection */
	bool upgrade;		 /* Connection names "upgrade" */
	bool has_length;	 /* Content-Length was sent */
	uint64_t content_length; /* 0 without one */
	size_t fields_n;
	struct http_field fields[HTTP_FIELDS_MAX];
};

/* With HTTP_HEAD_MORE the buffer is as it was: call again with more bytes behind it. With
 * HTTP_HEAD_OK *used_r is the length of the head. With any other answer the connection cannot go
 * on. */
enum http_head_status http_head_parse(
	char *bytes, size_t length, struct http_head *head_r, size_t *used_r);
/* The first field of that name (lower case), NULL when there is none. */
const char *http_head_field(const struct http_head *head, const char *name);
/* Percent-decoding in place. False for a bad escape or a control character; "+" stays "+" unless
 * plus is true. */
bool http_decode(char *text, bool plus);

#endif
