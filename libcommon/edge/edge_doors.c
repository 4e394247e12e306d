/* The doors: who may come in, how many, how fast, and who must leave when there is no room.
 *
 * A client that only opens connections, sends a head byte by byte or takes no byte of its answer
 * costs the others nothing: such connections stand in lists, and the one that has waited longest is
 * closed when a new one needs its place. Connections and requests are limited by the client's
 * address and network (crowds.h). When the process has no descriptor left, the listener is left
 * alone for a moment: its readiness would otherwise turn the loop without end. */
#include "libcommon/edge/door_settings.h"
#include "libcommon/edge/private/server.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>

#define HALF_OPEN_DEFAULT 2000u
#define ARRIVAL_DEFAULT_S 10u
#define BURSTS 4u /* of the rate */
#define HALF_OPEN_GRACE_US UINT64_C(100000)
#define CROWD_GRACE_US UINT64_C(400000)
#define IDLE_GRACE_US UINT64_C(5000000)
#define SLOWED_US UINT64_C(1000000)
#define PAUSE_US UINT64_C(20000)
#define SHED_AT_ONCE 64u
#define OUT_KEPT (256u << 10)	   /* bytes of the buffer in which answers are assembled */
#define GIVEN_BACK_MIN (4u << 20)  /* bytes freed before the system gets memory back */
#define TRIM_US UINT64_C(10000000) /* between two such times */
#define FORWARDED_MAX 1024u

/* ---- life ---- */

static void networks_read(const char *name, const char *text, struct networks *networks)
{
	char bad[80];
	if (!networks_parse(text, networks, bad, sizeof(bad)))
		fatal("the setting %s: found \"%s\", expected at most %d networks such as "
		      "10.0.0.0/8 or 2001:db8::/32, separated by commas",
			name, bad, NETWORKS_MAX);
}

static void limits_begin(struct edge *edge)
{
	const struct door_settings *doors = edge->doors;
	const struct crowd_limits address = {
		.connections = (uint32_t)doors->address_connections,
		.rate_per_s = (uint32_t)doors->address_rate_per_s,
		.burst = BURSTS * (uint32_t)doors->address_rate_per_s,
	};
	const struct crowd_limits network = {
		.connections = (uint32_t)doors->network_connections,
		.rate_per_s = (uint32_t)doors->network_rate_per_s,
		.burst = BURSTS * (uint32_t)doors->network_rate_per_s,
	};
	networks_read("PROXIES", doors->proxies, &edge->proxies);
	networks_read("UNLIMITED", doors->unlimited, &edge->unlimited);
	if (doors->half_open_max > 0)
		edge->half_open_max = (uint32_t)doors->half_open_max;
	if (doors->arrival_s > 0)
		edge->arrival_us = (uint64_t)doors->arrival_s * 1000000;
	edge->crowds = crowds_new(&address, &network, edge->connections_max);
	if (edge->crowds == NULL)
		fatal("edge: out of memory");
}

void edge_doors_begin(struct edge *edge)
{
	edge->doors = edge->config.doors;
	edge->half_open_max = HALF_OPEN_DEFAULT;
	edge->arrival_us = ARRIVAL_DEFAULT_S * UINT64_C(1000000);
	edge->half_open_gauge = metric_gauge("carillon_http_half_open", NULL,
		"Connections whose first request has not arrived in full");
	edge->shed = metric_counter("carillon_http_connections_shed_total", NULL,
		"Waiting connections closed to make room for new ones");
	edge->refused_address = metric_counter("carillon_http_connections_limited_total", NULL,
		"Connections closed at once: their address or network has too many or opens them "
		"too fast");
	edge->refused_rate = metric_counter("carillon_http_requests_limited_total", NULL,
		"Requests refused: their address or network sent too many");
	edge->accept_failed = metric_counter("carillon_http_accept_failures_total", NULL,
		"Failed attempts to accept a connection, for lack of descriptors or memory");
	if (edge->doors != NULL)
		limits_begin(edge);
}

