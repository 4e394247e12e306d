/* The sources of events: jackpot.facts and wallet.facts from Kafka, the counters from Redis, and
 * some state from Postgres at the start. Decodes messages, keeps their order, and passes on plain
 * values. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_FEEDS_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_FEEDS_H

#include "libcommon/io/nn_bus.h"
#include "libcommon/io/pg.h"
#include "services/notifications/core/counters.h"
#include "services/notifications/core/frames.h"
#include "services/notifications/core/holdback.h"
#include "services/notifications/core/winners.h"

struct feeds;

struct feeds_config {
	const char *kafka, *redis, *instance;
	uint32_t shards;
	int64_t replay; /* messages of each partition of jackpot.facts to read back at the start */
	struct pg_pool *pg; /* read-only, borrowed */
	struct nn_bus *bus; /* borrowed */
	/* Callbacks; all get `context`. */
	void (*counter)(void *context, uint32_t pool, const struct counter *row,
		uint32_t incarnation, uint64_t time_us);
	void (*status)(void *context, uint32_t pool, const char *status);
	void (*id)(void *context, uint32_t pool, const char *id);
	void (*winner)(void *context, const struct winner *winner);
	void (*card)(void *context, const struct card_news *news, uint32_t incarnation);
	void (*own)(void *context, const struct holdback_fact *fact, uint32_t incarnation);
	/* A jackpot booked before the start whose winner has made no later move. */
	void (*unseen)(void *context, const struct holdback_fact *award);
	void *context;
};

/* Waits for no server. */
struct feeds *feeds_new(const struct feeds_config *config);
void feeds_free(struct feeds **feeds);
int feeds_fd(const struct feeds *feeds);
/* Handles what has arrived, up to a bound per call. */
void feeds_poll(struct feeds *feeds);
/* True when the recent winners are read, and the first row of each wallet shard is known; or after
 * 5 s, when a server does not answer. */
bool feeds_caught_up(const struct feeds *feeds);
/* Once a second: reads Redis, hits that no fact has brought, missing rows, and the names of all
 * pools while `nameless`. */
void feeds_tick(struct feeds *feeds, bool nameless);
/* How old what clients are told is now; jackpots_us: the age of the counters. */
struct frame_ages feeds_ages(const struct feeds *feeds, uint64_t jackpots_us);

/* Parses a value of the hash in Redis, "value,seed,version,time_us,hits", and its field, "978:100"
 * or (a level, with `cards`) "978:2". False for anything else. */
bool feeds_counter_parse(const char *field, const char *value, bool cards, struct counter *row_r,
	uint64_t *time_us_r);

#endif
