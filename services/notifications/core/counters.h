/* The displayed jackpot counters: the newest state of each row from any source, and the time of the
 * next push. Pure; times are the caller's monotonic clock in microseconds unless marked "wall".
 *
 * RULE bewitched 4.8; RULE mona-lisa 4.11: counters are refreshed at least every three seconds. A
 * counter never goes back except on a hit: a state older than the displayed one is dropped,
 * RULE mystic-gem 6.14, whatever its source (a Redis that was flushed and filled again, a fact that
 * was published twice). */
#ifndef CARILLON_NOTIFICATIONS_CORE_COUNTERS_H
#define CARILLON_NOTIFICATIONS_CORE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTERS_POOLS_MAX 32 /* and sets, of an installation (docs/contracts.md) */
#define COUNTERS_ROWS_MAX 256
#define COUNTERS_STATUS_MAX 12
#define COUNTERS_ID_MAX 48
/* Shortest time between two pushes of changes, and longest time without a push. The rest of the
 * three seconds is for the network. */
#define COUNTERS_CHANGE_US 1000000u
#define COUNTERS_SILENCE_US 2500000u

struct counter {
	uint32_t currency;  /* ISO 4217 number */
	int64_t coin_minor; /* progressive rows; 0 for levels */
	uint32_t level;	    /* Jackpot Cards; 0 for progressive rows */
	int64_t value_minor, seed_minor;
	uint64_t version, hits;
};

struct counter_pool {
	uint32_t pool;
	char id[COUNTERS_ID_MAX];	  /* its name, as in HTTP; "" when not known */
	uint32_t incarnation;		  /* of the newest fact; 0: none yet */
	char status[COUNTERS_STATUS_MAX]; /* "live"; "" when not known */
	uint64_t time_us;		  /* wall: when the source last confirmed a value */
	uint64_t whole_us;		  /* wall: when Redis last had all rows */
	size_t n;
	struct counter rows[COUNTERS_ROWS_MAX];
	uint64_t said_us[COUNTERS_ROWS_MAX]; /* wall: when a source last had each row */
};

struct counters {
	size_t n;
	struct counter_pool pools[COUNTERS_POOLS_MAX];
	uint64_t revision; /* how often anything shown has changed */
	bool changed;	   /* since the last push */
	bool pushed;	   /* ever */
	uint64_t pushed_us;
};

enum counters_status {
	COUNTERS_OK = 0, /* accepted: shown with the next push */
	COUNTERS_SEEN,	 /* the displayed state again; refreshes its age */
	COUNTERS_OLD,	 /* older than the displayed state: dropped */
	COUNTERS_FULL,	 /* no room for another pool or row */
	COUNTERS_BAD,	 /* a negative value, or neither coin nor level */
};

/* If Redis still has an older version so long after the displayed one, the displayed one was never
 * the pool's (bad data in Redis): the pool writes all its rows again every second. */
#define COUNTERS_CONTRADICTED_US 2000000u
/* A row that is missing from Redis for so long no longer exists. */
#define COUNTERS_GONE_US 10000000u

/* `incarnation`: of the fact, 0 if the source has none (Redis). A higher one than before means that
 * the pool was restored: its rows start again. `time_us`: wall. */
enum counters_status counters_offer(struct counters *counters, uint32_t pool,
	const struct counter *row, uint32_t incarnation, uint64_t time_us);
/* Removes rows that no longer exist; call before a push. */
void counters_drop_gone(struct counters *counters);
/* False if the text is not a pool status. */
bool counters_offer_status(struct counters *counters, uint32_t pool, const char *status);
/* Takes the name of a pool, which never changes. False if it is not a slug. */
bool counters_offer_id(struct counters *counters, uint32_t pool, const char *id);
/* True while a pool has no name. */
bool counters_nameless(const struct counters *counters);

bool counters_due(const struct counters *counters, uint64_t now_us);
void counters_pushed(struct counters *counters, uint64_t now_us);
/* Age of the pool that was confirmed longest ago, 0 without pools; wall times. */
uint64_t counters_age_us(const struct counters *counters, uint64_t wall_us);

#endif