void edge_doors_end(struct edge *edge)
{
	crowds_free(&edge->crowds);
}

/* ---- connections that wait ---- */

static void waiter_out(struct edge_connection *connection)
{
	struct edge_waiters *list = &connection->listener->edge->waiters[connection->waiting];
	if (connection->waits_before != NULL)
		connection->waits_before->waits_after = connection->waits_after;
	else
		list->oldest = connection->waits_after;
	if (connection->waits_after != NULL)
		connection->waits_after->waits_before = connection->waits_before;
	else
		list->newest = connection->waits_before;
	connection->waits_before = connection->waits_after = NULL;
	connection->waiting = EDGE_WAITS_NOT;
	list->n--;
}

void edge_doors_wait(struct edge_connection *connection, enum edge_waiting waiting)
{
	struct edge_waiters *list = &connection->listener->edge->waiters[waiting];
	if (connection->waiting != EDGE_WAITS_NOT)
		waiter_out(connection);
	if (waiting == EDGE_WAITS_NOT || connection->closing || connection->listener->health_only)
		return;
	connection->waiting = (uint8_t)waiting;
	connection->waits_since_us = connection->listener->edge->now_us;
	connection->waits_before = list->newest;
	if (list->newest != NULL)
		list->newest->waits_after = connection;
	else
		list->oldest = connection;
	list->newest = connection;
	list->n++;
}

/* Closes the connection that has waited longest in a list; false when the list is empty. */
static bool close_oldest(struct edge *edge, enum edge_waiting waiting)
{
	struct edge_connection *oldest = edge->waiters[waiting].oldest;
	if (oldest == NULL)
		return false;
	waiter_out(oldest);
	metric_add(edge->shed, 1);
	edge_connection_close(oldest);
	return true;
}

static bool has_waited(const struct edge *edge, enum edge_waiting waiting, uint64_t grace_us)
{
	const struct edge_connection *oldest = edge->waiters[waiting].oldest;
	return oldest != NULL && edge->now_us >= oldest->waits_since_us + grace_us;
}

/* Closes up to n half-open connections whose clients have had time to send a request, or, when
 * there is none, one that has been idle for so long: a client between two requests has done nothing
 * wrong. */
static bool shed(struct edge *edge, uint32_t n, uint64_t idle_us)
{
	uint32_t closed = 0;
	while (closed < n && has_waited(edge, EDGE_HALF_OPEN, HALF_OPEN_GRACE_US) &&
		close_oldest(edge, EDGE_HALF_OPEN))
		closed++;
	return closed > 0 ||
	       (has_waited(edge, EDGE_IDLE, idle_us) && close_oldest(edge, EDGE_IDLE));
}

/* ---- connections ---- */

static bool is_limited(const struct edge *edge, const struct address *client)
{
	return edge->crowds != NULL && !networks_have(&edge->unlimited, client);
}

const struct address *edge_limited(const struct edge_request *request)
{
	return is_limited(request->edge, &request->client) ? &request->client : NULL;
}

static void gate_set(struct edge_listener *listener, bool open)
{
	struct epoll_event event = { .events = open ? (uint32_t)EPOLLIN : 0,
		.data.u64 = listener->adopted };
	if (epoll_ctl(listener->edge->epoll_fd, EPOLL_CTL_MOD, listener->fd, &event) != 0)
		fatal("edge: epoll failed: %s", strerror(errno));
}

/* Until the listener is opened again, new connections wait in the kernel's queue. */
static void pause_accepting(struct edge_listener *listener)
{
	gate_set(listener, false);
	listener->paused_until_us = clock_mono_us() + PAUSE_US;
}

/* Thousands who come at once are half-open at the same time, and none of them is an attacker: no
 * more are accepted until the oldest of them has had time to send its request. */
bool edge_doors_open(struct edge_listener *listener)
{
	struct edge *edge = listener->edge;
	if (listener->health_only || edge->waiters[EDGE_HALF_OPEN].n < edge->half_open_max ||
		has_waited(edge, EDGE_HALF_OPEN, CROWD_GRACE_US))
		return true;
	pause_accepting(listener);
	return false;
}

