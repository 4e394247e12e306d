#include "services/notifications/adapters/feeds.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/kafka.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/redis_link.h"
#include "services/notifications/adapters/facts.h"
#include "services/notifications/adapters/hits.h"
#include "services/notifications/adapters/rows.h"

#include <hiredis/hiredis.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_MAX 512
#define BATCHES_A_TURN 8
#define KAFKA_MAX_US 1500000u /* until clients are let in although Kafka does not answer */
#define START_MAX_US 5000000u /* the same, whatever is missing */
#define HITS_A_LOOK 200
#define REREAD 10000 /* messages of each partition: repeated ones are recognised */
#define REDIS_TIMEOUT_MS 50
#define NAMES_MS 1000
#define NAMES_AGAIN_US 10000000u /* pools that operators have created */
#define AHEAD_US 5000000u	 /* by this machine's clock, at most */
#define POOL_CARDS 2		 /* docs/contracts.md, "Games, pools, numbers" */

struct feeds {
	struct feeds_config config;
	struct kafka_consumer *consumer;
	struct redis_link *redis;
	struct hits *hits;
	struct rows *rows;
	uint64_t started_us;
	bool caught_up, asking_names, names_known;
	uint64_t names_us; /* when the pools were asked for last */
	uint32_t pools[COUNTERS_POOLS_MAX];
	size_t pools_n, reading;
	bool cards[COUNTERS_POOLS_MAX]; /* of pools: sets of Jackpot Cards */
	struct {
		struct metric *facts, *unreadable, *redis_bad;
	} metric;
};

/* ---- start ---- */

/* Waits for nobody: Kafka may be away, and then it is read from where this begins once it is back.
 */
static void begin(struct feeds *feeds)
{
	for (uint32_t i = 0; i < feeds->config.shards; i++) {
		kafka_consume_last(feeds->consumer, TOPIC_JACKPOT_FACTS, i, feeds->config.replay);
		kafka_consume_at(feeds->consumer, TOPIC_WALLET_FACTS, i, KAFKA_END);
	}
	hits_look(feeds->hits, WINNERS_MAX);
}

struct feeds *feeds_new(const struct feeds_config *config)
{
	struct feeds *feeds = calloc(1, sizeof(*feeds));
	if (!feeds)
		fatal("out of memory");
	feeds->config = *config;
	feeds->metric.facts = metric_counter(
		"carillon_notifications_facts_total", NULL, "Facts read from Kafka.");
	feeds->metric.unreadable = metric_counter("carillon_notifications_unreadable_total", NULL,
		"Messages skipped because they could not be read.");
	feeds->metric.redis_bad = metric_counter("carillon_notifications_redis_bad_total", NULL,
		"Values in Redis that are not counters.");
	feeds->redis = redis_link_new(config->redis, REDIS_TIMEOUT_MS);
	feeds->hits = hits_new(config->pg, config->winner, config->context);
	struct rows_config rows = { .pg = config->pg,
		.bus = config->bus,
		.instance = config->instance,
		.shards = config->shards,
		.unseen = config->unseen,
		.context = config->context };
	feeds->rows = rows_new(&rows);
	feeds->consumer = kafka_consumer_new(config->kafka, KAFKA_SLOW);
	kafka_reread(feeds->consumer, REREAD);
	feeds->pools[feeds->pools_n++] = 1;
	feeds->cards[feeds->pools_n] = true;
	feeds->pools[feeds->pools_n++] = POOL_CARDS;
	begin(feeds);
	feeds->started_us = clock_mono_us();
	return feeds;
}

void feeds_free(struct feeds **feeds)
{
	kafka_consumer_free(&(*feeds)->consumer);
	redis_link_free(&(*feeds)->redis);
	hits_free(&(*feeds)->hits);
	rows_free(&(*feeds)->rows);
	free(*feeds);
	*feeds = NULL;
}

int feeds_fd(const struct feeds *feeds)
{
	return kafka_consumer_fd(feeds->consumer);
}

bool feeds_caught_up(const struct feeds *feeds)
{
	return feeds->caught_up;
}

