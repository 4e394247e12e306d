/* Preloaded into every server and service of an installation that was packed long ago
 * (tests/older/README.md): its real-time clock is OLDER_CLOCK_US microseconds away from the
 * machine's. What measures time (the monotonic clock) is left alone, and so is a wait until a time
 * of that clock. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define SECOND_US INT64_C(1000000)
#define MONOTONIC_MAX_S 1000000000 /* no machine has been up for 31 years, and 2001 is over */

static int64_t offset_us;

/* Not a constructor: a library that is loaded before asks for the time in its own. */
static int64_t offset(void)
{
	const char *text = offset_us == 0 ? getenv("OLDER_CLOCK_US") : NULL;

	if (text != NULL)
		offset_us = strtoll(text, NULL, 10);
	return offset_us;
}

static void move(struct timespec *time, int64_t by_us)
{
	int64_t us = time->tv_nsec / 1000 + by_us % SECOND_US;
	int64_t carry = us < 0 ? -1 : us / SECOND_US;

	time->tv_sec += by_us / SECOND_US + carry;
	time->tv_nsec += (by_us % SECOND_US - carry * SECOND_US) * 1000;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	long status = syscall(SYS_clock_gettime, clock, now);

	if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		move(now, offset());
	return (int)status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec time;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &time);
	now->tv_sec = time.tv_sec;
	now->tv_usec = time.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *now_r)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (now_r != NULL)
		*now_r = now.tv_sec;
	return now.tv_sec;
}

int timespec_get(struct timespec *now, int base)
{
	return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}

/* The kernel waits by the machine's own clock. */
static struct timespec machine_time(const struct timespec *until)
{
	struct timespec moved = *until;

	if (moved.tv_sec > MONOTONIC_MAX_S)
		move(&moved, -offset());
	return moved;
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
	const struct timespec *restrict until)
{
	static int (*wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
	struct timespec moved = machine_time(until);

	if (wait == NULL)
		*(void **)&wait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
	return wait(condition, mutex, &moved);
}

int cnd_timedwait(
	cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until)
{
	static int (*wait)(cnd_t *, mtx_t *, const struct timespec *);
	struct timespec moved = machine_time(until);

	if (wait == NULL)
		*(void **)&wait = dlsym(RTLD_NEXT, "cnd_timedwait");
	return wait(condition, mutex, &moved);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
	static int (*wait)(sem_t *, const struct timespec *);
	struct timespec moved = machine_time(until);

	if (wait == NULL)
		*(void **)&wait = dlsym(RTLD_NEXT, "sem_timedwait");
	return wait(semaphore, &moved);
}
