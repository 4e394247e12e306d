/* Which rows of a shard are published once more, and when that is enough. Who reads wallet.facts
 * takes exactly last + 1 and drops the rest, so a gap closes only if what is sent again runs into
 * what is sent for the first time: its last row must be the newest one at that moment. */
#ifndef CARILLON_WALLET_CORE_REPUBLISH_H
#define CARILLON_WALLET_CORE_REPUBLISH_H

#include <stddef.h>
#include <stdint.h>

#define WALLET_REPUBLISH_CHUNK 1000	 /* rows a turn, or more where more are booked */
#define WALLET_REPUBLISH_CHUNK_MAX 10000 /* rows a turn at most */
#define WALLET_REPUBLISH_ROWS 50000	 /* rows a request is worth; who misses more asks again */
#define WALLET_REPUBLISH_AROUND 256	 /* rows before one that was asked after */
#define WALLET_REPUBLISH_WAIT_US 1000000 /* between two answers of this kind */
#define WALLET_REPUBLISH_WAIT_ROWS 10000 /* each so many rows back add one more wait */
#define WALLET_REPUBLISH_WAITS_MAX 60

/* Of one shard; all zero: nothing to publish. */
struct wallet_republish {
	uint64_t next, end;	      /* rows to go; next 0 or above end: none */
	uint64_t seen;		      /* newest row at the turn before */
	uint64_t spent;		      /* lowest row that a late proposal found booked; 0: none */
	uint64_t spent_not_before_us; /* by the monotonic clock */
};

/* Somebody misses rows from `from` on (0: all); committed is the newest row in Postgres. */
void wallet_republish_request(
	struct wallet_republish *republish, uint64_t from, uint64_t committed);
/* How many rows to publish this turn, from next on, up to end; 0: none. Less than a request away
 * from the newest row, end follows it, turn by turn, until it is reached. */
size_t wallet_republish_turn(struct wallet_republish *republish, uint64_t committed);
/* A proposal came for a move that this row has already booked: whoever sent it has not seen the
 * fact, which may be lost. Noted; asked for by ..._spent_due, at most once a second, together with
 * some rows before it. */
void wallet_republish_spent(struct wallet_republish *republish, uint64_t seq);
void wallet_republish_spent_due(
	struct wallet_republish *republish, uint64_t committed, uint64_t mono_us);

#endif
