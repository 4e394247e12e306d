#include "tests/support/players/http.h"

#include "libcommon/io/clock.h"
#include "tests/support/players/response.h"

#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS_MAX 512
#define HOST_MAX 512
#define CONNECT_MAX_US UINT64_C(3000000)
#define OTHER_FILES 256 /* open in this process besides the lines */
#define ROOM_FIRST 4096u
#define ROOM_KEPT 8192u /* a larger buffer is given back after its answer */

enum line_state {
	LINE_IDLE,
	LINE_FAILED,	 /* told in the next turn */
	LINE_CONNECTING, /* the request waits for its connection */
	LINE_ASKING,
	LINE_STATES
};

/* Busy lines of one state, in the order of their deadlines: each has the same time. */
struct queue {
	struct http_line *first, *last;
};

struct http {
	int epoll;
	struct sockaddr_storage address;
	socklen_t address_n;
	char host[HOST_MAX]; /* the field Host, with its line end */
	uint64_t timeout_us;
	struct queue queue[LINE_STATES];
};

struct http_line {
	struct http *http;
	http_done *done;
	void *context;
	int fd; /* -1: not connected */
	enum line_state state;
	bool reused; /* the connection has answered before: it may be closed by now */
	uint64_t due_us;
	struct http_line *before, *after;
	const char *fault; /* LINE_FAILED: why, static */
	struct {
		char *at;
		size_t n, room;
	} out, in;
	size_t sent;
	struct response response;
};

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "players: %s failed: %s\n", what, strerror(errno));
	exit(70);
}

/* ---- the address ---- */

/* "127.0.0.1:8080" or "[::1]:8080" in place; the port is 80 if there is none. */
static bool host_split(char *text, char **name_r, const char **port_r)
{
	char *colon = text[0] == '[' ? strchr(text, ']') : strrchr(text, ':');
	*name_r = text;
	*port_r = "80";
	if (text[0] == '[') {
		if (!colon)
			return false;
		*name_r = text + 1;
		*colon++ = 0;
		colon = *colon == ':' ? colon : NULL;
	}
	if (colon) {
		*colon = 0;
		*port_r = colon + 1;
	}
	return (*name_r)[0] != 0 && (*port_r)[0] != 0;
}

static bool resolve(struct http *http, const char *base_url)
{
	char text[HOST_MAX - 16], *name;
	const char *port;
	struct addrinfo want = { .ai_socktype = SOCK_STREAM }, *found = NULL;
	if (strncmp(base_url, "http://", 7) != 0 || strlen(base_url + 7) >= sizeof(text) ||
		strchr(base_url + 7, '/')) {
		fprintf(stderr, "players: --url: found '%s', expected http://HOST:PORT\n",
			base_url);
		return false;
	}
	snprintf(text, sizeof(text), "%s", base_url + 7);
	snprintf(http->host, sizeof(http->host), "Host: %s\r\n", text);
	int status = host_split(text, &name, &port) ? getaddrinfo(name, port, &want, &found)
						    : EAI_NONAME;
	if (status) {
		fprintf(stderr, "players: --url: '%s' cannot be resolved: %s\n", base_url,
			gai_strerror(status));
		return false;
	}
	memcpy(&http->address, found->ai_addr, found->ai_addrlen);
	http->address_n = found->ai_addrlen;
	freeaddrinfo(found);
	return true;
}

/* Each line needs a descriptor. */
static bool files_suffice(size_t lines_max)
{
	struct rlimit limit;
	rlim_t want = (rlim_t)lines_max + OTHER_FILES;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= want)
		return true;
	limit.rlim_cur = want;
	if (want <= limit.rlim_max && setrlimit(RLIMIT_NOFILE, &limit) == 0)
		return true;
	fprintf(stderr,
		"players: %zu connections need %llu open files, and a process may open %llu: "
		"raise the limit (ulimit -Hn), or expect at most %llu players\n",
		lines_max, (unsigned long long)want, (unsigned long long)limit.rlim_max,
		(unsigned long long)(limit.rlim_max > OTHER_FILES ? limit.rlim_max - OTHER_FILES
								  : 0));
	return false;
}

struct http *http_new(const char *base_url, size_t lines_max, long timeout_ms)
{
	struct http *http = calloc(1, sizeof(*http));
	must(http, "memory");
	http->epoll = -1;
	if (!files_suffice(lines_max) || !resolve(http, base_url)) {
		free(http);
		return NULL;
	}
	http->epoll = epoll_create1(EPOLL_CLOEXEC);
	must(http->epoll >= 0, "epoll");
	http->timeout_us = (uint64_t)timeout_ms * 1000;
	return http;
}

