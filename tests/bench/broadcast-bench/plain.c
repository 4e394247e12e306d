/* The floor: one epoll loop, and send() of one buffer to every client. It believes what it is
 * sent: a request that begins with POST causes a broadcast, any other is a WebSocket. */
#include "tests/bench/broadcast-bench/bench.h"

#include "libcommon/edge/ws_frame.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS_MAX 65536
#define EVENTS 256

static int clients[CLIENTS_MAX];
static size_t clients_n;
static uint8_t frame[WS_OUT_HEAD_MAX + BENCH_EVENT_BYTES];
static size_t frame_length;

static int listening(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
		listen(fd, 4096) != 0 || getsockname(fd, (struct sockaddr *)&address, &length) != 0)
		bench_die("listen");
	bench_port_print(ntohs(address.sin_port));
	return fd;
}

static void add(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0)
		bench_die("epoll_ctl");
}

static void accept_all(int epoll, int listener)
{
	const int one = 1;
	int fd;
	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		add(epoll, fd);
	}
}

static void answer(int fd, const char *text)
{
	(void)send(fd, text, strlen(text), MSG_NOSIGNAL);
}

static void on_client(int fd)
{
	char bytes[4096];
	ssize_t n = recv(fd, bytes, sizeof(bytes), 0);
	if (n <= 0) {
		(void)close(fd); /* its place stays: a bench's clients leave together */
	} else if (strncmp(bytes, "POST", 4) == 0) {
		for (size_t i = 0; i < clients_n; i++)
			(void)send(clients[i], frame, frame_length, MSG_NOSIGNAL);
		answer(fd, "HTTP/1.1 204 No Content\r\n\r\n");
	} else if (strncmp(bytes, "GET ", 4) == 0 && clients_n < CLIENTS_MAX) {
		clients[clients_n++] = fd;
		answer(fd, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
			   "Connection: Upgrade\r\n\r\n");
	}
}

int bench_plain(void)
{
	int epoll = epoll_create1(0), listener = listening();
	struct epoll_event events[EVENTS];
	frame_length = ws_head_write(frame, WS_TEXT, false, BENCH_EVENT_BYTES);
	memset(frame + frame_length, 'x', BENCH_EVENT_BYTES);
	frame_length += BENCH_EVENT_BYTES;
	add(epoll, listener);
	add(epoll, STDIN_FILENO);
	for (;;) {
		int n = epoll_wait(epoll, events, EVENTS, -1);
		for (int i = 0; i < n; i++) {
			int fd = events[i].data.fd;
			if (fd == STDIN_FILENO)
				return 0;
			if (fd == listener)
				accept_all(epoll, listener);
			else
				on_client(fd);
		}
	}
}
