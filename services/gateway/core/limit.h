/* Request limits: one token bucket per player or address, in a table of fixed size. A key that
 * others evict from its slot starts again with a full bucket: a full table accepts too many
 * requests rather than too few. Pure: the caller passes the time. */
#ifndef CARILLON_GATEWAY_CORE_LIMIT_H
#define CARILLON_GATEWAY_CORE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIMIT_SLOTS 16384
#define LIMIT_WAYS 4

struct limit_bucket {
	uint64_t key;  /* 0: empty */
	uint64_t us;   /* the time of `micro` */
	int64_t micro; /* tokens x 10^6 */
};

struct limit {
	uint32_t rate_per_s, burst; /* rate 0: no limit */
	struct limit_bucket bucket[LIMIT_SLOTS];
};

void limit_init(struct limit *limit, uint32_t rate_per_s, uint32_t burst);
/* Takes one token. False: none is left; *retry_s_r is the time until the next one, at least 1 s. */
bool limit_take(struct limit *limit, uint64_t key, uint64_t now_us, uint32_t *retry_s_r);
/* Makes a key from a text. */
uint64_t limit_key(const char *text);

#endif
