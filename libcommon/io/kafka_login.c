/* librdkafka lets us make its connections (connect_cb), but it holds a lock meanwhile, and after a
 * callback that fails it waits a second. So the callback returns at once: librdkafka's socket
 * becomes one that cannot be written to, which librdkafka takes for a connection under way, and a
 * thread connects and logs in. Then the thread puts its connection in the socket's place and closes
 * the other end, which wakes librdkafka. A socket that librdkafka closes before that ends the
 * thread, too: none is left when its handle is gone. */
#include "libcommon/io/kafka_login.h"

#include "libcommon/base/per_second.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/kafka_wire.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define ATTEMPTS_MAX 64
#define REFUSED_US 10000000u /* after a refusal, until it counts as over */

enum attempt_state {
	UNUSED = 0,
	WORKS,
	ENDED,	/* its thread needs the lock no more, but nobody has joined it */
	LEAVING /* somebody joins it */
};

struct attempt {
	enum attempt_state state;
	pthread_t thread;
	struct sockaddr_storage address;
	socklen_t length;
	int socket;	/* librdkafka's; -1: it has closed it */
	int other;	/* the other end of what stands in its place */
	int connection; /* the thread's; -1: none yet, or no more */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects all below */
static struct attempt attempts[ATTEMPTS_MAX];
static uint64_t refused_us;
static struct per_second refused_said, lost_said;
static char refusal[240];
static struct metric *refusals;

static const char *tool_file;

void kafka_login_from(const char *path)
{
	tool_file = path;
}

/* Tools have no table of settings. */
static const char *login_file(void)
{
	if (tool_file != NULL || common.kafka_login[0] != '\0')
		return tool_file != NULL ? tool_file : common.kafka_login;
	return getenv("CARILLON_KAFKA_LOGIN") != NULL ? getenv("CARILLON_KAFKA_LOGIN") : "";
}

bool kafka_user_take(FILE *file, struct kafka_user *user_r)
{
	bool good = file != NULL && fscanf(file, "%63s %127s", user_r->name, user_r->password) == 2;
	if (file != NULL)
		(void)fclose(file);
	return good;
}

bool kafka_user_read(const char *path, struct kafka_user *user_r)
{
	return kafka_user_take(fopen(path, "re"), user_r);
}

const char *kafka_login_refusal(void)
{
	static char copy[sizeof(refusal)];
	(void)pthread_mutex_lock(&lock);
	bool lately = refused_us != 0 && clock_mono_us() < refused_us + REFUSED_US;
	(void)snprintf(copy, sizeof(copy), "%s", lately ? refusal : "");
	(void)pthread_mutex_unlock(&lock);
	return copy;
}

/* Many connections fail for the same reason: one line a second says so. */
static void refuse(const char *found, const char *expected)
{
	(void)pthread_mutex_lock(&lock);
	refused_us = clock_mono_us();
	(void)snprintf(refusal, sizeof(refusal),
		"Kafka: CARILLON_KAFKA_LOGIN: %.60s: found %.110s, expected %s", login_file(),
		found, expected);
	if (per_second_take(&refused_said, refused_us, 1))
		log_warn_as("kafka.login.refused", "%s; trying again", refusal);
	metric_add(refusals, 1);
	(void)pthread_mutex_unlock(&lock);
}

/* librdkafka does not learn why. */
static void lost(int error)
{
	(void)pthread_mutex_lock(&lock);
	if (error != EACCES && per_second_take(&lost_said, clock_mono_us(), 1))
		log_info("kafka: cannot connect: %s; trying again", strerror(error));
	(void)pthread_mutex_unlock(&lock);
}

static void accepted(void)
{
	(void)pthread_mutex_lock(&lock);
	refused_us = 0;
	(void)pthread_mutex_unlock(&lock);
}

static bool log_in(int fd)
{
	struct kafka_user user;
	char why[200] = "", found[256];
	if (!kafka_user_read(login_file(), &user)) {
		refuse("no readable user and password", "both");
		errno = EACCES;
		return false;
	}
	enum kafka_wire_status status = kafka_wire_log_in(
		fd, KAFKA_LOGIN_SCRAM, user.name, user.password, why, sizeof(why));
	explicit_bzero(user.password, sizeof(user.password));
	if (status == KAFKA_WIRE_REFUSED) {
		(void)snprintf(found, sizeof(found), "the user %s, who is refused (%.60s)",
			user.name, why);
		refuse(found, "a password of Kafka's (scripts/topics.sh)");
	} else if (status == KAFKA_WIRE_OK) {
		accepted();
	}
	errno = status == KAFKA_WIRE_LOST ? ECONNRESET : EACCES;
	return status == KAFKA_WIRE_OK;
}

/* False: librdkafka has closed its socket. From now on that ends the connection, too. */
static bool connection_announce(struct attempt *attempt, int connection)
{
	(void)pthread_mutex_lock(&lock);
	bool wanted = attempt->socket >= 0;
	attempt->connection = wanted ? connection : -1;
	(void)pthread_mutex_unlock(&lock);
	return wanted;
}

static int connection_drop(struct attempt *attempt, int connection)
{
	int error = errno;
	(void)pthread_mutex_lock(&lock);
	attempt->connection = -1;
	(void)close(connection);
	(void)pthread_mutex_unlock(&lock);
	errno = error;
	return -1;
}

/* As librdkafka expects a socket: it does not wait. */
static int connection_new(struct attempt *attempt)
{
	const struct sockaddr *address = (const struct sockaddr *)&attempt->address;
	const struct timeval never = { 0 };
	const int on = 1;
	int fd = kafka_wire_socket(address);
	if (fd < 0)
		return -1;
	if (!connection_announce(attempt, fd) ||
		!kafka_wire_connect_to(fd, address, attempt->length) || !log_in(fd))
		return connection_drop(attempt, fd);
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &never, sizeof(never));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &never, sizeof(never));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on)); /* its own had it */
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return fd;
}

