/* Parser of an HTTP/1.x response, as it grows in a buffer: status line, header fields, and a body
 * by Content-Length, in chunks (RFC 9112), or up to the end of the connection. Pure: no allocation,
 * no copies; chunks are moved together in place.
 *
 * It is strict: a load client that is content with a malformed answer hides a server's fault. It
 * rejects a bare LF, folded lines, two lengths, a length beside chunks, and any coding but chunked.
 */
#ifndef CARILLON_SUPPORT_PLAYERS_RESPONSE_H
#define CARILLON_SUPPORT_PLAYERS_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESPONSE_LINE_MAX 8192u		     /* bytes of one line of the head */
#define RESPONSE_HEAD_MAX 16384u	     /* of all of them, and of all trailers */
#define RESPONSE_BODY_MAX ((size_t)64 << 20) /* bytes */

enum response_status {
	RESPONSE_MORE,	/* not all of it has arrived */
	RESPONSE_WHOLE, /* status, body_at, body_n and keep_alive are set */
	RESPONSE_MALFORMED,
};

enum response_part {
	RESPONSE_STATUS_LINE,
	RESPONSE_FIELDS,
	RESPONSE_BODY, /* of a known length, or what is left of one chunk */
	RESPONSE_CHUNK_SIZE,
	RESPONSE_CHUNK_END,
	RESPONSE_TRAILERS,
	RESPONSE_REST, /* up to the end of the connection */
	RESPONSE_END,
};

/* A parser between two calls. All zero: at the beginning of a response. */
struct response {
	int status;	   /* 200 to 599 once the head was read */
	bool keep_alive;   /* the server leaves the connection open */
	size_t body_at;	   /* in the buffer */
	size_t body_n;	   /* bytes of the body so far */
	const char *fault; /* RESPONSE_MALFORMED: what is wrong, static */
	enum response_part part;
	bool old; /* HTTP/1.0 */
	bool chunked, has_length, close, kept;
	size_t at;     /* bytes of the buffer that were read */
	size_t head_n; /* bytes of lines so far */
	uint64_t left; /* of the body or of the chunk */
};

/* Reads on in `bytes`, which holds all that arrived since the response began; it may have moved
 * since the last call, and what was read of it is the parser's. `ended`: no more will come. Bytes
 * behind a whole response belong to no request: the response is whole, and not keep_alive. */
enum response_status response_read(struct response *response, char *bytes, size_t n, bool ended);

#endif