void http_free(struct http **http)
{
	if (!*http)
		return;
	close((*http)->epoll);
	free(*http);
	*http = NULL;
}

/* ---- lines and their queues ---- */

static void leave_queue(struct http_line *line)
{
	struct queue *queue = &line->http->queue[line->state];
	if (line->state == LINE_IDLE)
		return;
	*(line->before ? &line->before->after : &queue->first) = line->after;
	*(line->after ? &line->after->before : &queue->last) = line->before;
	line->before = line->after = NULL;
	line->state = LINE_IDLE;
}

static void enter_queue(struct http_line *line, enum line_state state, uint64_t wait_us)
{
	struct queue *queue = &line->http->queue[state];
	leave_queue(line);
	line->state = state;
	line->due_us = clock_mono_us() + wait_us;
	line->before = queue->last;
	*(queue->last ? &queue->last->after : &queue->first) = line;
	queue->last = line;
}

struct http_line *http_line_new(struct http *http, http_done *done, void *context)
{
	struct http_line *line = calloc(1, sizeof(*line));
	must(line, "memory");
	*line = (struct http_line){ .http = http, .done = done, .context = context, .fd = -1 };
	return line;
}

static void hang_up(struct http_line *line)
{
	if (line->fd >= 0)
		close(line->fd);
	line->fd = -1;
}

void http_line_free(struct http_line **line)
{
	if (!*line)
		return;
	leave_queue(*line);
	hang_up(*line);
	free((*line)->out.at);
	free((*line)->in.at);
	free(*line);
	*line = NULL;
}

bool http_line_busy(const struct http_line *line)
{
	return line->state != LINE_IDLE;
}

/* ---- asking ---- */

static void fail(struct http_line *line, const char *why)
{
	hang_up(line);
	line->fault = why;
	enter_queue(line, LINE_FAILED, 0);
}

