/* Many HTTP requests at once: libcurl's multi interface on epoll, connections kept alive. A line is
 * one player's: one request at a time, so at most one connection a player. */
#ifndef CARILLON_SUPPORT_PLAYERS_HTTP_H
#define CARILLON_SUPPORT_PLAYERS_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http;
struct http_line;

/* status 0: no answer (refused, cut, timed out), and `error` says which. The body has a NUL behind
 * it and is valid during the call, in which the line may already send again. */
typedef void http_done(
	void *context, long status, const char *body, size_t length, const char *error);

struct http *http_new(const char *base_url, size_t lines_max, long timeout_ms);
void http_free(struct http **http);

struct http_line *http_line_new(struct http *http, http_done *done, void *context);
void http_line_free(struct http_line **line);
bool http_line_busy(const struct http_line *line);

/* path: "/v1/state?game=bewitched". token, key (Idempotency-Key) and body may be NULL; all are
 * copied. A POST with a body sends JSON. */
void http_send(struct http_line *line, const char *method, const char *path, const char *token,
	const char *key, const char *body);

/* Waits at most wait_ms for something to happen, and calls `done` for what has. */
void http_turn(struct http *http, int wait_ms);

#endif
