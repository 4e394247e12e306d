/* Open requests to other services: correlation numbers, slots and time-outs, in a ring of fixed
 * size. All have the same time-out, so the oldest expires first. Correlations start at a random
 * number, so that a reply to an earlier process matches no request. Pure. */
#ifndef CARILLON_GATEWAY_CORE_INFLIGHT_H
#define CARILLON_GATEWAY_CORE_INFLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INFLIGHT_MAX 16384 /* a power of two */

struct inflight {
	uint64_t wait_us;
	uint64_t first,
		next; /* correlations: the oldest that may be open, and the next to assign */
	size_t open;
	uint64_t deadline_us[INFLIGHT_MAX]; /* 0: free slot */
};

void inflight_init(struct inflight *inflight, uint64_t random, uint64_t wait_us);
/* False: too many requests are open. *slot_r is 0..INFLIGHT_MAX-1 and belongs to the caller until
 * it is taken. */
bool inflight_add(
	struct inflight *inflight, uint64_t now_us, uint64_t *correlation_r, size_t *slot_r);
/* False: no open request matches. */
bool inflight_find(const struct inflight *inflight, uint64_t correlation, size_t *slot_r);
/* A reply has come: false when no open request matches. */
bool inflight_take(struct inflight *inflight, uint64_t correlation, size_t *slot_r);
/* Walks over the open requests, the oldest first: *at is 0 at the beginning. False: no more. */
bool inflight_next(const struct inflight *inflight, uint64_t *at, size_t *slot_r);
/* Finds and removes a request whose time-out has passed; false: none. */
bool inflight_expire(struct inflight *inflight, uint64_t now_us, size_t *slot_r);

#endif