static void check_caught_up(struct feeds *feeds)
{
	uint64_t waited_us = clock_mono_us() - feeds->started_us;
	bool rows = rows_known(feeds->rows) && hits_known(feeds->hits) && feeds->names_known;
	bool facts = true;
	for (uint32_t i = 0; i < feeds->config.shards && !kafka_is_none(feeds->config.kafka); i++)
		facts = facts && kafka_lag(feeds->consumer, TOPIC_JACKPOT_FACTS, i) == 0;
	feeds->caught_up =
		(rows && (facts || waited_us > KAFKA_MAX_US)) || waited_us > START_MAX_US;
	if (!feeds->caught_up)
		return;
	if (!facts)
		log_warn_as("notifications.kafka.waiting",
			"Kafka does not answer yet: clients get no events of their own until it "
			"does; winners and counters come from Postgres and Redis");
	if (!rows)
		log_warn_as("notifications.postgres.waiting",
			"Postgres does not answer yet: clients get no recent winners until it "
			"does");
	rows_heard(feeds->rows);
}

/* ---- facts ---- */

static void know_pool(struct feeds *feeds, uint32_t pool)
{
	for (size_t i = 0; i < feeds->pools_n; i++)
		if (feeds->pools[i] == pool)
			return;
	if (feeds->pools_n < COUNTERS_POOLS_MAX)
		feeds->pools[feeds->pools_n++] = pool;
}

static bool is_cards(const struct feeds *feeds, uint32_t pool)
{
	for (size_t i = 0; i < feeds->pools_n; i++)
		if (feeds->pools[i] == pool)
			return feeds->cards[i];
	return false;
}

static void know_cards(struct feeds *feeds, uint32_t pool)
{
	for (size_t i = 0; i < feeds->pools_n; i++)
		if (feeds->pools[i] == pool)
			feeds->cards[i] = true;
}

static void row_state(struct feeds *feeds, uint32_t pool, const Carillon__RowState *state,
	const Carillon__Envelope *envelope)
{
	if (!state)
		return;
	if (state->level)
		know_cards(feeds, pool);
	struct counter row;
	facts_counter(state, &row);
	feeds->config.counter(
		feeds->config.context, pool, &row, envelope->incarnation, envelope->time_us);
}

static void hit_fact(struct feeds *feeds, const Carillon__JackpotFact *fact)
{
	struct winner winner;
	if (!facts_winner(fact, &winner))
		return;
	row_state(feeds, fact->pool, fact->hit->row_after, fact->envelope);
	hits_offer(feeds->hits, &winner, clock_mono_us());
}

static void card_fact(struct feeds *feeds, const Carillon__JackpotFact *fact)
{
	struct card_news news;
	if (!facts_card(fact, &news))
		return;
	know_cards(feeds, fact->pool);
	/* The hits read back at the start are already told. */
	if (feeds->caught_up)
		feeds->config.card(feeds->config.context, &news, fact->envelope->incarnation);
}

static bool jackpot_fact(struct feeds *feeds, const struct kafka_message *message, char *reason)
{
	Carillon__JackpotFact *fact = facts_jackpot_read(message->bytes, message->length, reason);
	if (!fact)
		return false;
	know_pool(feeds, fact->pool);
	if (fact->body_case == CARILLON__JACKPOT_FACT__BODY_HIT) {
		hit_fact(feeds, fact);
	} else if (fact->body_case == CARILLON__JACKPOT_FACT__BODY_CARD) {
		card_fact(feeds, fact);
	} else if (fact->body_case == CARILLON__JACKPOT_FACT__BODY_STATE) {
		for (size_t i = 0; i < fact->state->n_rows; i++)
			row_state(feeds, fact->pool, fact->state->rows[i], fact->envelope);
		feeds->config.status(feeds->config.context, fact->pool, fact->state->status);
	}
	carillon__jackpot_fact__free_unpacked(fact, NULL);
	return true;
}

