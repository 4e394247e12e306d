/* The accounts in memory: a hash table by player, and the queue of those whose state is newer than
 * their row in Postgres. An account of a player nobody opened is kept too (exists = false), so that
 * it is not looked up again. */
#ifndef CARILLON_WALLET_ADAPTERS_ACCOUNTS_H
#define CARILLON_WALLET_ADAPTERS_ACCOUNTS_H

#include "services/wallet/core/wallet.h"

struct account_entry {
	struct wallet_account account;
	uint32_t shard;
	bool stored;	    /* wallet.account has a row of it */
	uint64_t used;	    /* the turn it was last looked up in: not evicted in the same one */
	uint64_t dirty_seq; /* the first row that Postgres' account does not have; 0: clean */
	uint64_t dirty_us;  /* and when that was, by the monotonic clock */
	struct account_entry *next;	  /* in the bucket */
	struct account_entry *dirty_next; /* in the shard's queue */
};

struct accounts {
	struct account_entry **buckets;
	size_t buckets_n, entries_n;
	size_t limit; /* clean accounts leave memory above this many */
	size_t hand;  /* where eviction looks next */
	uint64_t turn;
};

/* Of one shard, oldest first: what is before the first one's dirty_seq is in Postgres. */
struct dirty_queue {
	struct account_entry *first, *last;
	size_t n;
};

void accounts_init(struct accounts *accounts, size_t limit);
struct account_entry *accounts_find(
	struct accounts *accounts, player_id player); /* NULL: not in memory */
/* Adds an account that is not there yet, as one that nobody opened. May evict clean ones that this
 * turn has not used. */
struct account_entry *accounts_add(struct accounts *accounts, player_id player, uint32_t shard);
/* Forgets all of a shard. */
void accounts_drop_shard(struct accounts *accounts, uint32_t shard);

/* Limits of the account, made where it has none: before a row that sets one. */
void account_limits_make(struct account_entry *entry);
/* None was set after all. */
void account_limits_drop(struct account_entry *entry);

void dirty_mark(
	struct dirty_queue *queue, struct account_entry *entry, uint64_t seq, uint64_t now_us);
struct account_entry *dirty_take(
	struct dirty_queue *queue); /* NULL: none; the entry is clean then */

#endif
