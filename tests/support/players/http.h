/* Many HTTP/1.1 requests at once over epoll: one connection a line, kept alive. A line is one
 * player's: one request at a time.
 *
 * The client is made to cost little beside the servers that it measures: a request is one write,
 * its answer one read, and descriptors are registered once a connection. One thread. */
#ifndef CARILLON_SUPPORT_PLAYERS_HTTP_H
#define CARILLON_SUPPORT_PLAYERS_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http;
struct http_line;

/* status 0: no answer (refused, cut, timed out, malformed), and `error` says which. The body has a
 * NUL behind it and is valid during the call, in which the line may already send again, but must
 * not be freed. */
typedef void http_done(
	void *context, long status, const char *body, size_t length, const char *error);

/* base_url: "http://HOST[:PORT]", resolved here, once. lines_max: so many may be open at a time.
 * NULL, with the reason on stderr: the name cannot be resolved, the scheme is another, or the
 * system lets a process open fewer files (ulimit -n). */
struct http *http_new(const char *base_url, size_t lines_max, long timeout_ms);
void http_free(struct http **http); /* its lines first */

struct http_line *http_line_new(struct http *http, http_done *done, void *context);
void http_line_free(struct http_line **line);
bool http_line_busy(const struct http_line *line);

/* path: "/v1/state?game=bewitched". token, key (Idempotency-Key) and body may be NULL; all are
 * copied. A POST with a body sends JSON. The line is not busy. `done` is called in a later
 * http_turn, never from here.
 *
 * A server may close a connection that it kept just when a request leaves on it. The request is
 * then sent once more, on a new connection: whoever sends a POST gives it a key. */
void http_send(struct http_line *line, const char *method, const char *path, const char *token,
	const char *key, const char *body);

/* Waits at most wait_ms for something to happen, and calls `done` for what has. */
void http_turn(struct http *http, int wait_ms);

#endif