static void connect_line(struct http_line *line)
{
	struct http *http = line->http;
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
		.data.ptr = line };
	int on = 1;
	line->reused = false;
	line->sent = 0;
	line->in.n = 0;
	line->response = (struct response){ 0 };
	line->fd = socket(
		http->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
	if (line->fd < 0) {
		fail(line, strerror(errno));
		return;
	}
	(void)setsockopt(line->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if ((connect(line->fd, (const struct sockaddr *)&http->address, http->address_n) &&
		    errno != EINPROGRESS) ||
		epoll_ctl(http->epoll, EPOLL_CTL_ADD, line->fd, &event))
		fail(line, strerror(errno));
	else
		enter_queue(line, LINE_CONNECTING, CONNECT_MAX_US);
}

/* The connection is of no use any more. One that had answered before may have been closed by the
 * server while it was idle; then the request is sent on a new one. */
static void lost(struct http_line *line, const char *why)
{
	bool again = line->reused && line->in.n == 0;
	hang_up(line);
	if (again)
		connect_line(line);
	else
		fail(line, why);
}

static void write_on(struct http_line *line)
{
	while (line->sent < line->out.n) {
		ssize_t n = send(line->fd, line->out.at + line->sent, line->out.n - line->sent,
			MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0) {
			lost(line, strerror(errno));
			return;
		}
		if (line->state == LINE_CONNECTING)
			enter_queue(line, LINE_ASKING, line->http->timeout_us);
		line->sent += (size_t)n;
	}
}

static void put(struct http_line *line, const char *before, const char *text, const char *behind)
{
	const char *const parts[] = { before, text, behind };
	for (size_t i = 0; i < 3; i++) {
		size_t n = strlen(parts[i]);
		if (line->out.n + n > line->out.room) {
			line->out.room = 2 * (line->out.n + n) + 256;
			line->out.at = realloc(line->out.at, line->out.room);
			must(line->out.at, "memory");
		}
		memcpy(line->out.at + line->out.n, parts[i], n);
		line->out.n += n;
	}
}

void http_send(struct http_line *line, const char *method, const char *path, const char *token,
	const char *key, const char *body)
{
	char length[24];
	assert(!http_line_busy(line));
	line->out.n = line->sent = 0;
	put(line, method, " ", path);
	put(line, " HTTP/1.1\r\n", line->http->host, "Accept: */*\r\n");
	if (token)
		put(line, "Authorization: Bearer ", token, "\r\n");
	if (key)
		put(line, "Idempotency-Key: ", key, "\r\n");
	if (body)
		put(line, "Content-Type: application/json", "\r\n", "");
	if (strcmp(method, "POST") == 0) {
		snprintf(length, sizeof(length), "%zu", body ? strlen(body) : 0);
		put(line, "Content-Length: ", length, "\r\n");
	}
	put(line, "\r\n", body ? body : "", "");
	line->response = (struct response){ 0 };
	line->in.n = 0;
	if (line->fd < 0) {
		connect_line(line);
		return;
	}
	enter_queue(line, LINE_ASKING, line->http->timeout_us);
	write_on(line);
}

/* ---- answers ---- */

static void tell(struct http_line *line, long status, const char *error)
{
	struct response response = line->response;
	leave_queue(line);
	line->in.n = 0;
	if (status)
		line->in.at[response.body_at + response.body_n] = 0;
	line->done(line->context, status, status ? line->in.at + response.body_at : "",
		status ? response.body_n : 0, error);
	if (line->in.room > ROOM_KEPT) {
		free(line->in.at);
		line->in.at = NULL;
		line->in.room = 0;
	}
}

/* What has arrived is looked at. False: the line has no more to read. */
static bool answer_read(struct http_line *line, bool ended)
{
	if (line->state != LINE_ASKING) { /* nobody asked: the server says good-bye */
		hang_up(line);
		return false;
	}
	if (ended && line->in.n == 0) {
		lost(line, "the server closed the connection");
		return false;
	}
	switch (response_read(&line->response, line->in.at, line->in.n, ended)) {
	case RESPONSE_MORE:
		return true;
	case RESPONSE_WHOLE:
		break;
	case RESPONSE_MALFORMED:
		fail(line, line->response.fault);
		return false;
	}
	line->reused = true;
	/* An answer to half a request: what is left of it must not be taken for the next one. */
	if (!line->response.keep_alive || line->sent < line->out.n)
		hang_up(line);
	tell(line, line->response.status, NULL);
	return false;
}

static void read_on(struct http_line *line)
{
	for (;;) {
		if (line->in.room - line->in.n < 2) {
			line->in.room = line->in.room ? 2 * line->in.room : ROOM_FIRST;
			line->in.at = realloc(line->in.at, line->in.room);
			must(line->in.at, "memory");
		}
		size_t room = line->in.room - line->in.n - 1; /* one byte for the NUL */
		ssize_t n = recv(line->fd, line->in.at + line->in.n, room, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0 && line->state == LINE_IDLE) {
			hang_up(line);
			return;
		}
		if (n < 0) {
			lost(line, strerror(errno));
			return;
		}
		line->in.n += (size_t)n;
		if (!answer_read(line, n == 0))
			return;
	}
}

static void on_event(struct http_line *line, uint32_t events)
{
	int error = 0;
	socklen_t n = sizeof(error);
	if (line->fd < 0) /* of a connection that an answer of this turn ended */
		return;
	if (line->state == LINE_CONNECTING && events & (EPOLLERR | EPOLLHUP)) {
		(void)getsockopt(line->fd, SOL_SOCKET, SO_ERROR, &error, &n);
		if (error) {
			fail(line, strerror(error));
			return;
		}
	}
	if (events & EPOLLOUT && (line->state == LINE_CONNECTING || line->state == LINE_ASKING))
		write_on(line);
	if (events & (EPOLLIN | EPOLLRDHUP | EPOLLERR | EPOLLHUP) && line->fd >= 0 &&
		line->state != LINE_CONNECTING)
		read_on(line);
}

/* ---- turns ---- */

/* Whoever is late, at most as many as there are: one that sends again is not told twice. */
static void tell_late(struct http *http, enum line_state state, const char *why)
{
	uint64_t now = clock_mono_us();
	const struct http_line *last = http->queue[state].last;
	struct http_line *line = http->queue[state].first;
	while (line && line->due_us <= now) {
		bool over = line == last;
		hang_up(line);
		tell(line, 0, why ? why : line->fault);
		if (over)
			break;
		line = http->queue[state].first;
	}
}

static int wait_left(const struct http *http, int wait_ms)
{
	uint64_t now = clock_mono_us();
	if (http->queue[LINE_FAILED].first)
		return 0;
	for (int i = LINE_CONNECTING; i < LINE_STATES; i++) {
		const struct http_line *first = http->queue[i].first;
		uint64_t ms = first && first->due_us > now ? (first->due_us - now + 999) / 1000 : 0;
		if (first && ms < (uint64_t)wait_ms)
			wait_ms = (int)ms;
	}
	return wait_ms;
}

void http_turn(struct http *http, int wait_ms)
{
	struct epoll_event events[EVENTS_MAX];
	int n = epoll_wait(http->epoll, events, EVENTS_MAX, wait_left(http, wait_ms));
	for (int i = 0; i < n; i++)
		on_event(events[i].data.ptr, events[i].events);
	tell_late(http, LINE_FAILED, NULL);
	tell_late(http, LINE_CONNECTING, "the connection was not made in time");
	tell_late(http, LINE_ASKING, "no answer in time");
}
