/* What the services ask of the operating system, and the thin modules over it: descriptors, epoll,
 * signals, sleeping, time, log, health, metrics, random bytes. */
#include "tests/sim/world/kernel.h"
#include "tests/sim/fake.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/health.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

FAKE(clock_wall_us);
FAKE(clock_mono_us);
FAKE(log_open);
FAKE(log_level_parse);
FAKE(log_trace);
FAKE(log_hop);
FAKE(log_line);
FAKE(fatal);
FAKE(log_on_fatal);
FAKE(health_start);
FAKE(health_address);
FAKE(health_tick);
FAKE(health_ready);
FAKE(health_fail);
FAKE(health_note);
FAKE(health_stop);
FAKE(metric_counter);
FAKE(metric_gauge);
FAKE(metric_histogram_us);
FAKE(metric_add);
FAKE(metric_set);
FAKE(metric_observe_us);

#define FD_FIRST 1000000
#define FDS_MAX 1024
#define LINE_BYTES 400
/* From something to read to the loop's turn, and the least a turn takes. */
#define TURN_LEAST_US 100
#define TURN_MOST_US 1600

int __wrap_epoll_create1(int flags);
int __wrap_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event);
int __wrap_epoll_wait(int epoll, struct epoll_event *events, int max, int timeout_ms);
int __wrap_signalfd(int fd, const sigset_t *mask, int flags);
int __wrap_sigprocmask(int how, const sigset_t *set, sigset_t *old);
void (*__wrap_signal(int number, void (*handler)(int)))(int);
int __wrap_usleep(useconds_t us);
pid_t __wrap_getpid(void);
ssize_t __wrap_read(int fd, void *bytes, size_t n);
int __wrap_close(int fd);
void __wrap_exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));
void __wrap___assert_fail(const char *what, const char *file, unsigned line, const char *function)
	__attribute__((noreturn));
void __wrap_randombytes_buf(void *bytes, size_t n);

/* ---- descriptors ------------------------------------------------------------------------------
 */

static struct fd {
	bool open, readable;
	struct sim_process *process;
} fds[FDS_MAX];

static struct fd *fd_at(int fd)
{
	return fd >= FD_FIRST && fd < FD_FIRST + FDS_MAX ? &fds[fd - FD_FIRST] : NULL;
}

int sim_fd_open(void)
{
	for (int i = 0; i < FDS_MAX; i++) {
		if (fds[i].open)
			continue;
		fds[i] = (struct fd){ .open = true, .process = sim_current() };
		return FD_FIRST + i;
	}
	sim_fail("no descriptor left");
}

static bool watches(const struct sim_process *process, int fd)
{
	for (size_t i = 0; i < process->watched_n; i++)
		if (process->watched[i] == fd)
			return true;
	return false;
}

void sim_fd_set(int number, bool readable)
{
	struct fd *fd = fd_at(number);
	if (fd == NULL || !fd->open || fd->readable == readable)
		return;
	fd->readable = readable;
	struct sim_process *process = fd->process;
	if (!readable || process == NULL || !process->in_epoll || !watches(process, number))
		return;
	process->in_epoll = false;
	process_wake(process, sim_now_us() + stream_us(STREAM_TIMES, TURN_LEAST_US, TURN_MOST_US));
}

void sim_fd_close(int number)
{
	struct fd *fd = fd_at(number);
	if (fd == NULL || !fd->open)
		return;
	fd->open = false;
	struct sim_process *process = fd->process;
	for (size_t i = 0; process != NULL && i < process->watched_n; i++)
		if (process->watched[i] == number)
			process->watched[i] = process->watched[--process->watched_n];
}

void fds_died(struct sim_process *process)
{
	for (int i = 0; i < FDS_MAX; i++)
		if (fds[i].open && fds[i].process == process)
			fds[i].open = false;
	process->watched_n = 0;
}

int __wrap_epoll_create1(int flags)
{
	(void)flags;
	return sim_fd_open();
}

