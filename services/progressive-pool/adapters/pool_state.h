/* A pool as the service holds it: the core's pool, what is known of the wallet, and what is not yet
 * durable or shown. */
#ifndef CARILLON_PROGRESSIVE_POOL_POOL_STATE_H
#define CARILLON_PROGRESSIVE_POOL_POOL_STATE_H

#include "libcommon/io/game_links.h"
#include "libcommon/io/jackpot_list.h"
#include "libcommon/io/pool_feed.h"
#include "services/progressive-pool/core/pool.h"

/* A hit and what its message says, so that the message can be made again at any time. */
struct hit_record {
	struct pool_hit hit;
	int64_t stake_minor;
	uint32_t wallet_shard;
	uint64_t wallet_seq;
	uint64_t claimed_us; /* when the round was booked */
	uint64_t time_us;    /* when it was priced */
	uint64_t fact_seq, version;
	int64_t next_value_minor, next_seed_minor; /* of the row, after the hit */
	uint64_t row_hits;
};

#define ACTION_ID_BYTES 16
#define ACTION_TEXT_MAX 256
#define ACTION_PARAMETERS_MAX 4096

/* Something an operator asked for, done or refused. */
struct action_record {
	uint8_t id[ACTION_ID_BYTES];
	uint32_t action; /* OperatorAction of jackpot.proto */
	char actor[ACTION_TEXT_MAX], second[ACTION_TEXT_MAX], reason[ACTION_TEXT_MAX];
	char parameters[ACTION_PARAMETERS_MAX];
	bool done;
	char refusal[ACTION_TEXT_MAX];
	char before[ACTION_TEXT_MAX], after[ACTION_TEXT_MAX]; /* JSON */
	uint64_t fact_seq;
	uint64_t time_us;
};

/* What the definition says of a row, when it was last looked at. */
struct defined_terms {
	uint32_t currency;
	int64_t coin_minor;
	struct pool_terms terms;
};

struct pool_instance {
	struct jackpot_link link; /* first */
	char id[GAME_LINK_ID_MAX];
	int64_t base_coin_minor;
	struct pool pool;
	struct pool_source source;
	uint32_t defined_count;
	struct defined_terms defined[POOL_ROWS_MAX];
	uint64_t version;  /* of the state that was made durable last */
	uint64_t fact_seq; /* of the last message on jackpot.facts */

	/* not durable yet; written and emptied by the next commit */
	bool dirty;
	bool rows_dirty; /* rows or their definition changed, by more than contributions */
	struct hit_record *hits;
	size_t hit_count, hit_room;
	struct action_record *actions;
	size_t action_count, action_room;
	uint32_t removed_count; /* rows taken off */
	struct {
		uint32_t currency;
		int64_t coin_minor;
	} removed[POOL_ROWS_MAX];

	/* shown */
	bool unshown; /* changed since the last PoolState */
	bool show,
		show_now;  /* the commit under way is to be followed by a PoolState, by counters */
	uint64_t shown_us; /* monotonic */
	uint64_t counters_us; /* monotonic; of the last counters that reached Redis */
	uint64_t paused_us;   /* monotonic; since when it is pausing */
};

/* The definition's terms of a row, NULL if it was never in one. */
struct defined_terms *pool_defined(
	struct pool_instance *instance, uint32_t currency, int64_t coin_minor);

#endif
