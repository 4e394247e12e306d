/* The clients: many WebSockets in one epoll loop, reading no more of a frame than they need. */
#include "tests/bench/broadcast-bench/bench.h"

#include "libcommon/io/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS 512
#define IN_FLIGHT 1000 /* handshakes at a time */
#define TEXT_MAX 320   /* of a frame's beginning, where its position is */
#define WAIT_US UINT64_C(60000000)
#define QUIET_MS 100
#define DURING_MS 200 /* between winners while all reconnect */
#define SMALL_BUFFER 2048
#define RETRY_MS 20

enum stage { CLOSED, CONNECTING, UPGRADING, GREETED_NEXT, READY };

struct one {
	int fd;
	enum stage stage;
	bool silent;
	uint8_t ends; /* of "\r\n\r\n", seen */
	uint8_t head[10];
	size_t head_n;
	uint64_t left; /* bytes of the payload still to come */
	size_t text_n;
	char text[TEXT_MAX + 1];
	char offset[64]; /* to resume at; "": none yet */
	uint64_t hit;	 /* of the last winner */
};

static struct {
	const struct bench_swarm_config *config;
	struct one *ones;
	uint64_t *arrived; /* in order, of this round */
	size_t arrived_n, ready, opened, missed, doubled, unrecovered, closed, again;
	int epoll, publisher;
	uint64_t published;
} swarm;

/* ---- connections ---- */

static int connect_to(bool blocking, bool small)
{
	const struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_port = htons(swarm.config->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int one = 1, bytes = SMALL_BUFFER;
	int fd = socket(AF_INET, SOCK_STREAM | (blocking ? 0 : SOCK_NONBLOCK), 0);
	if (fd < 0)
		bench_die("socket");
	if (small)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 &&
		errno != EINPROGRESS)
		bench_die("connect");
	return fd;
}

/* Ten thousand sockets may use up the kernel's memory for TCP for a moment. */
static void send_all(int fd, const void *bytes, size_t length)
{
	const uint8_t *at = bytes;
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	while (length > 0) {
		ssize_t n = send(fd, at, length, MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN)
			bench_die("send");
		if (n < 0)
			(void)poll(&ready, 1, RETRY_MS);
		at += n < 0 ? 0 : n;
		length -= n < 0 ? 0 : (size_t)n;
	}
}

static void send_text(int fd, const char *text)
{
	send_all(fd, text, strlen(text));
}

static void open_one(struct one *one)
{
	struct epoll_event event = { .events = EPOLLOUT, .data.ptr = one };
	one->fd = connect_to(false, one->silent);
	one->stage = CONNECTING;
	one->ends = 0;
	one->head_n = 0;
	one->left = 0;
	if (epoll_ctl(swarm.epoll, EPOLL_CTL_ADD, one->fd, &event) != 0)
		bench_die("epoll_ctl");
}

static void on_connected(struct one *one)
{
	char text[512];
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = one };
	(void)snprintf(text, sizeof(text),
		"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
		"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
		swarm.config->path);
	send_text(one->fd, text);
	one->stage = UPGRADING;
	(void)epoll_ctl(swarm.epoll, EPOLL_CTL_MOD, one->fd, &event);
}

static void ready(struct one *one)
{
	one->stage = READY;
	swarm.ready++;
	if (one->silent)
		(void)epoll_ctl(swarm.epoll, EPOLL_CTL_DEL, one->fd, NULL);
}

/* A client's frame, masked by zeros. */
static void subscribe(struct one *one)
{
	char text[256];
	uint8_t frame[300] = { 0x81, 0x80 | 126 };
	int n = one->offset[0] == '\0'
			? snprintf(text, sizeof(text), "{\"subscribe\":[\"winners\"]}")
			: snprintf(text, sizeof(text),
				  "{\"subscribe\":[\"winners\"],\"resume\":{\"winners\":{"
				  "\"epoch\":\"1\",\"offset\":\"%s\"}}}",
				  one->offset);
	size_t at = 8;
	if (n < 126) {
		frame[1] = (uint8_t)(0x80 | n);
		at = 6;
	} else {
		frame[3] = (uint8_t)n;
	}
	memcpy(frame + at, text, (size_t)n);
	send_all(one->fd, frame, at + (size_t)n);
}

static void upgraded(struct one *one)
{
	if (!swarm.config->ours) {
		ready(one);
		return;
	}
	one->stage = GREETED_NEXT;
	subscribe(one);
}

