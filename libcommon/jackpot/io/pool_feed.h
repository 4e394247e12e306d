/* Reads and checks the messages of jackpot.feed, for both jackpot services. Keeps, stores and loads
 * a pool's copy of the wallet's running totals (a pool_source). Opens the tallies in which the
 * wallet counts stakes. */
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

/* The message, or NULL; reason (POOL_FEED_REASON_MAX bytes) then says what was found and what was
 * expected. Free with carillon__jackpot_feed__free_unpacked(feed, NULL). Safe on any bytes; pure,
 * except that it allocates. An accepted message has an envelope of schema 1, a wallet shard of this
 * installation, totals that fit, and at most one complete claim, on the pool that the message
 * names, by a player of that shard. */
Carillon__JackpotFeed *pool_feed_read(
	const uint8_t *bytes, size_t length, uint32_t shards, char *reason);

/* The same check of a message that is already unpacked: part of an answer by nanomsg. */
bool pool_feed_valid(const Carillon__JackpotFeed *feed, uint32_t shards, char *reason);

/* One pool's copy of the wallet's totals. */
struct pool_source {
	uint32_t pool;
	const char *schema; /* the schema that stores its vector */
	struct pool_vector vector;
	uint32_t incarnation[SHARDS_MAX]; /* of each wallet shard, the highest seen; 0: none */
	uint32_t granted[SHARDS_MAX]; /* of each wallet shard, the highest in carillon.shard at the
					 last check */
	/* How many pairs of game and currency keep an old rate or have no tally, because the last
	 * pass (pool_source_look) found no place for a new tally. */
	uint32_t behind;
	uint32_t behind_before; /* the same in the previous pass */
	uint64_t looked_us;	/* start of the last pass, monotonic */
};

enum pool_source_status {
	POOL_SOURCE_OK = 0,   /* taken; vector.t_e18 shows whether T grew */
	POOL_SOURCE_OLD,      /* from before a restore: neither totals nor claim are taken */
	POOL_SOURCE_RESTORED, /* taken; the wallet's shard has a new incarnation: commit at once, so
				 the fence proves that memory and database agree */
	POOL_SOURCE_UNKNOWN,  /* names a tally that is not this pool's, or a fault is noted
				 (stored.h):  nothing was taken */
	POOL_SOURCE_OVERFLOW, /* a total that cannot be counted: no later total was taken */
	POOL_SOURCE_AHEAD, /* of an incarnation above the one in carillon.shard: nothing was taken.
			      If this message were taken, every genuine message after it would
			      look old */
};

enum pool_source_status pool_source_take(
	struct pool_source *source, const Carillon__JackpotFeed *feed);
/* The same, with the database: loads unknown tallies once, and checks carillon.shard for a higher
 * incarnation. On UNKNOWN or AHEAD reason (POOL_FEED_REASON_MAX bytes) says why: the message is a
 * dead letter. */
enum pool_source_status pool_source_take_or_load(
	struct pool_source *source, PGconn *conn, const Carillon__JackpotFeed *feed, char *reason);

/* Loads tallies and vector. The vector is stored in `schema`, "pool" or "cards"; the source keeps
 * this pointer. Tallies that were closed more than ten minutes ago are loaded as folded: they count
 * towards T but take no place. A row that cannot be counted: stored_wrong. */
void pool_source_load(struct pool_source *source, PGconn *conn, const char *schema, uint32_t pool);
/* Loads live tallies that are not known here yet, because another service may have opened them. */
void pool_source_tallies(struct pool_source *source, PGconn *conn);
/* Inside a transaction: writes the changed entries. */
void pool_source_save(struct pool_source *source, PGconn *conn, const char *schema);
/* Begins a pass over all games and currencies of the pool. Next, call pool_source_open for each of
 * them. */
void pool_source_look(struct pool_source *source, uint64_t mono_us);
/* True when the last pass found no place for some tally and the next pass is due: closed tallies
 * free their places only after some time. */
bool pool_source_retry_due(const struct pool_source *source, uint64_t mono_us);
/* From now on, `ppm` of each stake in (game, currency) goes to the pool, at the present rate of
 * carillon.fx_rate. If no open tally has this rate and ppm, opens one, closes the old one and folds
 * older closed ones, in its own transaction.
 *
 * False, with a log line, when there is no rate and no open tally; an open one keeps its rate. If
 * there is no place for the new tally, `behind` grows by one, and an alarm follows if `behind` now
 * exceeds behind_before. The old tally then stays in force; if there is none, returns false, and
 * bets do not feed the pool. */
bool pool_source_open(
	struct pool_source *source, PGconn *conn, uint32_t game, uint32_t currency, uint32_t ppm);

enum pool_source_need {
	POOL_SOURCE_HOLDS = 0, /* the open tally has this rate and ppm */
	POOL_SOURCE_OPENS,     /* a new tally is needed, and there is a place */
	POOL_SOURCE_FULL,      /* a new tally is needed, and there is no place: counted as behind */
};

/* Decides what (game, currency) needs; POOL_SOURCE_FULL raises `behind` by one. No I/O. A tally may
 * need an entry for each of the `shards` of the wallet, which limits the tallies. */
enum pool_source_need pool_source_need(struct pool_source *source, uint32_t game, uint32_t currency,
	int64_t rate_nano, uint32_t ppm, uint32_t shards);

#endif
