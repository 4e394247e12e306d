/* librdkafka lets us make its connections (connect_cb), but it holds a lock meanwhile. So a thread
 * of its own makes each connection and logs in. The callback waits for it for a moment, which is
 * nearly always enough; else librdkafka tries again soon, and finds the connection ready. */
#include "libcommon/io/kafka_login.h"

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
#define WAIT_US 50000u
#define KEPT_US 10000000u    /* a connection that its asker has not taken: it is gone */
#define SAY_US 1000000u	     /* between two lines of the log */
#define REFUSED_US 10000000u /* after a refusal, until it counts as over */

struct attempt {
	enum { NONE = 0, WORKS, READY, FAILED } state;
	const void *asker;
	struct sockaddr_storage address;
	socklen_t length;
	int fd, error;
	uint64_t since_us;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects all below */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct attempt attempts[ATTEMPTS_MAX];
static uint64_t refused_us, said_us;
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
	bool say = said_us == 0 || refused_us >= said_us + SAY_US;
	said_us = say ? refused_us : said_us;
	if (say)
		log_warn_as("kafka.login.refused", "%s; trying again", refusal);
	metric_add(refusals, 1);
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

/* As librdkafka expects a socket: it does not wait. */
static int connection_new(const struct sockaddr *address, socklen_t length)
{
	const struct timeval never = { 0 };
	const int on = 1;
	int fd = kafka_wire_connect_to(address, length);
	if (fd < 0)
		return -1;
	if (!log_in(fd)) {
		int error = errno;
		(void)close(fd);
		errno = error;
		return -1;
	}
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &never, sizeof(never));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &never, sizeof(never));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on)); /* its own had it */
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return fd;
}

static void *work(void *context)
{
	struct attempt *attempt = context;
	int fd = connection_new((struct sockaddr *)&attempt->address, attempt->length);
	int error = errno;
	(void)pthread_mutex_lock(&lock);
	attempt->fd = fd;
	attempt->error = error;
	attempt->state = fd >= 0 ? READY : FAILED;
	attempt->since_us = clock_mono_us();
	(void)pthread_cond_broadcast(&changed);
	(void)pthread_mutex_unlock(&lock);
	return NULL;
}

/* Signals are for the threads that wait for them. */
static bool work_begin(struct attempt *attempt)
{
	sigset_t all, before;
	pthread_t thread;
	pthread_attr_t detached;
	attempt->state = WORKS;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	(void)pthread_attr_init(&detached);
	(void)pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &detached, work, attempt) != 0)
		attempt->state = NONE;
	(void)pthread_attr_destroy(&detached);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return attempt->state == WORKS;
}

static void old_close(uint64_t now_us)
{
	for (size_t i = 0; i < ATTEMPTS_MAX; i++) {
		struct attempt *attempt = &attempts[i];
		if ((attempt->state != READY && attempt->state != FAILED) ||
			now_us < attempt->since_us + KEPT_US)
			continue;
		if (attempt->fd >= 0)
			(void)close(attempt->fd);
		attempt->state = NONE;
	}
}

static bool is_of(const struct attempt *attempt, const void *asker, const struct sockaddr *address,
	socklen_t length)
{
	return attempt->state != NONE && attempt->asker == asker && attempt->length == length &&
	       memcmp(&attempt->address, address, length) == 0;
}

/* The attempt for this asker and address, begun if there is none; NULL: too many. */
static struct attempt *attempt_of(
	const void *asker, const struct sockaddr *address, socklen_t length)
{
	struct attempt *unused = NULL;
	for (size_t i = 0; i < ATTEMPTS_MAX; i++) {
		struct attempt *attempt = &attempts[i];
		if (attempt->state == NONE)
			unused = attempt;
		else if (is_of(attempt, asker, address, length))
			return attempt;
	}
	if (unused == NULL)
		return NULL;
	unused->asker = asker;
	unused->length = length;
	memcpy(&unused->address, address, length);
	return work_begin(unused) ? unused : NULL;
}

static void wait_briefly(const struct attempt *attempt)
{
	struct timespec until;
	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += WAIT_US * 1000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (attempt->state == WORKS && pthread_cond_timedwait(&changed, &lock, &until) == 0) {
	}
}

/* The connection takes the place of librdkafka's own socket. */
static int on_connect(
	int fd, const struct sockaddr *address, int length, const char *id, void *opaque)
{
	int error = EINPROGRESS;
	(void)id;
	(void)pthread_mutex_lock(&lock);
	old_close(clock_mono_us());
	struct attempt *attempt = attempt_of(opaque, address, (socklen_t)length);
	if (attempt == NULL)
		error = EAGAIN;
	else
		wait_briefly(attempt);
	/* Meanwhile another may have taken it, and its place. */
	if (attempt != NULL && !is_of(attempt, opaque, address, (socklen_t)length))
		error = EAGAIN;
	else if (attempt != NULL && attempt->state == FAILED) {
		error = attempt->error;
		attempt->state = NONE;
	} else if (attempt != NULL && attempt->state == READY) {
		error = dup3(attempt->fd, fd, O_CLOEXEC) < 0 ? errno : 0;
		(void)close(attempt->fd);
		attempt->state = NONE;
	}
	(void)pthread_mutex_unlock(&lock);
	return error;
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
}
