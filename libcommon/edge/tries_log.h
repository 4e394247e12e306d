/* Lines of the log about wrong credentials: with the client's address, never with what was sent. At
 * most 10 a second, and as many of addresses that begin to wait: a flood must not fill the disk. */
#ifndef CARILLON_EDGE_TRIES_LOG_H
#define CARILLON_EDGE_TRIES_LOG_H

#include <stdint.h>

struct tries_log {
	uint32_t lines, waits; /* since the last tick */
	uint64_t untold;       /* wrong credentials without a line */
};

struct tries_told {
	const char *kind, *address, *route; /* "token", "127.0.0.1", "/v1/state" */
	int64_t per_min;		    /* wrong credentials after which an address waits */
	uint32_t wait_s;		    /* that this one must wait from now on; 0: none */
};

void tries_log_tell(struct tries_log *log, const struct tries_told *told);
/* Once a second: tells how many lines were left out. */
void tries_log_tick(struct tries_log *log);

#endif
