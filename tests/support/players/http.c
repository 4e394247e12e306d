#include "tests/support/players/http.h"

#include "libcommon/io/clock.h"

#include <curl/curl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define EVENTS_MAX 256
#define URL_MAX 1024
#define ANSWER_MAX ((size_t)64 << 20)

struct http {
	CURLM *multi;
	int epoll;
	uint64_t due_us; /* when libcurl wants its timer; 0: never */
	char base_url[URL_MAX];
	long timeout_ms;
};

struct http_line {
	struct http *http;
	CURL *easy;
	http_done *done;
	void *context;
	struct curl_slist *headers;
	char *body; /* of the answer */
	size_t length, room;
	bool busy;
};

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "players: %s failed: out of memory or descriptors\n", what);
	exit(70);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *known)
{
	(void)easy;
	struct http *http = context;
	if (what == CURL_POLL_REMOVE) {
		epoll_ctl(http->epoll, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	struct epoll_event event = { .data.fd = fd };
	if (what != CURL_POLL_OUT)
		event.events |= EPOLLIN;
	if (what != CURL_POLL_IN)
		event.events |= EPOLLOUT;
	if (epoll_ctl(http->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event))
		epoll_ctl(http->epoll, known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
	curl_multi_assign(http->multi, fd, http);
	return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *context)
{
	(void)multi;
	struct http *http = context;
	http->due_us = timeout_ms < 0 ? 0 : clock_mono_us() + (uint64_t)timeout_ms * 1000 + 1;
	return 0;
}

struct http *http_new(const char *base_url, size_t lines_max, long timeout_ms)
{
	struct http *http = calloc(1, sizeof(*http));
	must(http && !curl_global_init(CURL_GLOBAL_DEFAULT), "libcurl");
	http->multi = curl_multi_init();
	http->epoll = epoll_create1(EPOLL_CLOEXEC);
	must(http->multi && http->epoll >= 0, "epoll");
	snprintf(http->base_url, sizeof(http->base_url), "%s", base_url);
	http->timeout_ms = timeout_ms;
	curl_multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
	curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
	curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, (long)lines_max + 8);
	return http;
}

void http_free(struct http **http)
{
	if (!*http)
		return;
	curl_multi_cleanup((*http)->multi);
	close((*http)->epoll);
	free(*http);
	*http = NULL;
	curl_global_cleanup();
}

static size_t on_body(char *bytes, size_t size, size_t n, void *context)
{
	struct http_line *line = context;
	size_t length = size * n;
	if (line->length + length > ANSWER_MAX)
		return 0;
	if (line->length + length + 1 > line->room) {
		line->room = 2 * (line->length + length + 1);
		line->body = realloc(line->body, line->room);
		must(line->body, "memory");
	}
	memcpy(line->body + line->length, bytes, length);
	line->length += length;
	line->body[line->length] = 0;
	return length;
}

struct http_line *http_line_new(struct http *http, http_done *done, void *context)
{
	struct http_line *line = calloc(1, sizeof(*line));
	must(line, "memory");
	*line = (struct http_line){ .http = http,
		.done = done,
		.context = context,
		.easy = curl_easy_init(),
		.room = 4096,
		.body = malloc(4096) };
	must(line->easy && line->body, "memory");
	CURL *easy = line->easy;
	curl_easy_setopt(easy, CURLOPT_PRIVATE, line);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, line);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, http->timeout_ms);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, 1000L);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	/* The gateway under test is meant, whatever the environment says. */
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	return line;
}

void http_line_free(struct http_line **line)
{
	if (!*line)
		return;
	if ((*line)->busy)
		curl_multi_remove_handle((*line)->http->multi, (*line)->easy);
	curl_easy_cleanup((*line)->easy);
	curl_slist_free_all((*line)->headers);
	free((*line)->body);
	free(*line);
	*line = NULL;
}

bool http_line_busy(const struct http_line *line)
{
	return line->busy;
}

static void header(struct http_line *line, const char *name, const char *value)
{
	char text[2048];
	snprintf(text, sizeof(text), "%s%s", name, value);
	struct curl_slist *list = curl_slist_append(line->headers, text);
	must(list, "memory");
	line->headers = list;
}

void http_send(struct http_line *line, const char *method, const char *path, const char *token,
	const char *key, const char *body)
{
	char url[2 * URL_MAX];
	snprintf(url, sizeof(url), "%s%s", line->http->base_url, path);
	curl_slist_free_all(line->headers);
	line->headers = NULL;
	header(line, "Expect:", ""); /* no waiting for 100 Continue */
	if (token)
		header(line, "Authorization: Bearer ", token);
	if (key)
		header(line, "Idempotency-Key: ", key);
	if (body)
		header(line, "Content-Type: ", "application/json");
	curl_easy_setopt(line->easy, CURLOPT_URL, url);
	curl_easy_setopt(line->easy, CURLOPT_HTTPHEADER, line->headers);
	if (strcmp(method, "POST") == 0) {
		curl_easy_setopt(line->easy, CURLOPT_POST, 1L);
		curl_easy_setopt(line->easy, CURLOPT_POSTFIELDSIZE, body ? (long)strlen(body) : 0L);
		curl_easy_setopt(line->easy, CURLOPT_COPYPOSTFIELDS, body ? body : "");
	} else {
		curl_easy_setopt(line->easy, CURLOPT_HTTPGET, 1L);
	}
	line->length = 0;
	line->body[0] = 0;
	line->busy = true;
	must(curl_multi_add_handle(line->http->multi, line->easy) == CURLM_OK, "libcurl");
}

static void finished(struct http *http)
{
	CURLMsg *message;
	int left;
	while ((message = curl_multi_info_read(http->multi, &left)) != NULL) {
		if (message->msg != CURLMSG_DONE)
			continue;
		struct http_line *line = NULL;
		long status = 0;
		CURLcode result = message->data.result;
		CURL *easy = message->easy_handle;
		curl_easy_getinfo(easy, CURLINFO_PRIVATE, &line);
		curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
		curl_multi_remove_handle(http->multi, easy);
		if (!line)
			continue;
		line->busy = false;
		/* A half-read answer is none. */
		if (result != CURLE_OK)
			status = 0;
		line->done(line->context, status, line->body, line->length,
			result == CURLE_OK ? NULL : curl_easy_strerror(result));
	}
}

void http_turn(struct http *http, int wait_ms)
{
	struct epoll_event events[EVENTS_MAX];
	uint64_t now = clock_mono_us();
	if (http->due_us) {
		uint64_t ms = http->due_us > now ? (http->due_us - now + 999) / 1000 : 0;
		if (ms < (uint64_t)wait_ms)
			wait_ms = (int)ms;
	}
	int n = epoll_wait(http->epoll, events, EVENTS_MAX, wait_ms);
	int running;
	for (int i = 0; i < n; i++) {
		int what = (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
			   (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
			   (events[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
		curl_multi_socket_action(http->multi, events[i].data.fd, what, &running);
	}
	if (http->due_us && clock_mono_us() >= http->due_us) {
		http->due_us = 0;
		curl_multi_socket_action(http->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	}
	finished(http);
}
