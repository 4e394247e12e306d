#include "services/wallet/adapters/accounts.h"

#include "libcommon/io/log.h"

#include <stdlib.h>

#define BUCKETS_FIRST 1024

static size_t bucket_of(const struct accounts *accounts, player_id player)
{
	uint64_t x = (uint64_t)player * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(x >> 20) & (accounts->buckets_n - 1);
}

static struct account_entry **buckets_new(size_t n)
{
	struct account_entry **buckets = calloc(n, sizeof(struct account_entry *));

	if (buckets == NULL)
		fatal("out of memory: %zu buckets of accounts", n);
	return buckets;
}

void accounts_init(struct accounts *accounts, size_t limit)
{
	*accounts = (struct accounts){
		.buckets = buckets_new(BUCKETS_FIRST), .buckets_n = BUCKETS_FIRST, .limit = limit
	};
}

struct account_entry *accounts_find(struct accounts *accounts, player_id player)
{
	struct account_entry *entry = accounts->buckets[bucket_of(accounts, player)];

	while (entry != NULL && entry->account.player != player)
		entry = entry->next;
	if (entry != NULL)
		entry->used = accounts->turn;
	return entry;
}

static void buckets_grow(struct accounts *accounts)
{
	struct account_entry **old = accounts->buckets;
	size_t old_n = accounts->buckets_n;

	accounts->buckets_n *= 2;
	accounts->buckets = buckets_new(accounts->buckets_n);
	for (size_t i = 0; i < old_n; i++) {
		while (old[i] != NULL) {
			struct account_entry *entry = old[i];
			size_t at = bucket_of(accounts, entry->account.player);
			old[i] = entry->next;
			entry->next = accounts->buckets[at];
			accounts->buckets[at] = entry;
		}
	}
	free(old);
}

void account_limits_make(struct account_entry *entry)
{
	if (entry->account.limits != NULL)
		return;
	entry->account.limits = malloc(sizeof(*entry->account.limits));
	if (entry->account.limits == NULL)
		fatal("out of memory: limits of a player");
	wallet_limits_init(entry->account.limits);
}

void account_limits_drop(struct account_entry *entry)
{
	free(entry->account.limits);
	entry->account.limits = NULL;
}

bool account_aside(const struct account_entry *entry)
{
	return entry->quarantine != NULL && !entry->quarantine->ended;
}

struct account_quarantine *account_set_aside(struct accounts *accounts, struct account_entry *entry)
{
	if (entry->quarantine == NULL) {
		entry->quarantine = calloc(1, sizeof(*entry->quarantine));
		if (accounts->aside_n == accounts->aside_room) {
			accounts->aside_room = accounts->aside_room * 2 + 16;
			accounts->aside = realloc(accounts->aside,
				accounts->aside_room * sizeof(struct account_entry *));
		}
		if (entry->quarantine == NULL || accounts->aside == NULL)
			fatal("out of memory: %zu players in quarantine", accounts->aside_n + 1);
		accounts->aside[accounts->aside_n++] = entry;
	}
	entry->quarantine->stored = entry->quarantine->ended = entry->quarantine->gathered = false;
	return entry->quarantine;
}

void account_take_back(struct accounts *accounts, struct account_entry *entry)
{
	size_t at = 0;

	if (entry->quarantine == NULL)
		return;
	while (accounts->aside[at] != entry)
		at++;
	accounts->aside[at] = accounts->aside[--accounts->aside_n];
	free(entry->quarantine);
	entry->quarantine = NULL;
}

static void entry_free(struct accounts *accounts, struct account_entry *entry)
{
	account_take_back(accounts, entry);
	free(entry->account.limits);
	free(entry);
}

static void bucket_sweep(struct accounts *accounts, size_t at)
{
	struct account_entry **link = &accounts->buckets[at];

	while (*link != NULL) {
		struct account_entry *entry = *link;
		/* Used in this turn: a caller may hold a pointer to it. */
		if (entry->dirty_seq != 0 || entry->quarantine != NULL ||
			entry->used == accounts->turn) {
			link = &entry->next;
			continue;
		}
		*link = entry->next;
		entry_free(accounts, entry);
		accounts->entries_n--;
	}
}

static void accounts_evict(struct accounts *accounts)
{
	for (size_t looked = 0;
		looked < accounts->buckets_n && accounts->entries_n >= accounts->limit; looked++) {
		bucket_sweep(accounts, accounts->hand);
		accounts->hand = (accounts->hand + 1) & (accounts->buckets_n - 1);
	}
}

struct account_entry *accounts_add(struct accounts *accounts, player_id player, uint32_t shard)
{
	struct account_entry *entry;
	size_t at;

	if (accounts->entries_n >= accounts->limit)
		accounts_evict(accounts);
	if (accounts->entries_n >= accounts->buckets_n)
		buckets_grow(accounts);
	entry = calloc(1, sizeof(*entry));
	if (entry == NULL)
		fatal("out of memory: %zu accounts in memory", accounts->entries_n);
	entry->account.player = player;
	entry->shard = shard;
	entry->used = accounts->turn;
	at = bucket_of(accounts, player);
	entry->next = accounts->buckets[at];
	accounts->buckets[at] = entry;
	accounts->entries_n++;
	return entry;
}

void accounts_drop_shard(struct accounts *accounts, uint32_t shard)
{
	for (size_t i = 0; i < accounts->buckets_n; i++) {
		struct account_entry **link = &accounts->buckets[i];
		while (*link != NULL) {
			struct account_entry *entry = *link;
			if (entry->shard != shard) {
				link = &entry->next;
				continue;
			}
			*link = entry->next;
			entry_free(accounts, entry);
			accounts->entries_n--;
		}
	}
}

void dirty_mark(
	struct dirty_queue *queue, struct account_entry *entry, uint64_t seq, uint64_t now_us)
{
	if (entry->dirty_seq != 0)
		return;
	entry->dirty_seq = seq;
	entry->dirty_us = now_us;
	entry->dirty_next = NULL;
	if (queue->last != NULL)
		queue->last->dirty_next = entry;
	else
		queue->first = entry;
	queue->last = entry;
	queue->n++;
}

struct account_entry *dirty_take(struct dirty_queue *queue)
{
	struct account_entry *entry = queue->first;

	if (entry == NULL)
		return NULL;
	queue->first = entry->dirty_next;
	if (queue->first == NULL)
		queue->last = NULL;
	queue->n--;
	entry->dirty_seq = 0;
	entry->dirty_next = NULL;
	return entry;
}
