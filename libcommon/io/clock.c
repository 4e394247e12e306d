/* Time. */
#include "libcommon/io/clock.h"

#include <time.h>

static uint64_t read_us(clockid_t clock)
{
	struct timespec now;
	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

uint64_t clock_wall_us(void)
{
	return read_us(CLOCK_REALTIME);
}

uint64_t clock_mono_us(void)
{
	return read_us(CLOCK_MONOTONIC);
}
