/* What both jackpot services do with jackpot.feed: read a message and refuse what cannot be meant,
 * keep the wallet's running totals of a pool (a pool_source), store and load them, and open the
 * tallies that the wallet counts stakes into. */
#ifndef CARILLON_JACKPOT_IO_POOL_FEED_H
#define CARILLON_JACKPOT_IO_POOL_FEED_H

#include "jackpot.pb-c.h"
#include "libcommon/base/ids.h"
#include "libcommon/jackpot/pool_tally.h"

#include <libpq-fe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POOL_FEED_REASON_MAX 160

/* The message, or NULL with what, found and expected in reason (POOL_FEED_REASON_MAX bytes). Free
 * with carillon__jackpot_feed__free_unpacked(feed, NULL). Pure but for memory: safe on any bytes.
 * What it lets through has an envelope of schema 1, a wallet shard of this installation, totals
 * that fit, and at most one whole claim on this very pool by a player of that shard. */
Carillon__JackpotFeed *pool_feed_read(
	const uint8_t *bytes, size_t length, uint32_t shards, char *reason);

/* One pool's knowledge of the wallet. */
struct pool_source {
	uint32_t pool;
	const char *schema; /* where its vector is kept */
	struct pool_vector vector;
	uint32_t
		incarnation[SHARDS_MAX]; /* of the wallet's shards, the highest heard of; 0: none */
	uint32_t granted[SHARDS_MAX];	 /* what carillon.shard says they may be, as last asked */
	uint32_t behind; /* games and currencies whose rate could not be taken up at the last look:
			    there was no place for a tally */
	uint32_t behind_before; /* at the look before */
	uint64_t looked_us;	/* monotonic; of the last look */
};

enum pool_source_status {
	POOL_SOURCE_OK = 0, /* taken; whether T moved is seen from vector.t_e18 */
	POOL_SOURCE_OLD, /* of an incarnation before a restore: nothing was taken, its claim is void
			    too */
	POOL_SOURCE_RESTORED, /* taken, and the wallet's shard has a new incarnation: commit at
				 once, so that the fence proves that what we hold is still what our
				 own database holds */
	POOL_SOURCE_UNKNOWN,  /* names a tally that is not this pool's: nothing was taken */
	POOL_SOURCE_OVERFLOW, /* a total that cannot be counted: nothing more was taken */
	POOL_SOURCE_AHEAD,    /* of an incarnation above the granted one: nothing was taken. A lie
				 that is believed would make every true message an old one */
};

enum pool_source_status pool_source_take(
	struct pool_source *source, const Carillon__JackpotFeed *feed);
/* The same with the database at hand: looks once for tallies that are not known yet, and in
 * carillon.shard for a higher incarnation. Why it is UNKNOWN or AHEAD then is in reason
 * (POOL_FEED_REASON_MAX bytes): such a message is a dead letter. */
enum pool_source_status pool_source_take_or_load(
	struct pool_source *source, PGconn *conn, const Carillon__JackpotFeed *feed, char *reason);

/* Loads tallies and vector; schema "pool" or "cards" is where the vector is kept (not copied). What
 * closed tallies contributed is counted, but they take no place. Fatal on errors. */
void pool_source_load(struct pool_source *source, PGconn *conn, const char *schema, uint32_t pool);
/* Loads live tallies that are not known yet: somebody else may have opened them. */
void pool_source_tallies(struct pool_source *source, PGconn *conn);
/* Inside a transaction: writes what has changed. */
void pool_source_save(struct pool_source *source, PGconn *conn, const char *schema);
/* A look at all games and currencies of the pool: begins it. pool_source_open follows for each. */
void pool_source_look(struct pool_source *source, uint64_t mono_us);
/* The last look left a rate behind, and it is time for another: places get free with time alone. */
bool pool_source_retry_due(const struct pool_source *source, uint64_t mono_us);
/* Sees to it that the stakes of (game, currency) feed the pool with ppm at the present rate of
 * carillon.fx_rate: opens a tally, closing the one whose rate or ppm has changed, in a transaction
 * of its own; closed ones of before are folded then. False, logged, when there is no rate. With no
 * room for one more tally the one of before stays in force (false where there is none: bets are
 * refused), an alarm at the first look at which it is so, and it is counted as behind. */
bool pool_source_open(
	struct pool_source *source, PGconn *conn, uint32_t game, uint32_t currency, uint32_t ppm);

enum pool_source_need {
	POOL_SOURCE_HOLDS = 0, /* the open tally has this rate and ppm */
	POOL_SOURCE_OPENS,     /* another is needed, and there is a place for it */
	POOL_SOURCE_FULL,      /* another is needed, and there is none: counted as behind */
};

/* Pure. Each tally may have a total of each of the wallet's shards. */
enum pool_source_need pool_source_need(struct pool_source *source, uint32_t game, uint32_t currency,
	int64_t rate_nano, uint32_t ppm, uint32_t shards);

#endif
