/* A pool in the service's memory: the core's pool, its sources in the wallet, and what is not yet
 * durable or displayed. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_STATE_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_STATE_H

#include "libcommon/jackpot/io/asked_totals.h"
#include "libcommon/jackpot/io/game_links.h"
#include "libcommon/jackpot/io/jackpot_action.h"
#include "libcommon/jackpot/io/jackpot_list.h"
#include "libcommon/jackpot/io/pool_feed.h"
#include "services/progressive-pool/core/pool.h"

#define POOLS_MAX 32 /* of an installation, sets of Jackpot Cards included */

/* A hit and the rest of its message: enough to send the message again at any time. */
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

/* A claim that waits for the wallet's totals (claims.h). */
struct waiting_claim {
	struct pool_claim claim;
	int64_t stake_minor;
	uint32_t wallet_shard;
	uint64_t wallet_seq, claimed_us;
	uint64_t question; /* asked_totals_want */
};

struct pool_claims {
	struct asked_totals asked;
	struct waiting_claim *waiting; /* in order of arrival */
	size_t n, room;
};

/* Where a transfer goes: a row of another pool, or its reserve (currency and coin_minor 0). */
struct transfer_place {
	uint32_t pool, currency;
	int64_t coin_minor;
};

/* A transfer from this pool that is not acknowledged. */
struct transfer_out {
	uint64_t number;
	uint32_t from_currency;
	int64_t from_coin_minor;
	struct transfer_place to;
	struct amount amount;
	uint8_t action[ACTION_ID_BYTES];
	bool fresh, booked; /* new; acknowledged: each still to be written */
	uint64_t told_us;   /* last announced, monotonic; 0: never */
};

/* A received transfer, still to be written. */
struct transfer_in {
	uint32_t from_pool;
	uint64_t number;
	uint32_t currency; /* 0: the reserve */
	int64_t coin_minor;
	struct amount amount;
};

struct pool_transfers {
	uint64_t last;		    /* last number used */
	struct transfer_place rest; /* pool 0: not retired */
	bool circle;		    /* reported: money that arrives stays here */
	bool unreadable;	    /* reported: it waits for a successor that cannot be read */
	uint8_t action[ACTION_ID_BYTES];
	struct transfer_out *out;
	size_t out_n, out_room;
	struct transfer_in *in;
	size_t in_n, in_room;
};

#define CREATED_GAMES_MAX 16

/* A created pool. ppm 0: this pool is not one. */
struct pool_created {
	uint32_t ppm;
	uint32_t games_n, games[CREATED_GAMES_MAX]; /* games that feed it */
	bool fresh;				    /* still to be written */
	bool tallies_due;			    /* open them once the pool is durable */
	char *text;				    /* the request's text, until it is written */
	uint8_t action[ACTION_ID_BYTES];
};

#define PARTS_MAX 32

/* An operator's switch, still to be written. */
struct pool_part {
	uint32_t operator_id;
	bool takes_part;
	uint8_t action[ACTION_ID_BYTES];
};

/* A row's terms in the definition, as last read. */
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
	struct pool_log *log; /* pool_log.h */
	uint32_t defined_count;
	struct defined_terms defined[POOL_ROWS_MAX];
	bool refused;	   /* the definition's rows are not all in force: reconcile.h */
	uint64_t version;  /* of the last durable state */
	uint64_t fact_seq; /* of the last message on jackpot.facts */

	/* not durable yet; the next commit writes and empties it */
	bool dirty;
	bool stored;	 /* this process has written the whole pool */
	bool rows_dirty; /* rows or their terms changed, not by contributions alone */
	struct hit_record *hits;
	size_t hit_count, hit_room;
	struct pool_claims claims;
	struct action_list actions;
	struct pool_transfers transfers;
	struct pool_created created;
	struct pool_part part[PARTS_MAX];
	uint32_t part_n;
	uint32_t removed_count; /* removed rows */
	struct {
		uint32_t currency;
		int64_t coin_minor;
	} removed[POOL_ROWS_MAX];

	/* display */
	bool unshown;	      /* changed since the last PoolState */
	bool show, show_now;  /* after the current commit: send a PoolState; send the counters */
	uint64_t shown_us;    /* monotonic */
	uint64_t counters_us; /* when counters last reached Redis, monotonic */
	uint64_t paused_us;   /* when pausing began, monotonic */
};

/* The definition's terms of a row; NULL: no definition ever had the row. */
struct defined_terms *pool_defined(
	struct pool_instance *instance, uint32_t currency, int64_t coin_minor);

#endif
