/* The doors of an edge on real sockets: limits by address, proxies, hosts, clients that send
 * nothing, and a process without descriptors. Clients come from addresses in 127.0.0.0/8. */
#include "libcommon/edge/door_settings.h"
#include "libcommon/edge/edge.h"
#include "libcommon/edge/test/edge_server.h"
#include "libcommon/io/log.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static struct edge *edge;
static pthread_t thread;

static void on_peer(struct edge_request *request, void *context)
{
	(void)context;
	edge_answer(request, 200, "text/plain", edge_peer(request), strlen(edge_peer(request)));
}

static void begin(const struct door_settings *doors, uint32_t connections_max)
{
	static const struct edge_route routes[] = {
		{ EDGE_GET, "/peer", on_peer, false },
		{ EDGE_GET, NULL, NULL, false },
	};
	const struct edge_config config = {
		.service = "test",
		.listen = "127.0.0.1:0",
		.health_listen = "127.0.0.1:0",
		.routes = routes,
		.connections_max = connections_max,
		.doors = doors,
	};
	log_open("test", "test-1", LOG_ERROR);
	edge = edge_new(&config);
	thread = edge_server_run(edge);
}

static void end(void)
{
	edge_server_end(thread);
	edge_free(&edge);
	assert_null(edge);
}

