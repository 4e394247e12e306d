/* The accounts in memory: a hash table by player, and the queue of accounts that are newer than
 * their row in Postgres. The table also keeps players without an account (exists = false), to avoid
 * another lookup. */
#ifndef CARILLON_WALLET_ADAPTERS_ACCOUNTS_H
#define CARILLON_WALLET_ADAPTERS_ACCOUNTS_H

#include "libcommon/io/stored.h"
#include "services/wallet/core/wallet.h"

/* Why a player is quarantined (quarantine.h). */
struct account_quarantine {
	uint64_t seq;  /* the newest row of the account that is known; 0: none */
	bool stored;   /* the table has it */
	bool ended;    /* they are back; the next transaction writes the account, deletes the row */
	bool gathered; /* ended: that transaction has the account */
	char found[STORED_TEXT_MAX];
};

struct account_entry {
	struct wallet_account account;
	uint32_t shard;
	bool stored;	    /* wallet.account has its row */
	uint64_t used;	    /* turn of the last lookup: not evicted in the same turn */
	uint64_t dirty_seq; /* first journal row that wallet.account does not include; 0: clean */
	uint64_t dirty_us;  /* when it was booked, by the monotonic clock */
	struct account_quarantine *quarantine; /* NULL: none */
	struct account_entry *next;	       /* in the bucket */
	struct account_entry *dirty_next;      /* in the shard's queue */
};

struct accounts {
	struct account_entry **buckets;
	size_t buckets_n, entries_n;
	size_t limit; /* clean accounts leave memory above this many */
	size_t hand;  /* where eviction looks next */
	uint64_t turn;
	struct account_entry **aside; /* those with a quarantine */
	size_t aside_n, aside_room;
};

/* Of one shard, oldest first: Postgres has everything before the first entry's dirty_seq. */
struct dirty_queue {
	struct account_entry *first, *last;
	size_t n;
};

void accounts_init(struct accounts *accounts, size_t limit);
struct account_entry *accounts_find(
	struct accounts *accounts, player_id player); /* NULL: not in memory */
/* Adds an account that is not in memory, with exists = false. May evict clean accounts that this
 * turn has not used. */
struct account_entry *accounts_add(struct accounts *accounts, player_id player, uint32_t shard);
/* Forgets all accounts of a shard. */
void accounts_drop_shard(struct accounts *accounts, uint32_t shard);

/* The player is quarantined. */
bool account_aside(const struct account_entry *entry);
/* A quarantine for the entry, which is not stored; one that it has keeps its seq. An entry with a
 * quarantine is not evicted. */
struct account_quarantine *account_set_aside(
	struct accounts *accounts, struct account_entry *entry);
void account_take_back(struct accounts *accounts, struct account_entry *entry);

/* Allocates the account's limits if it has none: before a row that sets one. */
void account_limits_make(struct account_entry *entry);
/* Frees them: the row did not set a limit after all. */
void account_limits_drop(struct account_entry *entry);

void dirty_mark(
	struct dirty_queue *queue, struct account_entry *entry, uint64_t seq, uint64_t now_us);
struct account_entry *dirty_take(struct dirty_queue *queue); /* NULL: none; marks the entry clean */

#endif