/* ---- frames ---- */

static void arrive(void)
{
	if (swarm.arrived_n < swarm.config->clients)
		swarm.arrived[swarm.arrived_n++] = clock_mono_us();
}

static void position(struct one *one)
{
	const char *offset = strstr(one->text, "\"offset\":\"");
	size_t length = offset ? strcspn(offset + 10, "\"") : 0;
	if (length == 0 || length >= sizeof(one->offset))
		return;
	memcpy(one->offset, offset + 10, length);
	one->offset[length] = '\0';
}

static void on_winner(struct one *one)
{
	const char *text = strstr(one->text, "\"hit\":");
	uint64_t hit = text ? strtoull(text + 6, NULL, 10) : 0;
	if (one->hit != 0 && hit > one->hit + 1)
		swarm.missed += hit - one->hit - 1;
	if (hit <= one->hit)
		swarm.doubled++;
	one->hit = hit;
	position(one);
	arrive();
}

/* A frame has ended; its beginning is in text. */
static void on_frame(struct one *one)
{
	if (!swarm.config->ours) {
		arrive();
		return;
	}
	one->text[one->text_n] = '\0';
	if (strstr(one->text, "\"recovered\":false") != NULL)
		swarm.unrecovered++;
	if (strncmp(one->text, "{\"type\":\"winner\"", 16) == 0)
		on_winner(one);
	else if (one->offset[0] == '\0')
		position(one);
	if (one->stage == GREETED_NEXT)
		ready(one);
}

static size_t head_take(struct one *one, const uint8_t *bytes, size_t n)
{
	size_t used = 0, need;
	do {
		if (used == n)
			return used;
		one->head[one->head_n++] = bytes[used++];
		unsigned length = one->head_n < 2 ? 0 : one->head[1];
		need = one->head_n < 2 ? 2 : length == 126 ? 4 : length == 127 ? 10 : 2;
	} while (one->head_n < need);
	one->left = one->head[1];
	if (need > 2) {
		one->left = 0;
		for (size_t i = 2; i < need; i++)
			one->left = one->left << 8 | one->head[i];
	}
	one->text_n = 0;
	return used;
}

static void frames_take(struct one *one, const uint8_t *bytes, size_t n)
{
	while (n > 0) {
		bool head = one->left == 0;
		size_t used = head ? head_take(one, bytes, n) : one->left < n ? one->left : n;
		if (!head) {
			size_t room = TEXT_MAX - one->text_n;
			size_t copied = used < room ? used : room;
			memcpy(one->text + one->text_n, bytes, copied);
			one->text_n += copied;
			one->left -= used;
		}
		if (!head && one->left == 0) {
			one->head_n = 0;
			on_frame(one);
		}
		bytes += used;
		n -= used;
	}
}

static void on_readable(struct one *one)
{
	static uint8_t bytes[65536];
	ssize_t n = recv(one->fd, bytes, sizeof(bytes), 0);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		bool come = one->stage == READY;
		(void)close(one->fd);
		one->stage = CLOSED;
		swarm.closed += come;
		swarm.again += !come;
		if (!come) /* not let in: tries again */
			open_one(one);
		return;
	}
	size_t at = 0;
	while (one->stage == UPGRADING && at < (size_t)n) {
		bool wanted = bytes[at] == (one->ends % 2 == 0 ? '\r' : '\n');
		one->ends = wanted ? (uint8_t)(one->ends + 1) : 0;
		at++;
		if (one->ends == 4)
			upgraded(one);
	}
	frames_take(one, bytes + at, (size_t)n - at);
}

static void turn(int wait_ms)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(swarm.epoll, events, EVENTS, wait_ms);
	for (int i = 0; i < n; i++) {
		struct one *one = events[i].data.ptr;
		if (one->stage == CONNECTING)
			on_connected(one);
		else
			on_readable(one);
	}
}

/* ---- what is measured ---- */

static void publish(void)
{
	char text[512], waste[4096];
	char body[BENCH_EVENT_BYTES + 1];
	size_t length = swarm.config->ours ? 0 : BENCH_EVENT_BYTES;
	while (recv(swarm.publisher, waste, sizeof(waste), MSG_DONTWAIT) > 0)
		;
	memset(body, 'x', length);
	body[length] = '\0';
	(void)snprintf(text, sizeof(text),
		"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %zu\r\n\r\n%s",
		swarm.config->publish_path, length, body);
	send_text(swarm.publisher, text);
	swarm.published++;
}

