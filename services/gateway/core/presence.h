/* Is the player there, and may he come back already? The waits that are set for operators and for
 * games, and a table of moments. Pure: the time is handed in, milliseconds since 1970. */
#ifndef CARILLON_GATEWAY_CORE_PRESENCE_H
#define CARILLON_GATEWAY_CORE_PRESENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WAITS_MAX 64
#define WAIT_NAME_MAX 31
#define WAIT_ERROR_MAX 192

/* How long, by name: an operator's number, or a game's id. */
struct timeouts {
	uint32_t otherwise_s; /* for names that are not listed */
	size_t n;
	struct {
		char name[WAIT_NAME_MAX + 1];
		uint32_t s;
	} item[WAITS_MAX];
};

/* "15m,7=90s,9=0": parts separated by commas; one of them may stand without a name, for all that
 * are not named (0 when there is none). A time is whole minutes or seconds with its unit, or 0: no
 * limit; at most max_s. False, with what was found and expected in error, for anything else. */
bool timeouts_parse(
	const char *text, uint32_t max_s, struct timeouts *waits_r, char error[WAIT_ERROR_MAX]);
uint32_t timeouts_of(const struct timeouts *timeouts, const char *name); /* seconds */
bool timeouts_any(const struct timeouts *timeouts);			 /* is any of them not 0? */

/* Whole seconds until a game takes the player again who lost his connection at that moment; 0: it
 * does now. dropped_ms 0: he did not. A moment that lies in the future counts as now. */
uint32_t reconnect_left_s(uint64_t dropped_ms, uint64_t now_ms, uint32_t wait_s);

/* ---- moments by key, in a table of fixed size: who is pushed out is not known any more ---- */

#define MOMENTS_SLOTS 32768
#define MOMENTS_WAYS 4

struct moment {
	uint64_t key;	  /* 0: empty */
	uint64_t ms;	  /* what is kept */
	uint64_t told_ms; /* when it was told to others last */
};

struct moments {
	struct moment slot[MOMENTS_SLOTS];
};

/* The slot of the key; where there was none a new one, ms 0, in place of the oldest of its set. */
struct moment *moment_of(struct moments *moments, uint64_t key);
/* Its moment, or 0; makes no slot. */
uint64_t moment_known(const struct moments *moments, uint64_t key);

#endif
