/* Questions on their way: correlation numbers, their slots and time-outs, in a ring of fixed size.
 * All wait equally long, so the oldest is always the next to run out of time. Correlations begin at
 * a random number: a reply to a process that died finds nothing here. Pure. */
#ifndef CARILLON_GATEWAY_CORE_INFLIGHT_H
#define CARILLON_GATEWAY_CORE_INFLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INFLIGHT_MAX 16384 /* a power of two */

#define INFLIGHT_AGAINS 2

struct inflight {
	uint64_t wait_us;
	uint64_t first, next; /* correlations: the oldest perhaps open, the one to be given */
	uint64_t again[INFLIGHT_AGAINS]; /* those before it have been asked again so often */
	size_t open;
	uint64_t deadline_us[INFLIGHT_MAX]; /* 0: free */
};

void inflight_init(struct inflight *inflight, uint64_t random, uint64_t wait_us);
/* False: too many are on their way. *slot_r is 0..INFLIGHT_MAX-1, the caller's until taken. */
bool inflight_add(
	struct inflight *inflight, uint64_t now_us, uint64_t *correlation_r, size_t *slot_r);
/* An answer has come: false when nobody asked, or the time ran out. */
bool inflight_take(struct inflight *inflight, uint64_t correlation, size_t *slot_r);
/* One that has waited for after_us and was not asked again for the i-th time, if there is any. */
bool inflight_again(
	struct inflight *inflight, size_t i, uint64_t after_us, uint64_t now_us, size_t *slot_r);
/* One whose time has run out, if there is any. */
bool inflight_expire(struct inflight *inflight, uint64_t now_us, size_t *slot_r);

#endif
