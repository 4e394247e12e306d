/* A pool as the service holds it: the core's pool, what is known of the wallet, and what is not yet
 * durable or shown. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_STATE_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_POOL_STATE_H

#include "libcommon/jackpot/io/game_links.h"
#include "libcommon/jackpot/io/jackpot_action.h"
#include "libcommon/jackpot/io/jackpot_list.h"
#include "libcommon/jackpot/io/pool_feed.h"
#include "services/progressive-pool/core/pool.h"

#define POOLS_MAX 32 /* of an installation, sets of cards included: what is shown to players */

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

/* Where money goes: a row of another pool, or its reserve (currency and coin_minor 0). */
struct transfer_place {
	uint32_t pool, currency;
	int64_t coin_minor;
};

/* Money that has left this pool and is not known to have arrived. */
struct transfer_out {
	uint64_t number;
	uint32_t from_currency;
	int64_t from_coin_minor;
	struct transfer_place to;
	struct amount amount;
	uint8_t action[ACTION_ID_BYTES];
	bool fresh, booked; /* to be written; heard to be booked, to be written */
	uint64_t told_us;   /* monotonic; 0: not yet */
};

/* Money that has arrived, to be written. */
struct transfer_in {
	uint32_t from_pool;
	uint64_t number;
	uint32_t currency; /* 0: the reserve */
	int64_t coin_minor;
	struct amount amount;
};

struct pool_transfers {
	uint64_t last;		    /* number given */
	struct transfer_place rest; /* pool 0: not retired */
	bool circle;		    /* told that what arrives stays here */
	uint8_t action[ACTION_ID_BYTES];
	struct transfer_out *out;
	size_t out_n, out_room;
	struct transfer_in *in;
	size_t in_n, in_room;
};

#define CREATED_GAMES_MAX 16

/* Of a pool that no definition names. ppm 0: it is not one of these. */
struct pool_created {
	uint32_t ppm;
	uint32_t games_n, games[CREATED_GAMES_MAX]; /* that feed it */
	bool fresh;				    /* to be written */
	bool tallies_due;			    /* to be opened once it is durable */
	char *text;				    /* as asked; until it is written */
	uint8_t action[ACTION_ID_BYTES];
};

#define PARTS_MAX 32

/* An operator's switch, to be written. */
struct pool_part {
	uint32_t operator_id;
	bool takes_part;
	uint8_t action[ACTION_ID_BYTES];
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
	struct pool_log *log; /* pool_log.h */
	uint32_t defined_count;
	struct defined_terms defined[POOL_ROWS_MAX];
	uint64_t version;  /* of the state that was made durable last */
	uint64_t fact_seq; /* of the last message on jackpot.facts */

	/* not durable yet; written and emptied by the next commit */
	bool dirty;
	bool stored;	 /* whole, by this process */
	bool rows_dirty; /* rows or their definition changed, by more than contributions */
	struct hit_record *hits;
	size_t hit_count, hit_room;
	struct action_list actions;
	struct pool_transfers transfers;
	struct pool_created created;
	struct pool_part part[PARTS_MAX];
	uint32_t part_n;
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
