/* `jackpotctl pool replay`: a pool's state at any point in time, made again by the pure core from
 * its recorded inputs (pool.event), and compared on the way with everything that was recorded
 * beside them: T from the running totals, the books after each event, each hit (pool.hit), the
 * requests of operators, the totals from the wallet's journal; at the end with pool.pool, pool.row
 * and pool.vector. It begins with the newest fold, if old events were folded. One read-only
 * snapshot, so it may run beside live services. */
#ifndef CARILLON_JACKPOTCTL_REPLAY_H
#define CARILLON_JACKPOTCTL_REPLAY_H

#include "libcommon/jackpot/pool_tally.h"
#include "services/progressive-pool/core/pool_event.h"

#include <libpq-fe.h>

#define REPLAY_TEXT_MAX 160

/* A running total as it was recorded last. */
struct replay_total {
	uint32_t shard, tally;
	uint64_t total, seq;
};

struct replay {
	PGconn *conn;
	uint32_t number;
	struct pool pool; /* made again */
	int128 t_e18;	  /* of the totals */
	uint64_t events;  /* number of the last one */
	uint64_t folded;  /* of them, that the state began with; 0: none */
	size_t tallies_n, tallies_room;
	struct pool_tally *tallies;
	size_t totals_n, totals_room;
	struct replay_total *totals;
	char last_time[64]; /* of the last event */
	/* the first difference; where is "" when there is none */
	char where[REPLAY_TEXT_MAX], found[REPLAY_TEXT_MAX], expected[REPLAY_TEXT_MAX];
};

/* pool, at (NULL: up to now) as the operator wrote them. Prints the state, or the first difference;
 * 0: all is equal, 1: not so, 2: there is no such pool, or a bad argument. */
int replay_run(PGconn *conn, const char *pool, const char *at, bool json);

/* ---- between the files of this command ---- */

/* Keeps the first difference only; false. */
__attribute__((format(printf, 4, 5))) bool replay_differs(
	struct replay *replay, const char *found, const char *expected, const char *where, ...);
/* Amounts as decimals without trailing zeros: value x 10^-decimals. out: REPLAY_DECIMAL_MAX. */
#define REPLAY_DECIMAL_MAX 64
void replay_decimal(int128 value, uint32_t decimals, char *out);
/* The transaction, read only, and what the pool's totals contribute. False: no such number. */
bool replay_begin(struct replay *replay, PGconn *conn, const char *pool);
/* All events of the pool, from the newest fold on, up to a moment and a number (NULL: all). */
bool replay_events(struct replay *replay, const char *pool, const char *at, const char *last);
/* The recorded totals as arrays of SQL: shards, tallies, totals, seqs. To be freed. */
void replay_arrays(const struct replay *replay, char *arrays_r[4]);
/* replay_prove.c: the end of the way against the tables. False at the first difference. */
bool replay_prove(struct replay *replay, bool whole);
PGresult *replay_query(
	struct replay *replay, const char *sql, int n, const char *const *parameters);
int128 replay_int128(const PGresult *rows, int i, int column);

#endif
