/* The clock. All services take the time from here. Exceptions: log.c, which stamps its own
 * lines, and two tools (kafka-topics, carillon-supervisor). */
#ifndef CARILLON_IO_CLOCK_H
#define CARILLON_IO_CLOCK_H

#include <stdint.h>

uint64_t clock_wall_us(void); /* since 1970-01-01 UTC */
uint64_t clock_mono_us(void); /* never goes back; for delays and timeouts */

#endif
