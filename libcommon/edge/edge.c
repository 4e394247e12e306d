/* The edge's loop: listeners, adopted descriptors, timers, signals, draining.
 *
 * All descriptors are in one epoll set: connections by their address, adopted ones by their index.
 * Several processes share a port, the number of new connections a turn is limited, and at SIGTERM
 * the listener closes while accepted connections are still served. */
#include "libcommon/edge/private/server.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <sodium.h>

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS_DEFAULT 20000u
#define DESCRIPTORS_OWN                                                                            \
	((rlim_t)200) /* descriptors for files, Kafka, Postgres and nanomsg, not for connections   \
		       */
#define BACKLOG 4096
#define LISTEN_EXPECTED "an IP address and a port, such as 127.0.0.1:8080"
#define ACCEPT_SHARE 8
#define ACCEPT_MAX_US 50000u
#define EVENTS_MAX 256

uint64_t edge_random(struct edge *edge)
{
	edge->random += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t x = edge->random;
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* ---- descriptors of ours ---- */

void edge_adopt(struct edge *edge, int fd, edge_readable *readable, void *context)
{
	if (edge->adopted_n == EDGE_ADOPTED_MAX)
		fatal("edge: more than %d descriptors adopted", EDGE_ADOPTED_MAX);
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = edge->adopted_n };
	if (epoll_ctl(edge->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0)
		fatal("edge: cannot watch descriptor %d: %s", fd, strerror(errno));
	edge->adopted[edge->adopted_n++] =
		(struct edge_adopted){ .readable = readable, .context = context };
}

/* ---- listeners ---- */

static struct address address_of(const struct sockaddr_storage *from)
{
	struct address address = { { 0 } };
	if (from->ss_family == AF_INET) {
		const struct sockaddr_in *ipv4 = (const struct sockaddr_in *)from;
		address.bytes[10] = address.bytes[11] = 0xff;
		memcpy(address.bytes + 12, &ipv4->sin_addr, 4);
	} else if (from->ss_family == AF_INET6) {
		const struct sockaddr_in6 *ipv6 = (const struct sockaddr_in6 *)from;
		memcpy(address.bytes, &ipv6->sin6_addr, sizeof(address.bytes));
	}
	return address;
}

static uint64_t accept_time(uint64_t since_us)
{
	uint64_t us = since_us / ACCEPT_SHARE;
	return us < ACCEPT_MAX_US ? us : ACCEPT_MAX_US;
}

/* More than usual only where nobody has to make room: a place is free only at the end of the turn.
 */
static bool accepts_more(const struct edge *edge, uint64_t end_us)
{
	return edge->connections < edge->connections_max && clock_mono_us() < end_us;
}

static void accept_some(struct edge_listener *listener, uint32_t most)
{
	struct edge *edge = listener->edge;
	const int one = 1;
	uint64_t began_us = clock_mono_us();
	uint64_t end_us = began_us + accept_time(began_us - listener->accepted_us);
	listener->accepted_us = began_us;
	for (uint32_t i = 0; (i < most || accepts_more(edge, end_us)) &&
			     (edge->draining || edge_doors_open(listener));
		i++) {
		struct sockaddr_storage from;
		socklen_t length = sizeof(from);
		int fd = accept4(listener->fd, (struct sockaddr *)&from, &length,
			SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0) {
			if (errno == ECONNABORTED || errno == EINTR)
				continue;
			if (errno != EAGAIN && errno != EWOULDBLOCK)
				edge_doors_exhausted(listener, errno);
			return;
		}
		struct address peer = address_of(&from);
		if (!edge_doors_room(listener, &peer)) {
			(void)close(fd);
			continue;
		}
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		int bytes = edge->config.socket_send_bytes;
		if (bytes > 0)
			(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
		metric_add(edge->accepted, 1);
		edge_connection_new(listener, fd, &peer);
	}
}

static void on_listener(void *context)
{
	struct edge_listener *listener = context;
	if (listener->fd >= 0) /* an earlier event of this turn may have closed it */
		accept_some(listener, listener->edge->config.accepts_per_turn);
}

static void address_split(const char *text, char *host, size_t room, const char **port_r)
{
	const char *colon = strrchr(text, ':');
	size_t length = colon == NULL ? 0 : (size_t)(colon - text);
	if (colon == NULL || length == 0 || length >= room || colon[1] == '\0')
		fatal("edge: listen address: found \"%s\", expected " LISTEN_EXPECTED, text);
	const char *from = text;
	if (text[0] == '[' && length >= 2 && text[length - 1] == ']') {
		from++;
		length -= 2;
	}
	memcpy(host, from, length);
	host[length] = '\0';
	*port_r = colon + 1;
}

static int listen_on(const char *text, char *address, size_t room)
{
	char host[64];
	const char *port;
	address_split(text, host, sizeof(host), &port);
	struct addrinfo hints = {
		.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *found = NULL;
	if (getaddrinfo(host, port, &hints, &found) != 0 || found == NULL)
		fatal("edge: listen address: found \"%s\", expected " LISTEN_EXPECTED, text);
	const int one = 1;
	int fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) != 0 ||
		setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one)) != 0 ||
		bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0)
		fatal("edge: cannot listen on %s: %s", text, strerror(errno));
	freeaddrinfo(found);
	struct sockaddr_storage bound;
	socklen_t length = sizeof(bound);
	char service[8];
	if (getsockname(fd, (struct sockaddr *)&bound, &length) != 0 ||
		getnameinfo((struct sockaddr *)&bound, length, host, sizeof(host), service,
			sizeof(service), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		fatal("edge: cannot read the bound address of %s", text);
	(void)snprintf(
		address, room, strchr(host, ':') != NULL ? "[%s]:%s" : "%s:%s", host, service);
	return fd;
}

static void listener_open(struct edge *edge, const char *text, bool health_only)
{
	struct edge_listener *listener = &edge->listener[edge->listeners++];
	listener->edge = edge;
	listener->health_only = health_only;
	listener->fd = listen_on(text, listener->address, sizeof(listener->address));
	listener->adopted = edge->adopted_n;
	edge_adopt(edge, listener->fd, on_listener, listener);
}

/* Accepts the connections that the kernel has already queued: closing the listener would reset
 * them. */
static void listener_close(struct edge_listener *listener)
{
	if (listener->fd < 0)
		return;
	accept_some(listener, BACKLOG);
	(void)close(listener->fd); /* which also takes it out of the set */
	listener->fd = -1;
}

/* ---- timers, signals ---- */

static void timer_fire(void *context)
{
	struct edge_timer *timer = context;
	uint64_t expirations;
	if (read(timer->fd, &expirations, sizeof(expirations)) != sizeof(expirations))
		return;
	timer->tick(timer->context);
}

void edge_every(struct edge *edge, uint32_t period_ms, edge_tick *tick, void *context)
{
	if (edge->timers == EDGE_TIMERS_MAX)
		fatal("edge: more than %d timers", EDGE_TIMERS_MAX);
	struct edge_timer *timer = &edge->timer[edge->timers++];
	const struct timespec period = {
		.tv_sec = period_ms / 1000,
		.tv_nsec = (long)(period_ms % 1000) * 1000000,
	};
	const struct itimerspec every = { .it_interval = period, .it_value = period };
	*timer = (struct edge_timer){ .tick = tick, .context = context };
	timer->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (timer->fd < 0 || timerfd_settime(timer->fd, 0, &every, NULL) != 0)
		fatal("edge: cannot make a timer: %s", strerror(errno));
	edge_adopt(edge, timer->fd, timer_fire, timer);
}

static void on_signal(void *context)
{
	struct edge *edge = context;
	struct signalfd_siginfo info;
	if (read(edge->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (edge->draining) {
		log_info("signal %u: a second signal, exiting at once", info.ssi_signo);
		edge->ended = true;
		return;
	}
	log_info("signal %u: draining, %u requests open", info.ssi_signo, edge->open);
	edge->draining = true;
	edge_ready(edge, false, "draining");
	uint32_t drain_ms = edge->config.drain_ms;
	edge->drain_until_us = clock_mono_us() + (uint64_t)drain_ms * 1000;
	for (size_t i = 0; i < edge->listeners; i++)
		if (!edge->listener[i].health_only)
			listener_close(&edge->listener[i]);
	edge_connections_sweep(edge);
	if (edge->config.draining != NULL)
		edge->config.draining(edge->config.context);
}

static void on_second(void *context)
{
	struct edge *edge = context;
	metric_set(edge->connections_gauge, (int64_t)edge->connections);
	metric_set(edge->open_gauge, (int64_t)edge->open);
	edge_http_timers(edge);
	edge_connections_sweep(edge);
	edge_doors_second(edge);
}

/* Every 20 ms: while draining, the loop must turn even without events. */
static void on_tick(void *context)
{
	struct edge *edge = context;
	edge_doors_tick(edge);
	if (!edge->draining)
		return;
	bool done = edge->open == 0 &&
		    (edge->config.drained == NULL || edge->config.drained(edge->config.context));
	if (!done && edge->now_us < edge->drain_until_us)
		return;
	if (!done)
		log_warn_as("edge.drain.incomplete",
			"not fully drained: %u requests were still open%s", edge->open,
			edge->open == 0 ? ", but other work was left" : "");
	edge->ended = true;
}

static void signals_open(struct edge *edge)
{
	sigset_t set;
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)signal(SIGPIPE, SIG_IGN);
	if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
		fatal("edge: cannot block signals: %s", strerror(errno));
	edge->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (edge->signal_fd < 0)
		fatal("edge: cannot receive signals: %s", strerror(errno));
}

/* ---- life ---- */

static uint32_t descriptors_raise(uint32_t wanted)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		fatal("edge: cannot read the limit on open files: %s", strerror(errno));
	rlim_t need = wanted + DESCRIPTORS_OWN;
	if (limit.rlim_cur < need) {
		limit.rlim_cur = limit.rlim_max < need ? limit.rlim_max : need;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
		(void)getrlimit(RLIMIT_NOFILE, &limit);
	}
	if (limit.rlim_cur >= need)
		return wanted;
	uint32_t left =
		(uint32_t)(limit.rlim_cur > 2 * DESCRIPTORS_OWN ? limit.rlim_cur - DESCRIPTORS_OWN
								: DESCRIPTORS_OWN);
	log_warn_as("edge.files.few",
		"the limit on open files (%llu) leaves room for %u connections, expected %u",
		(unsigned long long)limit.rlim_cur, left, wanted);
	return left;
}

static void defaults(struct edge_config *config)
{
	if (config->connections_max == 0)
		config->connections_max = CONNECTIONS_DEFAULT;
	if (config->idle_timeout_s == 0)
		config->idle_timeout_s = 60;
	if (config->drain_ms == 0)
		config->drain_ms = 5000;
	if (config->accepts_per_turn == 0)
		config->accepts_per_turn = 64;
}

struct edge *edge_new(const struct edge_config *config)
{
	if (sodium_init() < 0)
		fatal("edge: libsodium cannot be initialised");
	struct edge *edge = calloc(1, sizeof(*edge));
	if (edge == NULL)
		fatal("edge: out of memory");
	edge->config = *config;
	defaults(&edge->config);
	randombytes_buf(&edge->random, sizeof(edge->random));
	edge->now_us = clock_mono_us();
	edge_ready(edge, false, "starting");
	signals_open(edge);
	edge->connections_max = descriptors_raise(edge->config.connections_max);
	edge->connections_gauge =
		metric_gauge("carillon_http_connections", NULL, "Open client connections");
	edge->open_gauge =
		metric_gauge("carillon_http_open_requests", NULL, "Requests not yet answered");
	edge->accepted =
		metric_counter("carillon_http_accepted_total", NULL, "Connections accepted");
	edge->refused = metric_counter("carillon_http_connections_refused_total", NULL,
		"Connections closed at once: too many were open");
	edge_http_begin(edge);
	edge_connections_begin(edge);
	edge_doors_begin(edge);
	edge_adopt(edge, edge->signal_fd, on_signal, edge);
	listener_open(edge, config->listen, false);
	if (config->health_listen != NULL && config->health_listen[0] != '\0')
		listener_open(edge, config->health_listen, true);
	edge_every(edge, 1000, on_second, edge);
	edge_every(edge, 20, on_tick, edge);
	return edge;
}

static void on_event(struct edge *edge, const struct epoll_event *event)
{
	if (event->data.u64 >= EDGE_ADOPTED_MAX) {
		edge_connection_event(event->data.ptr, event->events);
		return;
	}
	const struct edge_adopted *adopted = &edge->adopted[event->data.u64];
	edge->now_us = clock_mono_us();
	adopted->readable(adopted->context);
}

/* Waits for nothing while a connection waits for the end of the turn. */
static void wait_for_events(struct edge *edge)
{
	struct epoll_event events[EVENTS_MAX];
	bool now = edge->woken != NULL || edge->dead != NULL;
	int n = epoll_wait(edge->epoll_fd, events, EVENTS_MAX, now ? 0 : -1);
	if (n < 0 && errno != EINTR)
		fatal("edge: epoll failed: %s", strerror(errno));
	edge->now_us = clock_mono_us();
	for (int i = 0; i < n; i++)
		on_event(edge, &events[i]);
}

int edge_run(struct edge *edge)
{
	log_info("listening on %s", edge->listener[0].address);
	while (!edge->ended) {
		wait_for_events(edge);
		edge->now_us = clock_mono_us();
		/* Requests that waited behind others are handled here: `turn` comes after them. */
		edge_connections_turn(edge);
		if (edge->config.turn != NULL)
			edge->config.turn(edge->config.context);
	}
	return 0;
}

void edge_free(struct edge **edge_ref)
{
	struct edge *edge = *edge_ref;
	if (edge == NULL)
		return;
	edge_connections_end(edge);
	for (size_t i = 0; i < edge->listeners; i++)
		if (edge->listener[i].fd >= 0)
			(void)close(edge->listener[i].fd);
	(void)close(edge->signal_fd);
	for (size_t i = 0; i < edge->timers; i++)
		(void)close(edge->timer[i].fd);
	edge_http_end(edge);
	edge_pages_free(edge);
	edge_doors_end(edge);
	free(edge);
	*edge_ref = NULL;
}

const char *edge_address(const struct edge *edge)
{
	return edge->listener[0].address;
}

const char *edge_health_address(const struct edge *edge)
{
	return edge->listeners > 1 ? edge->listener[1].address : "";
}

void *edge_context(const struct edge *edge)
{
	return edge->config.context;
}

void edge_ready(struct edge *edge, bool ready, const char *why_not)
{
	edge->ready = ready && !edge->draining;
	if (!edge->ready)
		(void)snprintf(edge->why_not, sizeof(edge->why_not), "%s",
			edge->draining	  ? "draining"
			: why_not == NULL ? ""
					  : why_not);
}

void edge_note(struct edge *edge, const char *note)
{
	(void)snprintf(edge->note, sizeof(edge->note), "%s", note);
}

uint64_t edge_now_us(const struct edge *edge)
{
	return edge->now_us;
}
