/* The state of the wallet process between two commits, for all shards and for each one. The rules
 * are in core/. */
#ifndef CARILLON_WALLET_ADAPTERS_APP_H
#define CARILLON_WALLET_ADAPTERS_APP_H

#include "libcommon/io/metrics.h"
#include "libcommon/service/service.h"
#include "services/wallet/adapters/accounts.h"
#include "libcommon/io/arena.h"
#include "services/wallet/adapters/holds.h"
#include "services/wallet/adapters/ids.h"
#include "services/wallet/adapters/bonus_spins.h"
#include "services/wallet/core/outflow.h"
#include "services/wallet/core/republish.h"
#include "services/wallet/core/wallet.h"

#define DIGEST_BYTES 32
#define RING_N 4096 /* facts per shard in memory, to answer repeated proposals; a power of two */
#define FEED_POOLS_MAX 64
#define WALLET_CLAIM_DELAY_US 2000000 /* a claim is sent again first, then after twice as long */

struct command; /* command.h */

/* A row that is not committed yet. */
struct booked {
	struct wallet_row row; /* its pointers point into the shard's arena */
	uint8_t content_hash[WALLET_ID_BYTES];
	bool keeps_id;
};

struct open_claim {
	player_id player;
	uint64_t move, round; /* round 0: not known, the row's day was dropped */
	struct wallet_claim claim;
	uint32_t currency;
	uint64_t opened_seq, opened_us;
	uint64_t next_send_us, delay_us; /* by the monotonic clock */
	uint64_t closed_seq;		 /* 0: open; else the row of this batch that closed it */
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
	uint64_t sent_us; /* by the monotonic clock; 0: never */
	bool changed;
};

/* The last daily close of a shard, once it is loaded (close.c). */
struct close_state {
	bool known;
	uint64_t number, request; /* of the last close */
	uint32_t day;		  /* last closed day, in days since 1970-01-01 */
};

struct wallet_shard {
	uint32_t shard;
	uint64_t last_seq;	/* of the rows in memory */
	uint64_t committed_seq; /* of those in Postgres */
	uint64_t batch;		/* number of the last batch */
	uint32_t day;		/* since 1970-01-01: no row is booked into an earlier day */
	uint32_t partition_day; /* of the newest row of wallet.leaf; 0: none */
	uint32_t partitions_from, partitions_end; /* the journal's: from <= day < end */
	uint8_t digest[DIGEST_BYTES];
	uint64_t checkpoint; /* as in the last batch row */

	struct booked *rows; /* of this batch */
	size_t rows_n, rows_room;
	struct arena arena;

	struct open_claim *claims; /* open ones, and those this batch closes */
	size_t claims_n, claims_room;
	size_t claims_closing;
	uint64_t owners_epochs, owners_us; /* of pools and sets, and when they were looked at */

	uint64_t totals[WALLET_TALLIES_MAX];	     /* by index of the tally in wallet.tallies */
	uint64_t totals_acked[WALLET_TALLIES_MAX];   /* of closed tallies: recorded by the pool */
	uint64_t totals_written[WALLET_TALLIES_MAX]; /* of closed tallies: wallet.tally_total */
	uint64_t tallies_seq; /* the totals in Postgres include rows up to this one */
	uint64_t tallies_us;
	bool tallies_dirty;
	struct feed_pool feeds[FEED_POOLS_MAX];
	size_t feeds_n;

	struct dirty_queue dirty;
	struct ring_fact ring[RING_N];

	struct wallet_outflow outflow;
	struct wallet_republish republish;
	struct close_state close;
	uint64_t head_batch;	   /* last batch with a signed digest (heads.c) */
	struct traced_row *traced; /* of sampled requests, in this batch (traced.h); NULL: never */
	size_t traced_n;
};

#define WALLET_KINDS_SEEN 40 /* kinds below it have a metric each */

struct wallet_metrics {
	struct metric *rows[WALLET_KINDS_SEEN], *refusals[WALLET_REFUSALS_N];
	struct metric *spent, *ahead, *awards_again, *content_alarm, *claim_alarm;
	struct metric *claims_open, *claims_oldest_us, *accounts, *quarantined, *batch_rows,
		*write_us;
};