bool edge_doors_room(const struct edge_listener *listener, const struct address *peer)
{
	struct edge *edge = listener->edge;
	(void)peer;
	if (listener->health_only)
		return true;
	if (edge->waiters[EDGE_HALF_OPEN].n >= edge->half_open_max)
		(void)close_oldest(edge, EDGE_HALF_OPEN);
	/* A closed connection is freed at the end of the turn: until then both are open. */
	if (edge->connections < edge->connections_max ||
		(edge->connections < edge->connections_max + SHED_AT_ONCE && shed(edge, 1, 0)))
		return true;
	metric_add(edge->refused, 1);
	return false;
}

bool edge_doors_enter(struct edge_connection *connection)
{
	struct edge *edge = connection->listener->edge;
	if (connection->listener->health_only || connection->counted ||
		!is_limited(edge, &connection->client))
		return true;
	uint32_t retry_s;
	/* A connection counts as a request: who only connects and leaves is limited too. */
	connection->counted =
		crowds_request(edge->crowds, &connection->client, edge->now_us, &retry_s) &&
		crowds_enter(edge->crowds, &connection->client, edge->now_us);
	if (!connection->counted)
		metric_add(edge->refused_address, 1);
	return connection->counted;
}

void edge_doors_leave(struct edge_connection *connection)
{
	if (connection->counted)
		crowds_leave(connection->listener->edge->crowds, &connection->client);
	connection->counted = false;
}

bool edge_doors_names_client(struct edge_connection *connection)
{
	struct address client;
	size_t used;
	enum proxy_status status =
		proxy_header_read((const uint8_t *)connection->in + connection->in_at,
			connection->in_used - connection->in_at, &client, &used);
	if (status == PROXY_MORE)
		return false;
	if (status == PROXY_BAD) {
		char text[ADDRESS_TEXT_MAX];
		address_format(&connection->client, text);
		log_warn_as("edge.proxy.nameless",
			"closed a connection from the proxy %s: it does not begin with a "
			"PROXY protocol header",
			text);
		edge_connection_close(connection);
		return false;
	}
	connection->in_at += used;
	connection->names_client = false;
	if (status == PROXY_OK)
		connection->client = client;
	/* Even when the header names nobody: what comes behind it is the client's own word. */
	connection->by_proxy = false;
	if (edge_doors_enter(connection))
		return true;
	edge_connection_close(connection);
	return false;
}

/* ---- requests ---- */

struct address edge_doors_client(
	const struct edge_connection *connection, const struct http_head *head)
{
	struct address client;
	char all[FORWARDED_MAX] = "";
	size_t n = 0;
	for (size_t i = 0; i < head->fields_n; i++) {
		if (strcmp(head->fields[i].name, "forwarded") != 0)
			continue;
		int more = snprintf(
			all + n, sizeof(all) - n, "%s%s", n > 0 ? "," : "", head->fields[i].value);
		if (more < 0 || (size_t)more >= sizeof(all) - n)
			return connection->client;
		n += (size_t)more;
	}
	return forwarded_client(all, &connection->listener->edge->proxies, &client)
		       ? client
		       : connection->client;
}

/* "a.example:8080" and "[::1]:8080" without their ports, in a list of names. */
static bool host_listed(const char *hosts, const char *host)
{
	size_t length = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
	for (;;) {
		hosts += strspn(hosts, " \t,");
		size_t n = strcspn(hosts, " \t,");
		if (n == 0)
			return false;
		if (n == length && strncasecmp(hosts, host, n) == 0)
			return true;
		hosts += n;
	}
}

static bool has_hidden_slash(const char *path)
{
	for (const char *at = strchr(path, '%'); at != NULL; at = strchr(at + 1, '%'))
		if (strncasecmp(at, "%2f", 3) == 0)
			return true;
	return false;
}

/* The connection of a proxy becomes one client's, for as long as it streams. */
static bool stream_enters(struct edge_request *request, const struct http_head *head)
{
	struct edge_connection *connection = request->connection;
	if (!connection->by_proxy || !head->upgrade)
		return true;
	connection->client = request->client;
	return edge_doors_enter(connection);
}