static void own_fact(struct feeds *feeds, const Carillon__WalletFact *fact)
{
	struct holdback_fact own;
	if (!facts_own(fact, &own))
		return;
	own.award_seen = own.award && is_cards(feeds, own.award_pool);
	feeds->config.own(feeds->config.context, &own, fact->envelope->incarnation);
}

/* Of a sampled request (docs/tracing.md). */
static void traced(const Carillon__WalletFact *fact)
{
	log_hop(&(struct log_hop){ .trace = fact->envelope->trace.data,
		.event = "notifications.row.received",
		.message = "the row is there for the player's other windows",
		.player = fact->player,
		.round = fact->round,
		.move = fact->move,
		.seq = fact->envelope->seq });
}

static bool wallet_fact(struct feeds *feeds, const struct kafka_message *message, char *reason)
{
	Carillon__WalletFact *fact =
		facts_wallet_read(message->bytes, message->length, feeds->config.shards, reason);
	if (!fact)
		return false;
	if (rows_take(feeds->rows, fact->shard, fact->envelope->incarnation, fact->envelope->seq)) {
		if (log_sampled(fact->envelope->trace.data, fact->envelope->trace.len))
			traced(fact);
		log_trace(fact->envelope->trace.data, fact->envelope->trace.len);
		own_fact(feeds, fact);
		log_trace(NULL, 0);
	}
	carillon__wallet_fact__free_unpacked(fact, NULL);
	return true;
}

void feeds_poll(struct feeds *feeds)
{
	for (int batches = 0; batches < BATCHES_A_TURN; batches++) {
		struct kafka_batch batch = kafka_poll(feeds->consumer, BATCH_MAX);
		for (size_t i = 0; i < batch.n; i++) {
			const struct kafka_message *message = &batch.messages[i];
			bool jackpot = message->topic == TOPIC_JACKPOT_FACTS;
			char reason[FACTS_REASON_MAX];
			bool ok =
				message->refused || (jackpot ? jackpot_fact(feeds, message, reason)
							     : wallet_fact(feeds, message, reason));
			metric_add(ok ? feeds->metric.facts : feeds->metric.unreadable, 1);
			if (!ok)
				log_warn_as("notifications.message.skipped",
					"%s %" PRIu32 " offset %" PRId64 ": skipped: %s",
					topic_name(message->topic), message->partition,
					message->offset, reason);
		}
		bool more = batch.n == BATCH_MAX;
		kafka_batch_free(&batch);
		if (!more)
			break;
	}
	if (!feeds->caught_up)
		check_caught_up(feeds);
}

/* ---- Redis ---- */

static bool whole_number(const char **text, char until, uint64_t *value_r)
{
	char *end;
	if (!isdigit((unsigned char)**text))
		return false;
	*value_r = strtoull(*text, &end, 10);
	if (*end != until || *value_r > INT64_MAX)
		return false;
	*text = end + (until != 0);
	return true;
}

bool feeds_counter_parse(const char *field, const char *value, bool cards, struct counter *row_r,
	uint64_t *time_us_r)
{
	uint64_t currency, what, shown, seed, version, time_us, hits;
	char code[8] = "";
	const char *colon = strchr(field, ':');
	if (!colon || (size_t)(colon - field) >= sizeof(code))
		return false;
	memcpy(code, field, (size_t)(colon - field));
	const struct currency *known = currency_by_code(code);
	const char *at = field;
	if (known) {
		currency = known->number;
		at = colon + 1;
	} else if (!whole_number(&at, ':', &currency)) {
		return false;
	}
	if (!whole_number(&at, 0, &what) || what == 0 || currency > UINT32_MAX ||
		(cards && what > UINT32_MAX))
		return false;
	at = value;
	if (!whole_number(&at, ',', &shown) || !whole_number(&at, ',', &seed) ||
		!whole_number(&at, ',', &version) || !whole_number(&at, ',', &time_us) ||
		!whole_number(&at, 0, &hits))
		return false;
	*row_r = (struct counter){ .currency = (uint32_t)currency,
		.coin_minor = cards ? 0 : (int64_t)what,
		.level = cards ? (uint32_t)what : 0,
		.value_minor = (int64_t)shown,
		.seed_minor = (int64_t)seed,
		.version = version,
		.hits = hits };
	*time_us_r = time_us;
	return true;
}