/* Closes one partition at a time, on a connection of its own. */
struct partition_closer {
	PGconn *conn; /* NULL: no partition is being closed */
	uint32_t shard, day;
	uint64_t look_us, ahead_us; /* not before, by the monotonic clock */
};

/* A command of the batch that wallet_handle_batch has already decoded. */
struct decoded {
	const uint8_t *bytes; /* of the message */
	const struct command *command;
};

struct wallet {
	struct wallet_rules rules;
	struct wallet_tally tallies[WALLET_TALLIES_MAX]; /* id 0: a free slot, closed */
	bool tally_old[WALLET_TALLIES_MAX];		 /* closed a while ago */
	size_t rates_ageing;	/* open tallies whose FX rate will be too old within a day */
	int tallies_missed;	/* open tallies without a slot */
	uint64_t polled_us;	/* last poll of tallies and switches, by the monotonic clock */
	uint64_t quarantine_us; /* the same of releases */
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
	char deposit_max[SETTING_TEXT_MAX], stake_max_of[SETTING_TEXT_MAX];
	char heads[SETTING_TEXT_MAX];		 /* setting: folder of the signed heads */
	char heads_copy[SETTING_TEXT_MAX];	 /* setting: their second folder */
	int64_t heads_s;			 /* setting: seconds between them */
	uint64_t close_polled_us, close_request; /* newest row of wallet.close_request */
	struct partition_closer closer;
	uint64_t clock_until_us; /* until then the check against Postgres' clock holds (days.c) */
};

/* The wallet of this process. It is global because the loop's callbacks carry no context. */
struct wallet *wallet_app(void);

static inline struct wallet_shard *wallet_shard_of(struct service_shard *shard)
{
	return shard->state;
}

/* True if memory is not ahead of Postgres: a message may be sent at once. */
static inline bool wallet_shard_settled(const struct wallet_shard *shard)
{
	return shard->rows_n == 0;
}

/* metrics.c */
void wallet_metrics_open(struct wallet_metrics *metrics);
void wallet_metrics_row(struct wallet_metrics *metrics, const struct wallet_row *row);

/* load.c: loads a shard's state from Postgres and rolls it forward from its journal. */
void wallet_load_shard(struct wallet *wallet, struct service *service, struct wallet_shard *shard);
/* Loads those of these players that are not in memory, by one query. Then all are there; those that
 * cannot be read are quarantined. */
void wallet_load_players(struct wallet *wallet, PGconn *conn, const player_id *players,
	const uint32_t *shards, size_t n);
/* In a try: loads a quarantined account again, and applies the rows that it does not include. Of
 * one that cannot be read nothing is kept. */
void wallet_load_again(struct wallet *wallet, PGconn *conn, struct account_entry *entry);

/* pools.c: reads linked pools and the operators who opted out; called with the tallies. */
void wallet_poll_pools(struct wallet *wallet, PGconn *conn);

/* tallies.c */
#define WALLET_POLL_US 1000000
#define WALLET_POLL_SOON_US 100000
void wallet_poll_rules(struct wallet *wallet, struct service *service, uint64_t mono_us);
/* Sends this pool its totals from now on. */
void wallet_feed_add_pool(struct wallet_shard *shard, uint32_t pool);
/* Index of a tally by id; -1: not known, or not yet. */
int wallet_tally_index(const struct wallet *wallet, uint32_t id);
/* The same; a folded tally gets a slot again, with its totals from Postgres. */
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
/* The same for a few rows, in one round trip with the fence. */
void wallet_write_in_line(struct wallet *wallet, struct service *service, struct pg_line *line);
/* Before the transaction: may they go so? */
bool wallet_write_fits_line(struct wallet *wallet, struct service *service);
void wallet_write_prepare(PGconn *conn); /* once a connection */
/* Calls the function for each shard of this process. */
typedef void wallet_shard_function(struct wallet_shard *shard, void *context);
void wallet_each_shard(struct service *service, wallet_shard_function *function, void *context);