/* The socket is librdkafka's until librdkafka closes it: then its number may be another's. False:
 * it has closed it. */
static bool hand_over(struct attempt *attempt, int connection)
{
	(void)pthread_mutex_lock(&lock);
	bool wanted = attempt->socket >= 0;
	if (connection >= 0 && wanted)
		(void)dup3(connection, attempt->socket, O_CLOEXEC);
	/* With bytes in it that nobody has read: librdkafka finds ECONNRESET if it has no
	 * connection. */
	(void)close(attempt->other);
	attempt->connection = -1;
	if (connection >= 0)
		(void)close(connection);
	if (attempt->state == WORKS)
		attempt->state = ENDED;
	(void)pthread_mutex_unlock(&lock);
	return wanted;
}

static void *work(void *context)
{
	struct attempt *attempt = context;
	int connection = connection_new(attempt);
	int error = errno;
	if (hand_over(attempt, connection) && connection < 0)
		lost(error);
	return NULL;
}

/* Signals are for the threads that wait for them. */
static bool work_begin(struct attempt *attempt)
{
	sigset_t all, before;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	bool begun = pthread_create(&attempt->thread, NULL, work, attempt) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	attempt->state = begun ? WORKS : UNUSED;
	return begun;
}

/* Takes the socket's place with an end of a pair that is full; returns the other end, or -1. */
static int stand_in(int socket)
{
	static const char nothing[1024];
	const int least = 1; /* the kernel takes its own smallest size instead */
	int pair[2];
	bool stands;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0)
		return -1;
	(void)setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &least, sizeof(least));
	while (send(pair[0], nothing, sizeof(nothing), MSG_NOSIGNAL) > 0) {
	}
	stands = dup3(pair[0], socket, O_CLOEXEC) >= 0;
	(void)close(pair[0]);
	if (stands)
		return pair[1];
	(void)close(pair[1]);
	return -1;
}

/* Waits for the end of its thread. The lock is held, but not meanwhile. */
static void attempt_join(struct attempt *attempt)
{
	pthread_t thread = attempt->thread;
	attempt->state = LEAVING;
	(void)pthread_mutex_unlock(&lock);
	(void)pthread_join(thread, NULL);
	(void)pthread_mutex_lock(&lock);
	attempt->state = UNUSED;
}

static struct attempt *attempt_unused(void)
{
	for (size_t i = 0; i < ATTEMPTS_MAX; i++) {
		if (attempts[i].state == ENDED)
			attempt_join(&attempts[i]);
		if (attempts[i].state == UNUSED)
			return &attempts[i];
	}
	return NULL;
}

static int on_connect(
	int fd, const struct sockaddr *address, int length, const char *id, void *opaque)
{
	bool begun = false;
	(void)id;
	(void)opaque;
	(void)pthread_mutex_lock(&lock);
	struct attempt *attempt = attempt_unused();
	int other = attempt == NULL ? -1 : stand_in(fd);
	if (other >= 0) {
		*attempt = (struct attempt){
			.socket = fd, .other = other, .connection = -1, .length = (socklen_t)length
		};
		memcpy(&attempt->address, address, (size_t)length);
		begun = work_begin(attempt);
		if (!begun)
			(void)close(other);
	}
	(void)pthread_mutex_unlock(&lock);
	return begun ? 0 : EAGAIN;
}

static int on_close(int fd, void *opaque)
{
	(void)opaque;
	(void)pthread_mutex_lock(&lock);
	for (size_t i = 0; i < ATTEMPTS_MAX; i++) {
		if (attempts[i].state != WORKS || attempts[i].socket != fd)
			continue;
		attempts[i].socket = -1;
		if (attempts[i].connection >= 0) /* its thread ends at once */
			(void)shutdown(attempts[i].connection, SHUT_RDWR);
	}
	int closed = close(fd);
	(void)pthread_mutex_unlock(&lock);
	return closed;
}

/* A thread that is left behind would use OpenSSL after the exit handler that frees it. */
void kafka_login_end(rd_kafka_t *rk)
{
	rd_kafka_destroy(rk);
	(void)pthread_mutex_lock(&lock);
	for (size_t i = 0; i < ATTEMPTS_MAX; i++)
		if (attempts[i].state == ENDED ||
			(attempts[i].state == WORKS && attempts[i].socket < 0))
			attempt_join(&attempts[i]);
	(void)pthread_mutex_unlock(&lock);
}

void kafka_login_configure(rd_kafka_conf_t *conf)
{
	if (login_file()[0] == '\0')
		return;
	(void)pthread_mutex_lock(&lock);
	if (refusals == NULL)
		refusals = metric_counter("carillon_kafka_login_refused_total", NULL,
			"Log-ins to Kafka that failed: no readable password, or a wrong one.");
	(void)pthread_mutex_unlock(&lock);
	rd_kafka_conf_set_connect_cb(conf, on_connect);
	rd_kafka_conf_set_closesocket_cb(conf, on_close);
}
