/* The wallet's process: what it holds for all shards and for each. The state between two commits is
 * here; the rules are in core/. */
#ifndef CARILLON_WALLET_ADAPTERS_APP_H
#define CARILLON_WALLET_ADAPTERS_APP_H

#include "libcommon/io/metrics.h"
#include "libcommon/service/service.h"
#include "services/wallet/adapters/accounts.h"
#include "libcommon/io/arena.h"
#include "services/wallet/adapters/holds.h"
#include "services/wallet/adapters/ids.h"
#include "services/wallet/adapters/bonus_spins.h"
#include "services/wallet/core/republish.h"
#include "services/wallet/core/wallet.h"

#define DIGEST_BYTES 32
#define RING_N                                                                                     \
	4096 /* facts kept in memory a shard, to answer repeated proposals; a power of two         \
	      */
#define FEED_POOLS_MAX 64

struct command; /* command.h */

/* A row that is not committed yet. */
struct booked {
	struct wallet_row row; /* what it points to is in the shard's arena */
	uint8_t content_hash[WALLET_ID_BYTES];
	bool keeps_id;
};

struct open_claim {
	player_id player;
	uint64_t move;
	struct wallet_claim claim;
	uint32_t currency;
	uint64_t opened_seq, opened_us;
	uint64_t next_send_us, delay_us; /* by the monotonic clock */
	uint64_t closed_seq;		 /* 0: open; else closed by a row of this batch */
	int64_t paid;
	uint64_t hit;
};

struct ring_fact {
	uint64_t seq, prev_seq, move;
	uint32_t kind;
	uint8_t *bytes;
	size_t length, room;
};

struct feed_pool {
	uint32_t pool;
	uint64_t sent_us; /* by the monotonic clock; 0: not yet */
	bool changed;
};

/* Where the closes of a shard stand, once they were asked for (close.c). */
struct close_state {
	bool known;
	uint64_t number, request; /* of the last close */
	uint32_t day;		  /* closed whole, in days since 1970-01-01 */
};

struct wallet_shard {
	uint32_t shard;
	uint64_t last_seq;	/* of the rows in memory */
	uint64_t committed_seq; /* of those in Postgres */
	uint64_t batch;		/* number of the last batch */
	uint32_t day;		/* since 1970-01-01: no row is booked into one before it */
	uint32_t partition_day; /* of the newest row of wallet.leaf; 0: there is none */
	uint32_t closing_day;	/* waits for Kafka to acknowledge its facts; 0: none does */
	uint64_t closing_facts;
	uint32_t partitions_from, partitions_end; /* the journal has leaves from .. to before .. */
	uint8_t digest[DIGEST_BYTES];
	uint64_t checkpoint; /* as the last batch row has it */

	struct booked *rows; /* of this batch */
	size_t rows_n, rows_room;
	struct arena arena;

	struct open_claim *claims; /* open ones, and those this batch closes */
	size_t claims_n, claims_room;
	size_t claims_closing;

	uint64_t totals[WALLET_TALLIES_MAX];	   /* by index of the tally in wallet.tallies */
	uint64_t totals_acked[WALLET_TALLIES_MAX]; /* of closed tallies: what the pool has recorded
						    */
	uint64_t totals_written[WALLET_TALLIES_MAX]; /* of closed tallies: wallet.tally_total */
	uint64_t tallies_seq; /* totals in Postgres hold just after this row */
	uint64_t tallies_us;
	bool tallies_dirty;
	struct feed_pool feeds[FEED_POOLS_MAX];
	size_t feeds_n;

	struct dirty_queue dirty;
	struct ring_fact ring[RING_N];

	struct wallet_republish republish;
	struct close_state close;
	uint64_t head_batch; /* whose digest was signed last (heads.c) */
};

#define WALLET_KINDS_SEEN 40 /* counted by kind below it */

struct wallet_metrics {
	struct metric *rows[WALLET_KINDS_SEEN], *refusals[WALLET_REFUSALS_N];
	struct metric *spent, *ahead, *awards_again, *content_alarm, *claim_alarm;
	struct metric *claims_open, *claims_oldest_us, *accounts, *batch_rows, *write_us;
};

/* One leaf at a time is closed, on a connection of its own. */
struct partition_closer {
	PGconn *conn; /* NULL: none is being closed */
	uint32_t shard, day;
	uint64_t look_us, ahead_us; /* not before, by the monotonic clock */
};

/* What a batch looked ahead at is not decoded again when its turn comes. */
struct decoded {
	const uint8_t *bytes; /* of the message */
	const struct command *command;
};

struct wallet {
	struct wallet_rules rules;
	struct wallet_tally tallies[WALLET_TALLIES_MAX]; /* id 0: a free place, closed */
	bool tally_old[WALLET_TALLIES_MAX];		 /* was closed a while ago */
	size_t rates_ageing; /* open tallies whose rate is within a day of being too old */
	int tallies_missed;  /* open ones without a place */
	uint64_t polled_us;  /* tallies and switches, by the monotonic clock */
	struct accounts accounts;
	struct id_table ids;
	struct id_table spins;
	struct id_table holds;
	struct arena scratch; /* for one message */
	struct arena ahead;   /* for one batch: the commands of `decoded` */
	struct decoded *decoded;
	size_t decoded_n, decoded_room, decoded_next;
	struct wallet_metrics metrics;
	int64_t stake_max, outside_max, accounts_max, day_shift, limit_raise_s; /* settings */
	char deposit_max[SETTING_TEXT_MAX];
	char heads[SETTING_TEXT_MAX];		 /* setting: folder of the signed heads */
	int64_t heads_s;			 /* setting: seconds between them */
	uint64_t close_polled_us, close_request; /* newest row of wallet.close_request */
	struct partition_closer closer;
	uint64_t clock_until_us; /* up to here Postgres' clock agrees with ours (days.c) */
};