/* Opens all; returns the time it took. With winners in between, when they come back. */
static uint64_t open_all(bool winners)
{
	const struct bench_swarm_config *config = swarm.config;
	uint64_t began = clock_mono_us(), next = began;
	swarm.ready = swarm.opened = 0;
	while (swarm.ready < config->clients) {
		uint64_t now = clock_mono_us();
		while (swarm.opened < config->clients && swarm.opened - swarm.ready < IN_FLIGHT)
			open_one(&swarm.ones[swarm.opened++]);
		if (winners && now >= next) {
			publish();
			next = now + DURING_MS * 1000;
		}
		if (now - began > WAIT_US || swarm.closed > 0) {
			fprintf(stderr,
				"swarm: %s: %zu of %zu connected, %zu were closed, %zu not let "
				"in: the last with %s\n",
				config->path, swarm.ready, config->clients, swarm.closed,
				swarm.again, strerror(errno));
			exit(1);
		}
		turn(10);
	}
	return clock_mono_us() - began;
}

static void quiet(int ms)
{
	uint64_t until = clock_mono_us() + (uint64_t)ms * 1000;
	while (clock_mono_us() < until)
		turn(ms);
}

static void round_run(void)
{
	size_t readers = swarm.config->clients - swarm.config->silent;
	swarm.arrived_n = 0;
	uint64_t began = clock_mono_us();
	publish();
	while (swarm.arrived_n < readers && clock_mono_us() - began < WAIT_US)
		turn(1000);
	if (swarm.arrived_n < readers) {
		fprintf(stderr, "swarm: %s: the event reached %zu of %zu\n", swarm.config->path,
			swarm.arrived_n, readers);
		exit(1);
	}
	printf("{\"step\":\"round\",\"first_ms\":%.3f,\"median_ms\":%.3f,\"last_ms\":%.3f}\n",
		(double)(swarm.arrived[0] - began) / 1e3,
		(double)(swarm.arrived[readers / 2] - began) / 1e3,
		(double)(swarm.arrived[readers - 1] - began) / 1e3);
	quiet(QUIET_MS);
}

/* All leave at once and come back at their positions, while winners go on. */
static void reconnect(void)
{
	size_t n = swarm.config->clients;
	for (size_t i = 0; i < n; i++) {
		(void)close(swarm.ones[i].fd);
		swarm.ones[i].stage = CLOSED;
	}
	for (int i = 0; i < 5; i++)
		publish();
	uint64_t took = open_all(true);
	publish();
	size_t behind = n;
	uint64_t until = clock_mono_us() + WAIT_US;
	while (behind > 0 && clock_mono_us() < until) {
		turn(100);
		behind = 0;
		for (size_t i = 0; i < n; i++)
			behind += swarm.ones[i].hit != swarm.published;
	}
	printf("{\"step\":\"reconnect\",\"ms\":%.1f,\"missed\":%zu,\"doubled\":%zu,"
	       "\"unrecovered\":%zu,\"behind\":%zu}\n",
		(double)took / 1e3, swarm.missed, swarm.doubled, swarm.unrecovered, behind);
}

/* Says that a step is done and waits for a line. */
static void pause_at(const char *step, double ms)
{
	char byte;
	printf("{\"step\":\"%s\",\"ms\":%.1f}\n", step, ms);
	(void)fflush(stdout);
	if (read(STDIN_FILENO, &byte, 1) <= 0)
		exit(0);
}

int bench_swarm(const struct bench_swarm_config *config)
{
	swarm.config = config;
	swarm.ones = calloc(config->clients, sizeof(*swarm.ones));
	swarm.arrived = calloc(config->clients, sizeof(*swarm.arrived));
	swarm.epoll = epoll_create1(0);
	if (swarm.ones == NULL || swarm.arrived == NULL || swarm.epoll < 0)
		bench_die("swarm");
	for (size_t i = 0; i < config->silent; i++)
		swarm.ones[i * (config->clients / config->silent)].silent = true;
	double took_ms = (double)open_all(false) / 1e3;
	swarm.publisher = connect_to(true, false);
	pause_at("connected", took_ms);
	for (size_t i = 0; i < config->rounds; i++)
		round_run();
	pause_at("rounds", 0);
	if (config->ours && config->silent == 0)
		reconnect();
	pause_at("end", 0);
	return 0;
}