static int socket_from(const char *from)
{
	struct sockaddr_in here = { .sin_family = AF_INET };
	struct timeval wait = { .tv_sec = 5 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_true(fd >= 0);
	assert_int_equal(inet_pton(AF_INET, from, &here.sin_addr), 1);
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	assert_int_equal(bind(fd, (struct sockaddr *)&here, sizeof(here)), 0);
	return fd;
}

static int connect_on(int fd, const char *address)
{
	struct sockaddr_in there = {
		.sin_family = AF_INET,
		.sin_port = htons(edge_server_port(address)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	assert_int_equal(connect(fd, (struct sockaddr *)&there, sizeof(there)), 0);
	return fd;
}

static int connect_from(const char *from)
{
	return connect_on(socket_from(from), edge_address(edge));
}

/* Sends the text and reads an answer, or "" when the connection was closed. */
static const char *talk(int fd, const char *text)
{
	static char out[65536];
	size_t n = 0;
	(void)send(fd, text, strlen(text), MSG_NOSIGNAL);
	out[0] = '\0';
	while (n + 1 < sizeof(out)) {
		ssize_t got = recv(fd, out + n, sizeof(out) - 1 - n, 0);
		if (got <= 0)
			break;
		n += (size_t)got;
		out[n] = '\0';
		const char *head = strstr(out, "\r\n\r\n");
		const char *length = strstr(out, "Content-Length: ");
		if (head != NULL && length != NULL &&
			strlen(head + 4) >= strtoul(length + 16, NULL, 10))
			break;
	}
	return out;
}

#define PEER "GET /peer HTTP/1.1\r\nHost: x\r\n"

static const char *peer_from(const char *from, const char *more)
{
	char text[1024];
	int fd = connect_from(from);
	(void)snprintf(text, sizeof(text), "%s" PEER "Connection: close\r\n\r\n", more);
	const char *answer = talk(fd, text);
	(void)close(fd);
	return answer;
}

static void expect(const char *answer, const char *text)
{
	if (strstr(answer, text) == NULL)
		fail_msg("expected %s in: %s", text, answer);
}

static void test_connections_of_an_address_and_a_network(void **state)
{
	static const struct door_settings doors = {
		.address_connections = 3, .network_connections = 4, .unlimited = "127.0.9.0/24"
	};
	int kept[5], open[6];
	(void)state;
	begin(&doors, 100);
	for (int i = 0; i < 4; i++) {
		kept[i] = connect_from(i < 3 ? "127.0.1.1" : "127.0.1.2");
		expect(talk(kept[i], PEER "\r\n"), "200 OK");
	}
	for (int i = 0; i < 6; i++) { /* none of the limited network's fifth connection */
		open[i] = connect_from(i < 3 ? "127.0.1.1" : "127.0.1.3");
		assert_string_equal(talk(open[i], PEER "\r\n"), "");
		(void)close(open[i]);
	}
	expect(peer_from("127.0.2.1", ""), "127.0.2.1");
	for (int i = 0; i < 6; i++) {
		open[i] = connect_from("127.0.9.1");
		expect(talk(open[i], PEER "\r\n"), "127.0.9.1");
	}
	for (int i = 0; i < 6; i++)
		(void)close(open[i]);
	expect(talk(kept[3], PEER "\r\n"), "127.0.1.2"); /* old clients notice nothing */
	for (int i = 0; i < 4; i++)
		(void)close(kept[i]);
	/* Their places are free again as soon as the edge has seen them go. */
	kept[4] = -1;
	for (int i = 0; i < 500 && kept[4] < 0; i++) {
		kept[4] = connect_from("127.0.1.1");
		if (*talk(kept[4], PEER "\r\n") == '\0') {
			(void)close(kept[4]);
			kept[4] = -1;
			(void)usleep(10000);
		}
	}
	assert_true(kept[4] >= 0);
	(void)close(kept[4]);
	end();
}

static void test_requests_of_an_address(void **state)
{
	static const struct door_settings doors = { .address_rate_per_s = 1 };
	int refused = 0, fd;
	(void)state;
	begin(&doors, 100);
	fd = connect_from("127.0.1.1");
	for (int i = 0; i < 6; i++) { /* four at once, then one a second */
		const char *answer = talk(fd, PEER "\r\n");
		if (strstr(answer, "429 Too Many") != NULL) {
			expect(answer, "Retry-After: ");
			expect(answer, "\"too_many\"");
			refused++;
		} else {
			expect(answer, "200 OK");
		}
	}
	assert_true(refused >= 1); /* the connection goes on, and others are not slowed */
	for (int i = 0; i < 3; i++)
		expect(peer_from(i == 0 ? "127.0.1.2" : "127.0.1.3", ""),
			i < 2 ? "200 OK" : "HTTP");
	(void)close(fd);
	end();
}

static void test_a_client_behind_a_proxy(void **state)
{
	static const struct door_settings doors = { .proxies = "127.0.0.50",
		.address_rate_per_s = 1 };
	char text[512];
	int refused = 0;
	(void)state;
	begin(&doors, 100);
	static const struct {
		const char *from, *header, *peer;
	} cases[] = {
		{ "127.0.0.50", "Forwarded: for=192.0.2.7\r\n", "192.0.2.7" },
		{ "127.0.0.50", "Forwarded: for=1.2.3.4\r\nForwarded: for=192.0.2.8\r\n",
			"192.0.2.8" },
		{ "127.0.0.50", "Forwarded: for=\"[2001:db8::1]:80\"\r\n", "2001:db8::1" },
		{ "127.0.0.50", "", "127.0.0.50" },
		{ "127.0.0.51", "Forwarded: for=192.0.2.9\r\n", "127.0.0.51" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int fd = connect_from(cases[i].from);
		(void)snprintf(text, sizeof(text), PEER "%s\r\n", cases[i].header);
		const char *answer = talk(fd, text);
		expect(answer, "200 OK");
		assert_string_equal(strstr(answer, "\r\n\r\n") + 4, cases[i].peer);
		(void)close(fd);
	}
	int fd = connect_from("127.0.0.50"); /* one connection, two clients: one too fast */
	for (int i = 0; i < 20; i++)
		refused +=
			strstr(talk(fd, PEER "Forwarded: for=192.0.2.66\r\n\r\n"), "429") != NULL;
	assert_true(refused >= 1);
	expect(talk(fd, PEER "Forwarded: for=192.0.2.67\r\n\r\n"), "200 OK");
	(void)close(fd);
	end();
}

/* The peer of a request that comes from the proxy behind `header` and forwards 192.0.2.7. */
static const char *peer_body_forwarded(const char *header, size_t length)
{
	int fd = connect_from("127.0.0.50");
	assert_int_equal(send(fd, header, length, MSG_NOSIGNAL), length);
	const char *answer = talk(fd, PEER "Forwarded: for=192.0.2.7\r\nConnection: close\r\n\r\n");
	const char *body = strstr(answer, "\r\n\r\n");
	(void)close(fd);
	return body != NULL ? body + 4 : answer;
}

static void test_the_proxy_protocol(void **state)
{
	static const struct door_settings doors = {
		.proxies = "127.0.0.50", .proxy_protocol = 1, .address_connections = 1
	};
	(void)state;
	begin(&doors, 100);
	expect(peer_from("127.0.0.50", "PROXY TCP4 192.0.2.7 127.0.0.1 1 2\r\n"), "192.0.2.7");
	expect(peer_from("127.0.0.50", "PROXY UNKNOWN\r\n"), "127.0.0.50");
	/* Behind a header that names nobody, Forwarded is the client's own word. */
	expect(peer_body_forwarded("PROXY UNKNOWN\r\n", 15), "127.0.0.50");
	for (size_t i = 0; i < 3;
		i++) { /* no family, a family of sockets in files, the proxy's own */
		static const char v2[3][17] = { "\r\n\r\n\0\r\nQUIT\n\x21\x00\0\0",
			"\r\n\r\n\0\r\nQUIT\n\x21\x31\0\0", "\r\n\r\n\0\r\nQUIT\n\x20\x00\0\0" };
		expect(peer_body_forwarded(v2[i], 16), "127.0.0.50");
	}
	assert_string_equal(peer_from("127.0.0.50", ""), "");
	expect(peer_from("127.0.0.51", ""), "127.0.0.51");
	expect(peer_from("127.0.0.52", "PROXY TCP4 192.0.2.7 127.0.0.1 1 2\r\n"), "400");
	int first = connect_from("127.0.0.50");
	expect(talk(first, "PROXY TCP4 192.0.2.8 127.0.0.1 1 2\r\n" PEER "\r\n"), "192.0.2.8");
	assert_string_equal(peer_from("127.0.0.50", "PROXY TCP4 192.0.2.8 127.0.0.1 1 2\r\n"), "");
	expect(peer_from("127.0.0.50", "PROXY TCP4 192.0.2.9 127.0.0.1 1 2\r\n"), "192.0.2.9");
	(void)close(first);
	end();
}

static void test_hosts(void **state)
{
	static const struct door_settings doors = { .hosts = "play.example, [::1],127.0.0.1" };
	static const struct {
		const char *host, *status;
	} cases[] = {
		{ "Host: play.example\r\n", "200" },
		{ "Host: PLAY.example:8080\r\n", "200" },
		{ "Host: [::1]:80\r\n", "200" },
		{ "Host: 127.0.0.1\r\n", "200" },
		{ "Host: evil.example\r\n", "421" },
		{ "Host: play.example.evil.example\r\n", "421" },
		{ "Host: play\r\n", "421" },
		{ "Host:\r\n", "421" },
	};
	char text[256];
	(void)state;
	begin(&doors, 100);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int fd = connect_from("127.0.0.1");
		(void)snprintf(text, sizeof(text), "GET /peer HTTP/1.1\r\n%s\r\n", cases[i].host);
		expect(talk(fd, text), cases[i].status);
		(void)close(fd);
	}
	end();
}

/* Half-open and idle connections fill every place: who asks is served all the same. */
static void test_those_who_wait_make_room(void **state)
{
	static const struct door_settings doors = { .half_open_max = 20, .arrival_s = 60 };
	int silent[120];
	(void)state;
	begin(&doors, 40);
	int old = connect_from("127.0.0.1");
	expect(talk(old, PEER "\r\n"), "200 OK");
	for (int i = 0; i < 120; i++) {
		silent[i] = connect_from("127.0.1.1");
		if (i % 3 == 0)
			(void)send(silent[i], "GET /peer HT", 12, MSG_NOSIGNAL);
		else if (i % 3 == 1) /* answered, and then idle */
			expect(talk(silent[i], PEER "\r\n"), "200 OK");
		expect(peer_from("127.0.2.1", ""), "127.0.2.1");
		if (i % 10 == 0)
			expect(talk(old, PEER "\r\n"), "200 OK");
	}
	for (int i = 0; i < 120; i++)
		(void)close(silent[i]);
	(void)close(old);
	end();
}

static bool is_closed(int fd)
{
	char byte;
	return recv(fd, &byte, 1, 0) == 0;
}

/* Only a whole head ends the time of arrival: not a byte, an empty line or half a PROXY header. */
static void test_some_bytes_are_no_request(void **state)
{
	static const struct door_settings doors = {
		.proxies = "127.0.0.50", .proxy_protocol = 1, .arrival_s = 1
	};
	static const struct {
		const char *from, *sent;
	} cases[] = {
		{ "127.0.1.1", "\r\n" },
		{ "127.0.1.1", "G" },
		{ "127.0.1.1", "\r\nGET /peer HTTP/1.1\r\nHost: x\r\n" },
		{ "127.0.0.50", "PROXY TCP4 192.0.2.7 127.0" },
		{ "127.0.0.50", "PROXY TCP4 192.0.2.7 127.0.0.1 1 2\r\n" },
		{ "127.0.0.50", "PROXY UNKNOWN\r\n\r\n" },
	};
	int fds[sizeof(cases) / sizeof(cases[0])];
	(void)state;
	begin(&doors, 100);
	int kept = connect_from("127.0.1.1");
	expect(talk(kept, "\r\n" PEER "\r\n"), "200 OK");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fds[i] = connect_from(cases[i].from);
		(void)send(fds[i], cases[i].sent, strlen(cases[i].sent), MSG_NOSIGNAL);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!is_closed(fds[i])) /* within the 5 s of recv */
			fail_msg("case %zu is not closed", i);
		(void)close(fds[i]);
	}
	expect(talk(kept, "\r\n" PEER "\r\n"), "200 OK"); /* its time ended with its head */
	(void)close(kept);
	end();
}

static void test_an_empty_line_is_counted_as_half_open(void **state)
{
	static const struct door_settings doors = { .half_open_max = 10, .arrival_s = 60 };
	int silent[20];
	(void)state;
	begin(&doors, 100);
	for (int i = 0; i < 20; i++) {
		silent[i] = connect_from("127.0.1.1");
		(void)send(silent[i], "\r\n", 2, MSG_NOSIGNAL);
		expect(peer_from("127.0.2.1", ""), "127.0.2.1");
	}
	for (int i = 0; i < 10; i++)
		assert_true(is_closed(silent[i]));
	for (int i = 0; i < 20; i++)
		(void)close(silent[i]);
	end();
}

/* ---- no descriptor left ---- */

/* One more than the highest descriptor; all below are in use. */
static unsigned descriptors(void)
{
	unsigned most = 0;
	DIR *dir = opendir("/proc/self/fd");
	assert_non_null(dir);
	for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		unsigned fd = (unsigned)atoi(entry->d_name);
		if (fd != (unsigned)dirfd(dir) && fd > most)
			most = fd;
	}
	(void)closedir(dir);
	for (unsigned fd = 0; fd < most; fd++) /* no gap is left */
		if (fcntl((int)fd, F_GETFD) < 0)
			assert_true(dup2(0, (int)fd) >= 0);
	return most + 1;
}

