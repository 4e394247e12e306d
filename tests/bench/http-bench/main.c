/*~ http-bench ROLE: requests a second, with nothing behind them.
 *
 *     server                           the edge with one route that answers a constant
 *     client PORT CONNECTIONS SECONDS  asks for it over so many connections that are kept, one
 *                                      request at a time on each
 *
 * tests/bench/http.py runs them, and nginx beside them. All answers have one length, because the
 * client's requests are all alike: it counts bytes, and looks at the first answer alone. */
#include "libcommon/edge/edge.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define EXIT_USAGE 2
#define CONNECTIONS_MAX 20000
#define EVENTS_MAX 512
#define CONSTANT "{\"constant\":true,\"balance_minor\":100000,\"expect\":1,\"round\":null}"

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- the server ---- */

static void on_constant(struct edge_request *request, void *context)
{
	(void)context;
	edge_answer_json(request, 200, CONSTANT, sizeof(CONSTANT) - 1);
}

static int server(void)
{
	static const struct edge_route routes[] = {
		{ EDGE_GET, "/constant", on_constant, false },
		{ EDGE_GET, NULL, NULL, false },
	};
	const struct edge_config config = { .service = "http-bench",
		.listen = "127.0.0.1:0",
		.routes = routes,
		.connections_max = CONNECTIONS_MAX,
		.drain_ms = 100 };
	log_open("http-bench", "http-bench", LOG_WARN);
	struct edge *edge = edge_new(&config);
	edge_ready(edge, true, NULL);
	printf("{\"port\":%s,\"constant\":\"%zu bytes\"}\n", strrchr(edge_address(edge), ':') + 1,
		sizeof(CONSTANT) - 1);
	(void)fflush(stdout);
	int status = edge_run(edge);
	edge_free(&edge);
	return status;
}

/* ---- the client ---- */

static const char request[] = "GET /constant HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n";

struct line {
	int fd;
	size_t had; /* bytes of the answer that is arriving */
};

static size_t answer_bytes; /* of each; 0: not known yet */

static void ask(const struct line *line)
{
	if (send(line->fd, request, sizeof(request) - 1, MSG_NOSIGNAL) !=
		(ssize_t)(sizeof(request) - 1))
		die("send");
}

static void line_open(struct line *line, int epoll, uint16_t port)
{
	const int one = 1;
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = line };
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	line->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (line->fd < 0 || connect(line->fd, (const struct sockaddr *)&to, sizeof(to)) != 0 ||
		setsockopt(line->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) != 0 ||
		epoll_ctl(epoll, EPOLL_CTL_ADD, line->fd, &event) != 0)
		die("connect");
}

/* The first answer says how long all are. */
static void answer_measure(const struct line *line)
{
	char bytes[4096];
	size_t n = 0;
	ask(line);
	for (;;) {
		ssize_t more = recv(line->fd, bytes + n, sizeof(bytes) - 1 - n, 0);
		if (more <= 0)
			die("the first answer");
		n += (size_t)more;
		bytes[n] = '\0';
		const char *body = strstr(bytes, "\r\n\r\n");
		if (body == NULL)
			continue;
		const char *length = strcasestr(bytes, "\r\nContent-Length:");
		if (strncmp(bytes, "HTTP/1.1 200 ", 13) != 0 || length == NULL) {
			fprintf(stderr, "http-bench: found %s, expected 200 with a length\n",
				bytes);
			exit(1);
		}
		answer_bytes = (size_t)(body + 4 - bytes) + strtoul(length + 17, NULL, 10);
		if (n == answer_bytes)
			return;
	}
}

static uint64_t turn(int epoll, bool again)
{
	struct epoll_event events[EVENTS_MAX];
	char bytes[4096];
	uint64_t answered = 0;
	int n = epoll_wait(epoll, events, EVENTS_MAX, 100);
	for (int i = 0; i < n; i++) {
		struct line *line = events[i].data.ptr;
		ssize_t got = recv(line->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (got < 0 && errno == EAGAIN)
			continue;
		line->had += got > 0 ? (size_t)got : 0;
		if (got <= 0 || line->had > answer_bytes)
			die("an answer of another length");
		if (line->had < answer_bytes)
			continue;
		line->had = 0;
		answered++;
		if (again)
			ask(line);
	}
	return answered;
}

static int client(uint16_t port, size_t connections, uint64_t seconds)
{
	struct line *lines = calloc(connections, sizeof(*lines));
	const struct rlimit files = { connections + 100, connections + 100 };
	struct rlimit have;
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	uint64_t answered = 0;
	if (lines == NULL || epoll < 0 || getrlimit(RLIMIT_NOFILE, &have) != 0 ||
		(have.rlim_cur < files.rlim_cur && setrlimit(RLIMIT_NOFILE, &files) != 0))
		die("connections");
	for (size_t i = 0; i < connections; i++)
		line_open(&lines[i], epoll, port);
	answer_measure(&lines[0]);
	uint64_t began_us = clock_mono_us(), until_us = began_us + seconds * 1000000;
	for (size_t i = 0; i < connections; i++)
		ask(&lines[i]);
	while (clock_mono_us() < until_us)
		answered += turn(epoll, true);
	uint64_t took_us = clock_mono_us() - began_us;
	printf("{\"requests_per_s\":%llu,\"answer_bytes\":%zu}\n",
		(unsigned long long)(answered * 1000000 / took_us), answer_bytes);
	free(lines);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "server") == 0)
		return server();
	if (argc == 5 && strcmp(argv[1], "client") == 0) {
		unsigned long port = strtoul(argv[2], NULL, 10);
		unsigned long connections = strtoul(argv[3], NULL, 10);
		unsigned long seconds = strtoul(argv[4], NULL, 10);
		if (port > 0 && port <= UINT16_MAX && connections > 0 &&
			connections <= CONNECTIONS_MAX && seconds > 0)
			return client((uint16_t)port, connections, seconds);
	}
	fputs("usage: http-bench server | client PORT CONNECTIONS SECONDS\n", stderr);
	return EXIT_USAGE;
}
