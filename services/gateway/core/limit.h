/* Request limits: one token bucket a player or address, in a table of fixed size. Who is pushed out
 * by others of the same slot begins anew with a full bucket, so that a full table lets too much
 * through rather than too little. Pure: the time is handed in. */
#ifndef CARILLON_GATEWAY_CORE_LIMIT_H
#define CARILLON_GATEWAY_CORE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIMIT_SLOTS 16384
#define LIMIT_WAYS 4

struct limit_bucket {
	uint64_t key;  /* 0: empty */
	uint64_t us;   /* when the bucket was as below */
	int64_t micro; /* tokens x 10^6 */
};

struct limit {
	uint32_t rate_per_s, burst; /* rate 0: no limit */
	struct limit_bucket bucket[LIMIT_SLOTS];
};

void limit_init(struct limit *limit, uint32_t rate_per_s, uint32_t burst);
/* Takes one token. False: none is left; *retry_s_r is then when there will be one, at least 1 s. */
bool limit_take(struct limit *limit, uint64_t key, uint64_t now_us, uint32_t *retry_s_r);
/* A key for a text. */
uint64_t limit_key(const char *text);

#endif
