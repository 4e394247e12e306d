/* Parser of the head of an HTTP/1.x request: request line and header fields, read strictly (RFC
 * 9112) from a buffer. Pure: no allocation, no copies. The results point into the buffer; the
 * parser overwrites line ends and blanks around values with NUL.
 *
 * The parser is strict because one request can hide in another when two parsers read the bytes
 * differently. It rejects bare LF, blanks before a colon, folded lines, Content-Lengths that
 * differ, every Transfer-Encoding, and control characters. It also rejects a second Host,
 * Authorization or similar header, because two parsers could use different ones. */
#ifndef CARILLON_EDGE_HTTP_HEAD_H
#define CARILLON_EDGE_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_HEAD_MAX 8192 /* bytes of the head, empty line included */
#define HTTP_FIELDS_MAX 64

enum http_head_status {
	HTTP_HEAD_OK = 0,
	HTTP_HEAD_MORE, /* the empty line has not arrived yet */
	HTTP_HEAD_MALFORMED,
	HTTP_HEAD_TOO_LARGE, /* longer than HTTP_HEAD_MAX, or too many fields */
	HTTP_HEAD_LENGTH,  /* the body's length is uncertain: Transfer-Encoding, or a Content-Length
			      that is not a number or differs from another one */
	HTTP_HEAD_VERSION, /* not HTTP/1.0 or 1.1 */
	HTTP_HEAD_HOST,	   /* no Host in HTTP/1.1, or more than one */
	HTTP_HEAD_TWICE,   /* a header that may come only once, such as Authorization, came twice */
};

struct http_field {
	char *name;  /* lower case */
	char *value; /* without blanks around it */
};

struct http_head {
	char *method;	 /* "GET" */
	char *path;	 /* before "?", not percent-decoded; begins with "/"; of "*": "/" */
	char *query;	 /* after "?", or NULL */
	char *host;	 /* of an absolute-form target, with its port; the header Host has it
			    then too. NULL: the target began with "/" */
	bool keep_alive; /* from the version and Connection */
	bool newer;	 /* HTTP/1.1 */
	bool upgrade;	 /* Connection names "upgrade" */
	bool has_length; /* Content-Length was sent */
	uint64_t content_length; /* 0 without one */
	size_t fields_n;
	struct http_field fields[HTTP_FIELDS_MAX];
};

/* HTTP_HEAD_MORE leaves the buffer unchanged: call again with more bytes appended. With
 * HTTP_HEAD_OK *used_r is the length of the head. After any other status the connection cannot
 * continue. */
enum http_head_status http_head_parse(
	char *bytes, size_t length, struct http_head *head_r, size_t *used_r);
/* The value of the first field of that name (lower case), NULL when there is none. */
const char *http_head_field(const struct http_head *head, const char *name);
/* Does the list of an Accept-Encoding header ("gzip, br;q=0.5, *;q=0") allow this coding? The
 * coding's own item decides. If the list has none, the item "*" decides; if it has neither, the
 * coding is not allowed. q=0 forbids. */
bool http_accepts(const char *list, const char *coding);
/* Percent-decodes in place. False on a bad escape or a control character. "+" becomes a space only
 * when plus is true. */
bool http_decode(char *text, bool plus);

#endif