int __wrap_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
	struct sim_process *process = sim_current();
	(void)epoll;
	if (operation != EPOLL_CTL_ADD || event->data.fd != fd || fd_at(fd) == NULL)
		sim_fail("epoll_ctl: found a use the simulator does not know");
	if (process->watched_n == WATCHED_MAX)
		sim_fail("epoll_ctl: more than %d descriptors", WATCHED_MAX);
	process->watched[process->watched_n++] = fd;
	return 0;
}

static bool any_ready(const struct sim_process *process)
{
	for (size_t i = 0; i < process->watched_n; i++)
		if (fds[process->watched[i] - FD_FIRST].readable)
			return true;
	return false;
}

int __wrap_epoll_wait(int epoll, struct epoll_event *events, int max, int timeout_ms)
{
	struct sim_process *process = sim_current();
	int n = 0;
	(void)epoll;
	if (any_ready(process)) {
		process_wait_until(
			sim_now_us() + stream_us(STREAM_TIMES, TURN_LEAST_US, TURN_MOST_US));
	} else {
		process->in_epoll = true;
		process_wait_until(
			sim_now_us() + (uint64_t)(timeout_ms < 1 ? 1 : timeout_ms) * 1000);
		process->in_epoll = false;
	}
	for (size_t i = 0; i < process->watched_n && n < max; i++) {
		if (!fds[process->watched[i] - FD_FIRST].readable)
			continue;
		events[n].events = EPOLLIN;
		events[n++].data.fd = process->watched[i];
	}
	return n;
}

/* ---- signals, sleeping, ends -------------------------------------------------------------------
 */

int __wrap_signalfd(int fd, const sigset_t *mask, int flags)
{
	(void)fd;
	(void)mask;
	(void)flags;
	return sim_current()->signal_fd = sim_fd_open();
}

int __wrap_sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	(void)how;
	(void)set;
	(void)old;
	return 0;
}

void (*__wrap_signal(int number, void (*handler)(int)))(int)
{
	(void)number;
	(void)handler;
	return SIG_DFL;
}

ssize_t __wrap_read(int fd, void *bytes, size_t n)
{
	struct sim_process *process = sim_current();
	if (fd_at(fd) == NULL)
		return read(fd, bytes, n);
	if (process == NULL || fd != process->signal_fd || !process->signalled) {
		errno = EAGAIN;
		return -1;
	}
	struct signalfd_siginfo info = { .ssi_signo = SIGTERM };
	process->signalled = false;
	sim_fd_set(fd, false);
	memcpy(bytes, &info, n < sizeof(info) ? n : sizeof(info));
	return (ssize_t)sizeof(info);
}

int __wrap_close(int fd)
{
	if (fd_at(fd) == NULL)
		return close(fd);
	sim_fd_close(fd);
	return 0;
}

int __wrap_usleep(useconds_t us)
{
	sim_wait_us(us);
	return 0;
}

pid_t __wrap_getpid(void)
{
	const struct sim_process *process = sim_current();
	return process == NULL ? getpid() : (pid_t)process->pid;
}

/* Settings are the simulator's own: refused ones are its mistake. */
void __wrap_exit(int status)
{
	if (status != 0)
		sim_fail("%s ends with status %d", sim_process_name(sim_current()), status);
	sim_die("ended in order");
}

void __wrap__exit(int status)
{
	__wrap_exit(status);
}

/* A broken invariant is never the right answer to a fault. */
void __wrap___assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
	sim_fail("%s: assertion failed: %s (%s:%u, %s)",
		sim_current() != NULL ? sim_process_name(sim_current()) : "the world", what, file,
		line, function);
}

void __wrap_randombytes_buf(void *bytes, size_t n)
{
	stream_bytes(STREAM_OS, bytes, n);
}

/* ---- clock.h -----------------------------------------------------------------------------------
 */

uint64_t __wrap_clock_wall_us(void)
{
	const struct sim_process *process = sim_current();
	return sim_now_us() + (uint64_t)(process == NULL ? 0 : process->skew_us);
}

uint64_t __wrap_clock_mono_us(void)
{
	const struct sim_process *process = sim_current();
	return sim_now_us() - sim_world.begin_us + UINT64_C(1000000000) +
	       (uint64_t)(process == NULL ? 0 : process->mono_offset_us);
}

