/* Which rows of a shard are published again, and when to stop. Consumers of wallet.facts take
 * exactly row last + 1 and drop the rest. A gap therefore closes only when the repeated rows reach
 * the rows that are published for the first time: the last repeated row must be the newest row at
 * that moment. */
#ifndef CARILLON_WALLET_CORE_REPUBLISH_H
#define CARILLON_WALLET_CORE_REPUBLISH_H

#include <stddef.h>
#include <stdint.h>

#define WALLET_REPUBLISH_CHUNK 1000	 /* rows a turn, or more if more are booked */
#define WALLET_REPUBLISH_CHUNK_MAX 10000 /* rows a turn at most */
#define WALLET_REPUBLISH_ROWS 50000	 /* rows that one request brings */
#define WALLET_REPUBLISH_AROUND 256	 /* rows published before a spent row */
#define WALLET_REPUBLISH_WAIT_US 1000000 /* between two repeats for spent rows */
#define WALLET_REPUBLISH_WAIT_ROWS 10000 /* one more wait for each so many rows back */
#define WALLET_REPUBLISH_WAITS_MAX 60

/* State of one shard; all zero: nothing to publish. */
struct wallet_republish {
	uint64_t next, end;	      /* rows to publish; next 0 or above end: none */
	uint64_t seen;		      /* newest row at the previous turn */
	uint64_t spent;		      /* lowest row that a late proposal found booked; 0: none */
	uint64_t spent_not_before_us; /* by the monotonic clock */
};

/* A consumer misses rows from `from` on (0: all); committed is the newest row in Postgres. */
void wallet_republish_request(
	struct wallet_republish *republish, uint64_t from, uint64_t committed);
/* How many rows to publish this turn, from next up to end; 0: none. When end is less than one
 * request from the newest row, it moves on with that row each turn, until next reaches it. */
size_t wallet_republish_turn(struct wallet_republish *republish, uint64_t committed);
/* A proposal came for a move that row `seq` has already booked: its sender has not seen the fact,
 * which may be lost. wallet_republish_spent_due requests the row and some rows before it, at most
 * once a second. */
void wallet_republish_spent(struct wallet_republish *republish, uint64_t seq);
void wallet_republish_spent_due(
	struct wallet_republish *republish, uint64_t committed, uint64_t mono_us);

#endif
