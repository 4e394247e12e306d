/* Idle sessions and lost connections: the time-outs set for operators and games, and a table of
 * times by key. Pure: the caller passes the time, in milliseconds since 1970. */
#ifndef CARILLON_GATEWAY_CORE_PRESENCE_H
#define CARILLON_GATEWAY_CORE_PRESENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WAITS_MAX 64
#define WAIT_NAME_MAX 31
#define WAIT_ERROR_MAX 192

/* Time-outs by name: an operator's number or a game's id. */
struct timeouts {
	uint32_t otherwise_s; /* for other names */
	size_t n;
	struct {
		char name[WAIT_NAME_MAX + 1];
		uint32_t s;
	} item[WAITS_MAX];
};

/* Reads "15m,7=90s,9=0": parts separated by commas. One part may have no name: it is for all other
 * names (0 if it is missing). A time is whole minutes or seconds with its unit, at most max_s; 0:
 * no limit. Otherwise false, and `error` says what was found and expected. */
bool timeouts_parse(
	const char *text, uint32_t max_s, struct timeouts *waits_r, char error[WAIT_ERROR_MAX]);
uint32_t timeouts_of(const struct timeouts *timeouts, const char *name); /* seconds */
bool timeouts_any(const struct timeouts *timeouts); /* true when one of them is not 0 */

/* Whole seconds until a game takes a player back who lost their connection at dropped_ms; 0: now.
 * dropped_ms is 0 if they did not lose it. A time in the future counts as now. */
uint32_t reconnect_left_s(uint64_t dropped_ms, uint64_t now_ms, uint32_t wait_s);

/* ---- times by key, in a table of fixed size; an evicted key is forgotten ---- */

#define MOMENTS_SLOTS 32768
#define MOMENTS_WAYS 4

struct moment {
	uint64_t key;	  /* 0: empty */
	uint64_t ms;	  /* the time of the key */
	uint64_t told_ms; /* when it was last written to Redis */
};

struct moments {
	struct moment slot[MOMENTS_SLOTS];
};

/* The slot of the key. A new key gets the oldest slot of its set, with ms 0. */
struct moment *moment_of(struct moments *moments, uint64_t key);
/* The time of the key, or 0; does not add the key. */
uint64_t moment_known(const struct moments *moments, uint64_t key);

#endif