/* ---- log.h -------------------------------------------------------------------------------------
 */

void __wrap_log_open(const char *service, const char *instance, enum log_level level)
{
	(void)service;
	(void)instance;
	(void)level;
}

bool __wrap_log_level_parse(const char *text, enum log_level *level_r)
{
	static const char *const NAMES[] = { "error", "warn", "info", "debug" };
	for (int i = LOG_ERROR; i <= LOG_DEBUG; i++) {
		if (strcmp(text, NAMES[i]) == 0) {
			*level_r = (enum log_level)i;
			return true;
		}
	}
	return false;
}

void __wrap_log_trace(const void *trace, size_t length)
{
	(void)trace;
	(void)length;
}

void __wrap_log_hop(const struct log_hop *hop)
{
	sim_trace("hop: %s: round %" PRIu64 ", move %" PRIu64 ", seq %" PRIu64, hop->event,
		hop->round, hop->move, hop->seq);
}

__attribute__((format(printf, 2, 3))) void __wrap_log_line(
	enum log_level level, const char *format, ...)
{
	char text[LINE_BYTES];
	va_list arguments;
	if (!sim_tracing() || level > LOG_INFO)
		return;
	va_start(arguments, format);
	(void)vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	for (char *mark = text; (mark = strchr(mark, LOG_EVENT_MARK)) != NULL;)
		*mark = ' ';
	sim_trace("%s: %s",
		level == LOG_ERROR  ? "ERROR"
		: level == LOG_WARN ? "warn"
				    : "log",
		text);
}

__attribute__((format(printf, 1, 2))) void __wrap_fatal(const char *format, ...)
{
	char text[LINE_BYTES];
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	kernel_counts.fatals++;
	if (!sim_world.faulty && sim_world.scenario == NULL)
		sim_fail("%s ends although nothing fails: %s",
			sim_current() != NULL ? sim_process_name(sim_current()) : "the world",
			text);
	if (sim_current() != NULL && sim_current()->on_fatal != NULL)
		sim_current()->on_fatal(text);
	sim_die(text);
}

void __wrap_log_on_fatal(void (*call)(const char *message))
{
	sim_current()->on_fatal = call;
}

/* ---- health.h, metrics.h -----------------------------------------------------------------------
 */

struct health {
	int nothing;
};

struct metric {
	int nothing;
};

static struct health the_health;
static struct metric the_metric;

struct health *__wrap_health_start(const char *listen)
{
	(void)listen;
	return &the_health;
}

const char *__wrap_health_address(const struct health *health)
{
	(void)health;
	return "127.0.0.1:1";
}

void __wrap_health_tick(struct health *health)
{
	(void)health;
}

void __wrap_health_ready(struct health *health, bool ready, const char *why_not)
{
	(void)health;
	(void)ready;
	(void)why_not;
}

void __wrap_health_fail(struct health *health, const char *why)
{
	(void)health;
	sim_trace("UNHEALTHY: %s", why);
}

void __wrap_health_note(struct health *health, enum health_about about, const char *note)
{
	(void)health;
	(void)about;
	if (note[0] != '\0')
		sim_trace("NOTE: %s", note);
}

void __wrap_health_stop(struct health **health)
{
	*health = NULL;
}

struct metric *__wrap_metric_counter(const char *name, const char *labels, const char *help)
{
	(void)name;
	(void)labels;
	(void)help;
	return &the_metric;
}

struct metric *__wrap_metric_gauge(const char *name, const char *labels, const char *help)
{
	return metric_counter(name, labels, help);
}

struct metric *__wrap_metric_histogram_us(const char *name, const char *labels, const char *help)
{
	return metric_counter(name, labels, help);
}

void __wrap_metric_add(struct metric *metric, uint64_t n)
{
	(void)metric;
	(void)n;
}

void __wrap_metric_set(struct metric *metric, int64_t value)
{
	(void)metric;
	(void)value;
}

void __wrap_metric_observe_us(struct metric *metric, uint64_t us)
{
	(void)metric;
	(void)us;
}