/* meta: "status,T,reserve,seed,time_us". */
static void take_meta(struct feeds *feeds, uint32_t pool, const char *value)
{
	char status[COUNTERS_STATUS_MAX];
	size_t length = strcspn(value, ",");
	if (length >= sizeof(status))
		return;
	memcpy(status, value, length);
	status[length] = 0;
	feeds->config.status(feeds->config.context, pool, status);
}

static void on_counters(void *context, size_t index, const struct redisReply *reply)
{
	struct feeds *feeds = context;
	if (reply->type != REDIS_REPLY_ARRAY || index >= feeds->reading)
		return;
	uint32_t pool = feeds->pools[index];
	for (size_t i = 0; i + 1 < reply->elements; i += 2) {
		const char *field = reply->element[i]->str, *value = reply->element[i + 1]->str;
		struct counter row;
		uint64_t time_us;
		if (!field || !value)
			continue;
		if (strcmp(field, "meta") == 0)
			take_meta(feeds, pool, value);
		else if (feeds_counter_parse(field, value, feeds->cards[index], &row, &time_us) &&
			 time_us <= clock_wall_us() + AHEAD_US)
			feeds->config.counter(feeds->config.context, pool, &row, 0, time_us);
		else
			metric_add(feeds->metric.redis_bad, 1);
	}
}

/* One pipelined read of all pools. When Redis is away or empty, the last known counters stay and
 * grow older. */
static void read_redis(struct feeds *feeds)
{
	feeds->reading = feeds->pools_n;
	for (size_t i = 0; i < feeds->pools_n; i++)
		if (!redis_link_command(
			    feeds->redis, "hgetall carillon:counters:%u", feeds->pools[i]))
			return;
	(void)redis_link_flush(feeds->redis, on_counters, feeds);
}

/* ---- names ---- */

static void on_names(void *context, PGresult *result, const char *error)
{
	struct feeds *feeds = context;

	feeds->asking_names = false;
	if (error != NULL || PQresultStatus(result) != PGRES_TUPLES_OK)
		return; /* asked again by the tick */
	for (int i = 0; i < PQntuples(result); i++) {
		know_pool(feeds, (uint32_t)pg_number(result, i, 0));
		if (PQgetvalue(result, i, 2)[0] == 't')
			know_cards(feeds, (uint32_t)pg_number(result, i, 0));
	}
	if (!feeds->names_known)
		read_redis(feeds);
	feeds->names_known = true;
	for (int i = 0; i < PQntuples(result); i++)
		feeds->config.id(feeds->config.context, (uint32_t)pg_number(result, i, 0),
			PQgetvalue(result, i, 1));
}

static void ask_names(struct feeds *feeds)
{
	feeds->asking_names = true;
	feeds->names_us = clock_mono_us();
	pg_pool_query(feeds->config.pg,
		"select pool, id, false from pool.pool union all select pool, id, true from "
		"cards.card_set",
		0, NULL, NAMES_MS, on_names, feeds);
}

void feeds_tick(struct feeds *feeds, bool nameless)
{
	bool again = clock_mono_us() >= feeds->names_us + NAMES_AGAIN_US;
	if ((nameless || again) && !feeds->asking_names)
		ask_names(feeds);
	read_redis(feeds);
	if (!feeds->caught_up)
		check_caught_up(feeds);
	/* Also when nothing arrives: the consumer may have an offset to put right. */
	feeds_poll(feeds);
	rows_tick(feeds->rows);
	hits_tick(feeds->hits, clock_mono_us());
	hits_look(feeds->hits, feeds->caught_up ? HITS_A_LOOK : WINNERS_MAX);
}

struct frame_ages feeds_ages(const struct feeds *feeds, uint64_t jackpots_us)
{
	return (struct frame_ages){ .jackpots_us = jackpots_us,
		.winners_us = hits_age_us(feeds->hits, clock_mono_us()),
		.events_us = rows_age_us(feeds->rows) };
}