/* checkpoint.c: writes accounts and totals behind the rows. Gathering sends no query. */
void wallet_checkpoint_prepare(PGconn *conn); /* once a connection */
void wallet_checkpoint_gather(struct wallet *wallet, struct service *service, uint64_t now_us);
void wallet_checkpoint_write(PGconn *conn);
void wallet_checkpoint_in_line(struct pg_line *line); /* at most 4 statements */

/* days.c: partitions of the journal. */
#define WALLET_EPOCH_2000_DAYS 10957 /* dates of Postgres count from 2000-01-01 */
/* Loads the days of a shard; creates the partitions of today and the next days. */
void wallet_days_load(struct wallet *wallet, struct service *service, struct wallet_shard *shard);
/* Today by the clock, as the journal's partitions count days. Reads Postgres' clock once a day;
 * fatal if ours is more than a day ahead of it. */
uint32_t wallet_days_today(struct wallet *wallet, struct service *service,
	const struct wallet_shard *shard, uint64_t now_us);
/* The day of a row that is booked now. Its partition exists. */
uint32_t wallet_days_now(struct wallet *wallet, struct service *service, struct wallet_shard *shard,
	uint64_t now_us);
/* Inside the transaction, before the rows: inserts the wallet.leaf row of a new day. */
void wallet_days_write(struct service *service);
/* Creates partitions ahead; closes those whose day is over, checkpointed and published. */
void wallet_days_tick(struct wallet *wallet, struct service *service, uint64_t mono_us);

/* claims.c */
/* Loads the open claims of a shard. The player of one that cannot be read is quarantined. */
void wallet_claims_load(struct wallet *wallet, PGconn *conn, struct wallet_shard *shard);
/* Within a stored_try: loads the claims of one player again, and sends them at once. All rows of
 * the player must be committed. */
void wallet_claims_load_again(PGconn *conn, struct wallet_shard *shard, player_id player);
/* True if the claim is open in Postgres, too: the batch that pays it closes it there. */
bool wallet_claims_stored(PGconn *conn, const struct open_claim *open);
void wallet_claims_open(struct wallet_shard *shard, const struct wallet_row *row, uint64_t mono_us);
struct open_claim *wallet_claims_find(
	struct wallet_shard *shard, player_id player, uint64_t move, uint32_t index);
/* True while a claim of the round is not paid. */
bool wallet_claims_of_round(const struct wallet_shard *shard, player_id player, uint64_t round);
void wallet_claims_add(struct wallet_shard *shard, const struct open_claim *claim);
void wallet_claims_forget_closed(struct wallet_shard *shard);
/* True if an earlier batch of the shard paid this claim. */
bool wallet_claims_was_paid(PGconn *conn, player_id player, uint64_t move, uint32_t index);

/* feed.c: jackpot.feed. */
struct Carillon__Envelope;
/* Queues the claims of a row that was just booked, each with the current totals and the trace of
 * the command's envelope; sent after the commit. */
void wallet_feed_claims(struct wallet *wallet, struct service *service, struct service_shard *shard,
	const struct wallet_row *row, const struct Carillon__Envelope *asked);
/* Sends totals and repeats of open claims that are due. Only when the shard is settled. */
void wallet_feed_due(struct wallet *wallet, struct service *service, struct service_shard *shard,
	uint64_t mono_us);

/* Answers a jackpot service's question after the next commit, with all that the shard has counted
 * for the pool. */
struct Carillon__TotalsQuestion;
void wallet_feed_answer(struct wallet *wallet, struct service *service, struct service_shard *shard,
	const struct Carillon__TotalsQuestion *question);

/* publish.c: gives Kafka the facts that it lacks, and those that a consumer requests. */
/* At the opening; what Kafka has acknowledged is the seq of the shard's position, which the fence
 * stores. */
void wallet_publish_begin(struct service *service, struct service_shard *shard);
/* After each commit. */
void wallet_publish_committed(
	struct wallet *wallet, struct service *service, struct service_shard *shard);
void wallet_publish_due(
	struct wallet *wallet, struct service *service, struct service_shard *shard);

#endif