/* The one of this process: the loop's callbacks carry no context. */
struct wallet *wallet_app(void);

static inline struct wallet_shard *wallet_shard_of(struct service_shard *shard)
{
	return shard->state;
}

/* Nothing in memory is ahead of Postgres: what is sent at once is true. */
static inline bool wallet_shard_settled(const struct wallet_shard *shard)
{
	return shard->rows_n == 0;
}

/* metrics.c */
void wallet_metrics_open(struct wallet_metrics *metrics);
void wallet_metrics_row(struct wallet_metrics *metrics, const struct wallet_row *row);

/* load.c: state of a shard from Postgres, rolled forward from its journal. */
void wallet_load_shard(struct wallet *wallet, struct service *service, struct wallet_shard *shard);
/* Accounts of these players that are not in memory yet, by one query. Each player is there
 * afterwards. */
void wallet_load_players(struct wallet *wallet, PGconn *conn, const player_id *players,
	const uint32_t *shards, size_t n);

/* pools.c: pools that feed beside a game's own, and who takes no part; read with the tallies. */
void wallet_poll_pools(struct wallet *wallet, PGconn *conn);

/* tallies.c */
#define WALLET_POLL_US 1000000
#define WALLET_POLL_SOON_US 100000
void wallet_poll_rules(struct wallet *wallet, struct service *service, uint64_t mono_us);
/* This pool is told of from now on. */
void wallet_feed_add_pool(struct wallet_shard *shard, uint32_t pool);
/* Index of a tally by id, -1: not known (yet). */
int wallet_tally_index(const struct wallet *wallet, uint32_t id);
/* The same; one that was folded gets a place again, with the totals that are in Postgres. */
int wallet_tally_load(struct wallet *wallet, struct service *service, uint32_t id);
bool wallet_table_exists(PGconn *conn, const char *name);
void wallet_totals_add(
	struct wallet *wallet, struct wallet_shard *shard, const struct wallet_row *row);

/* prefetched.c */
void wallet_handle_batch(struct service *service, const struct kafka_message *messages, size_t n);

/* handle.c */
enum service_message_status wallet_handle_message(struct service *service,
	struct service_shard *shard, const struct kafka_message *message, uint64_t *seq_r);
void wallet_handle_bus(struct service *service, const uint8_t *bytes, size_t length);

/* write.c: inside the transaction. */
void wallet_write(struct wallet *wallet, struct service *service);
/* Each shard of this process in turn. */
typedef void wallet_shard_function(struct wallet_shard *shard, void *context);
void wallet_each_shard(struct service *service, wallet_shard_function *function, void *context);

/* checkpoint.c: accounts and totals, behind the rows. Gathered first, which asks Postgres nothing,
 * then written. */
void wallet_checkpoint_prepare(PGconn *conn); /* once a connection */
void wallet_checkpoint_gather(struct wallet *wallet, struct service *service, uint64_t now_us);
void wallet_checkpoint_write(PGconn *conn);

/* days.c: leaves of the journal. */
#define WALLET_EPOCH_2000_DAYS 10957 /* dates of Postgres count from 2000-01-01 */
/* Where the days of a shard stand; makes the leaves of today and the next ones. */
void wallet_days_load(struct wallet *wallet, struct service *service, struct wallet_shard *shard);
/* The day by the clock, as the journal's leaves have it. Fatal where the clock is more than a day
 * after Postgres', which is asked once a day. */
uint32_t wallet_days_today(struct wallet *wallet, struct service *service,
	const struct wallet_shard *shard, uint64_t now_us);
/* The day of a row that is booked now. Its leaf is there. */
uint32_t wallet_days_now(struct wallet *wallet, struct service *service, struct wallet_shard *shard,
	uint64_t now_us);
/* Inside the transaction, before the rows: a day that begins gets its row of wallet.leaf. */
void wallet_days_write(struct service *service);
/* Makes leaves ahead, and closes those that are over, checkpointed and published. */
void wallet_days_tick(struct wallet *wallet, struct service *service, uint64_t mono_us);

/* claims.c */
void wallet_claims_open(struct wallet_shard *shard, const struct wallet_row *row, uint64_t mono_us);
struct open_claim *wallet_claims_find(
	struct wallet_shard *shard, player_id player, uint64_t move, uint32_t index);
void wallet_claims_add(struct wallet_shard *shard, const struct open_claim *claim);
void wallet_claims_forget_closed(struct wallet_shard *shard);
/* Was this claim of the shard paid in an earlier batch? */
bool wallet_claims_was_paid(PGconn *conn, player_id player, uint64_t move, uint32_t index);

/* feed.c: jackpot.feed. */
/* The claims of a row that was just booked: each with the totals of this moment; leaves after the
 * commit. */
void wallet_feed_claims(struct wallet *wallet, struct service *service, struct service_shard *shard,
	const struct wallet_row *row);
/* Totals that are due, and open claims whose time has come again. Only when the shard is settled.
 */
void wallet_feed_due(struct wallet *wallet, struct service *service, struct service_shard *shard,
	uint64_t mono_us);

/* publish.c: wallet.facts again. */
void wallet_publish_missing(
	struct wallet *wallet, struct service *service, struct service_shard *shard);
void wallet_publish_due(
	struct wallet *wallet, struct service *service, struct service_shard *shard);

#endif
