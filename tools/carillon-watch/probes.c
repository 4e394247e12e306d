/* Whether the servers beside the database answer. */
#include "libcommon/io/metrics.h"
#include "tools/carillon-watch/watch.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool host_split(const char *address, char host[256], char port[16])
{
	size_t first = strcspn(address, ",");
	char one[256];
	char *colon;
	if (first >= sizeof(one))
		return false;
	(void)snprintf(one, sizeof(one), "%.*s", (int)first, address);
	colon = strrchr(one, ':');
	if (colon == NULL || (size_t)(colon - one) >= 256 || strlen(colon + 1) >= 16)
		return false;
	*colon = '\0';
	(void)snprintf(host, 256, "%s", one);
	(void)snprintf(port, 16, "%s", colon + 1);
	return true;
}

/* A connected socket whose reads and writes take a second at most; -1: none. */
static int reach(const char *address)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found = NULL;
	struct timeval second = { .tv_sec = 1 };
	char host[256], port[16];
	int fd = -1;
	if (!host_split(address, host, port) || getaddrinfo(host, port, &hints, &found) != 0)
		return -1;
	for (const struct addrinfo *at = found; at != NULL && fd < 0; at = at->ai_next) {
		fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
		if (fd < 0)
			continue;
		/* Linux bounds connect() by the time that a write may take. */
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof(second));
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
		if (connect(fd, at->ai_addr, at->ai_addrlen) != 0) {
			(void)close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(found);
	return fd;
}

/* Any reply shows that Redis works on requests: that we have no password is one too. */
static bool redis_answers(const char *address)
{
	static const char PING[] = "PING\r\n";
	char reply = 0;
	int fd = reach(address);
	if (fd < 0)
		return false;
	bool answered = send(fd, PING, sizeof(PING) - 1, MSG_NOSIGNAL) == sizeof(PING) - 1 &&
			recv(fd, &reply, 1, 0) == 1 && (reply == '+' || reply == '-');
	(void)close(fd);
	return answered;
}

static bool kafka_listens(const char *address)
{
	int fd = reach(address);
	if (fd < 0)
		return false;
	(void)close(fd);
	return true;
}

void watch_probes(const struct watch_options *options)
{
	if (options->redis != NULL && options->redis[0] != '\0')
		metric_set(metric_gauge("carillon_redis_up", NULL, "1: Redis answers."),
			redis_answers(options->redis));
	if (options->kafka != NULL && options->kafka[0] != '\0' &&
		strcmp(options->kafka, "none") != 0)
		metric_set(metric_gauge("carillon_kafka_up", NULL,
				   "1: the first broker takes connections."),
			kafka_listens(options->kafka));
}