static unsigned failures(int health)
{
	const char *answer = talk(health, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
	static const char name[] = "\ncarillon_http_accept_failures_total ";
	const char *line = strstr(answer, name);
	assert_non_null(line);
	return (unsigned)strtoul(line + strlen(name), NULL, 10);
}

static void test_no_spinning_without_descriptors(void **state)
{
	static const struct door_settings doors = { .arrival_s = 60 };
	struct rlimit limit, none;
	struct timespec began, now;
	int waiting[8];
	(void)state;
	begin(&doors, 100);
	int health = connect_on(socket_from("127.0.0.1"), edge_health_address(edge));
	int old = connect_from("127.0.0.1");
	expect(talk(old, PEER "\r\n"), "200 OK");
	assert_int_equal(failures(health), 0);
	for (int i = 0; i < 8; i++)
		waiting[i] = socket_from("127.0.1.1");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = descriptors();
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	(void)clock_gettime(CLOCK_MONOTONIC, &began);
	for (int i = 0; i < 8; i++)
		(void)send(connect_on(waiting[i], edge_address(edge)), PEER "\r\n",
			strlen(PEER "\r\n"), MSG_NOSIGNAL);
	(void)usleep(300000);
	unsigned failed = failures(health);
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	/* At most one in 20 ms, where a loop that spins has thousands. */
	long ms = (now.tv_sec - began.tv_sec) * 1000 + (now.tv_nsec - began.tv_nsec) / 1000000;
	assert_in_range(failed, 1, (unsigned)ms / 20 + 2);
	expect(talk(old, PEER "\r\n"), "200 OK"); /* idle, but not for long */
	for (int i = 0; i < 8; i++) {
		expect(talk(waiting[i], ""), "127.0.1.1");
		(void)close(waiting[i]);
	}
	(void)close(old);
	(void)close(health);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_connections_of_an_address_and_a_network),
		cmocka_unit_test(test_requests_of_an_address),
		cmocka_unit_test(test_a_client_behind_a_proxy),
		cmocka_unit_test(test_the_proxy_protocol),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_those_who_wait_make_room),
		cmocka_unit_test(test_some_bytes_are_no_request),
		cmocka_unit_test(test_an_empty_line_is_counted_as_half_open),
		cmocka_unit_test(test_no_spinning_without_descriptors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