static bool refuse(struct edge_request *request, uint32_t status, const char *code,
	const char *message, const char *where, const char *found, const char *expected)
{
	request->close = true;
	edge_answer_error(request, status, code, message, where, found, expected);
	return false;
}

static void refuse_rate(struct edge_request *request, uint32_t retry_s)
{
	char text[16];
	(void)snprintf(text, sizeof(text), "%" PRIu32, retry_s);
	/* Nothing more is read from a client that is too fast: what it sends waits at its own end.
	 * A proxy's connection carries other clients too. */
	if (!request->connection->by_proxy)
		request->connection->slowed_until_us = request->edge->now_us + SLOWED_US;
	edge_answer_header(request, "Retry-After", text);
	edge_http_refuse(request, 429, "too_many",
		"Too many requests are coming from this address or its network. Nothing was done. "
		"Try again later.");
}

bool edge_doors_request(struct edge_request *request, const struct http_head *head)
{
	struct edge *edge = request->edge;
	const char *host = http_head_field(head, "host");
	uint32_t retry_s = 1;
	if (has_hidden_slash(head->path))
		return refuse(request, 400, "path_refused",
			"The path contains an encoded slash (%2F).", "path", "%2F",
			"slashes only between the segments of the path");
	if (edge->doors != NULL && edge->doors->hosts[0] != '\0' &&
		(host == NULL || !host_listed(edge->doors->hosts, host)))
		return refuse(request, 421, "host_refused",
			"This server does not serve the host in the Host header.", "Host",
			host == NULL ? "nothing" : host, NULL);
	if (!is_limited(edge, &request->client))
		return true;
	if (!crowds_request(edge->crowds, &request->client, edge->now_us, &retry_s)) {
		metric_add(edge->refused_rate, 1);
		refuse_rate(request, retry_s);
	} else if (!stream_enters(request, head)) {
		return refuse(request, 429, "too_many",
			"There are too many connections from this address or its network. Nothing "
			"was done. Try again later.",
			NULL, NULL, NULL);
	}
	return true;
}

/* ---- no descriptor left ---- */

void edge_doors_exhausted(struct edge_listener *listener, int error)
{
	struct edge *edge = listener->edge;
	metric_add(edge->accept_failed, 1);
	if (edge->accept_failures++ == 0)
		log_error_as("edge.accept.failed",
			"cannot accept a connection: %s; the listener pauses, and waiting "
			"connections are closed: raise the limit on open files or lower the "
			"number of connections",
			strerror(error));
	(void)shed(edge, SHED_AT_ONCE, IDLE_GRACE_US);
	pause_accepting(listener);
}

void edge_doors_tick(struct edge *edge)
{
	for (size_t i = 0; i < edge->listeners; i++) {
		struct edge_listener *listener = &edge->listener[i];
		if (listener->paused_until_us == 0 || listener->fd < 0 ||
			edge->now_us < listener->paused_until_us)
			continue;
		listener->paused_until_us = 0;
		gate_set(listener, true);
	}
}

/* ---- once a second ---- */

void edge_doors_second(struct edge *edge)
{
	metric_set(edge->half_open_gauge, (int64_t)edge->waiters[EDGE_HALF_OPEN].n);
	if (edge->accept_failures > 1)
		log_error_as("edge.accept.failed_more",
			"accept failed %" PRIu64 " times since the last message",
			edge->accept_failures - 1);
	edge->accept_failures = edge->accept_failures > 1 ? 1 : 0;
	if (edge->out_room > OUT_KEPT) {
		edge->given_back += edge->out_room;
		free(edge->out);
		edge->out = NULL;
		edge->out_room = 0;
	}
	if (edge->given_back >= GIVEN_BACK_MIN && edge->now_us >= edge->trim_us) {
		edge->trim_us = edge->now_us + TRIM_US;
		edge->given_back = 0;
		(void)malloc_trim(0);
	}
}
