/* The pools of this instance's shards: reads the feed, prices and books hits, sends awards and
 * facts. */
#include "services/progressive-pool/adapters/pool_service.h"

#include "jackpot.pb-c.h"
#include "libcommon/io/clock.h"
#include "libcommon/jackpot/io/fx_rates.h"
#include "libcommon/jackpot/io/jackpot_message.h"
#include "libcommon/jackpot/io/jackpot_totals.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/pg.h"
#include "libcommon/io/pg_args.h"
#include "services/progressive-pool/adapters/created_pool.h"
#include "services/progressive-pool/adapters/pool_batch.h"
#include "services/progressive-pool/adapters/pool_commands.h"
#include "services/progressive-pool/adapters/pool_log.h"
#include "services/progressive-pool/adapters/pool_messages.h"
#include "services/progressive-pool/adapters/pool_store.h"
#include "services/progressive-pool/adapters/reconcile.h"
#include "services/progressive-pool/adapters/transfers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_US 1000000u
/* Least time between two PoolStates; with the loop's commit every second, one per second. */
#define SHOW_US 900000u
/* From the pause to the first check for open claims. A wallet that has not read the pause a second
 * later either commits within the two seconds of its lease or never. */
#define PAUSE_US 4000000u
/* How many of the newest hits are published again at a takeover; consumers recognize them by
 * number. */
#define TOLD_AGAIN 16
#define REDIS_TIMEOUT_MS 50

static struct {
	struct game_links links;
	struct redis_link *redis;
	struct fx_rates rates;
	uint64_t second_us;
	struct jackpot_taker taker;
	struct metric *t, *reserve, *hits, *resent, *unpriced, *redis_age, *claims_open, *behind;
} self;

/* ---- start ---- */

void pool_service_start(struct service *service)
{
	char error[GAME_LINKS_ERROR_MAX];
	(void)service;
	if (!game_links_load(common.games, strcmp(common.kind, "live") != 0, &self.links, error))
		fatal("%s", error);
	reconcile_check(&self.links);
	self.redis = redis_link_new(common.redis, REDIS_TIMEOUT_MS);
	self.t = metric_gauge("carillon_pool_contributions_microeuro", NULL,
		"T of this instance's pools: all contributions ever, in 10^-6 EUR.");
	self.reserve = metric_gauge("carillon_pool_reserve_microeuro", NULL,
		"JP_RESERVE of this instance's pools, in 10^-6 EUR.");
	self.hits = metric_counter("carillon_pool_hits_total", NULL, "Claims priced.");
	self.resent = metric_counter("carillon_pool_awards_resent_total", NULL,
		"Repeated claims, answered with the same award.");
	self.unpriced = metric_counter("carillon_pool_claims_unpriced_total", NULL,
		"Claims that could not be priced: an alarm.");
	self.taker.what = "pool";
	self.taker.old = metric_counter("carillon_pool_feed_old_total", NULL,
		"Dropped messages that a wallet shard sent before its restore.");
	self.taker.restored = metric_counter(
		"carillon_pool_wallet_restored_total", NULL, "New incarnations of wallet shards.");
	self.redis_age = metric_gauge("carillon_pool_redis_age_us", NULL,
		"Age of the oldest counters in Redis of this instance's pools.");
	self.claims_open =
		metric_gauge("carillon_pool_pausing_claims", NULL, "Open claims of pausing pools.");
	self.behind = metric_gauge("carillon_pool_rates_behind", NULL,
		"Games and currencies whose new FX rate could not be applied: an alarm.");
}

static bool pool_of_shard(struct service *service, uint32_t pool, uint32_t shard)
{
	return pool != 0 && shard_of_pool(pool, service_shards(service)) == shard;
}

static void publish_hits_again(struct service *service, const struct pool_instance *instance)
{
	struct hit_record records[TOLD_AGAIN];
	size_t n = pool_store_hits_newest(
		service_pg(service), instance->pool.number, records, TOLD_AGAIN);
	for (size_t i = 0; i < n; i++)
		pool_send_hit(service, instance, &records[i], true);
}

static void open_tallies(struct service *service, void *visited, uint64_t mono_us)
{
	struct pool_instance *instance = visited;
	pool_source_look(&instance->source, mono_us);
	reconcile_tallies(instance, &self.links, service_pg(service));
	created_pool_tallies(instance, &self.links, service_pg(service));
}

static struct pool_instance *open_pool(struct service *service, uint32_t number, uint32_t shard)
{
	struct pool_instance *instance = pool_instance_new(number, shard);
	bool known = pool_store_load(instance, service_pg(service));
	pool_log_open(instance, service_pg(service), known);
	instance->dirty = !known;
	instance->unshown = true;
	instance->paused_us =
		clock_mono_us(); /* a pausing pool: a new owner starts the wait again */
	created_pool_load(instance, service_pg(service));
	created_pool_named(instance, &self.links, service_pg(service));
	reconcile_rows(instance, &self.links);
	if (!known)
		log_info("pool %u \"%s\" is new, on shard %u", number, instance->id, shard);
	open_tallies(service, instance, clock_mono_us());
	publish_hits_again(service, instance);
	return instance;
}

/* Pools that no definition names: created by operators, or of a game that is no longer offered. */
static void open_stored(struct service *service, struct service_shard *shard)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, shard->shard);
	PGresult *rows = pg_args_query(&args, service_pg(service),
		"select pool from pool.pool where shard = $1 order by pool");
	for (int i = 0; i < PQntuples(rows); i++) {
		uint32_t pool = pg_u32(rows, i, 0);
		if (jackpot_list_find(shard, pool) == NULL)
			jackpot_list_add(shard, &open_pool(service, pool, shard->shard)->link);
	}
	PQclear(rows);
}

void pool_service_open(struct service *service, struct service_shard *shard)
{
	shard->state = NULL;
	for (size_t i = 0; i < self.links.count; i++) {
		uint32_t pool = self.links.link[i].jackpot.pool;
		if (!pool_of_shard(service, pool, shard->shard) ||
			jackpot_list_find(shard, pool) != NULL)
			continue;
		jackpot_list_add(shard, &open_pool(service, pool, shard->shard)->link);
	}
	open_stored(service, shard);
	service_commit_soon(service);
}

void pool_service_close(struct service *service, struct service_shard *shard)
{
	struct pool_instance *at;
	(void)service;
	while ((at = shard->state) != NULL) {
		shard->state = at->link.next;
		pool_instance_free(at);
	}
}

/* ---- hits ---- */

struct search {
	struct service *service;
	const struct pool_instance *instance;
	struct hit_record found;
	bool durable; /* found in Postgres: its award may be sent at once */
};

/* Finds a hit of this batch or in Postgres. */
static const struct pool_hit *find_hit(void *context, const struct claim_id *id)
{
	struct search *search = context;
	const struct pool_instance *instance = search->instance;
	for (size_t i = 0; i < instance->hit_count; i++) {
		const struct claim_id *known = &instance->hits[i].hit.claim.id;
		if (known->player == id->player && known->move == id->move &&
			known->index == id->index) {
			search->found = instance->hits[i];
			return &search->found.hit;
		}
	}
	uint32_t pool;
	if (!pool_store_hit_find(service_pg(search->service), id, &search->found, &pool))
		return NULL;
	search->durable = true;
	/* Another pool's hit under the same id: no currency is 0, so the claim will differ. */
	if (pool != instance->pool.number)
		search->found.hit.claim.currency = 0;
	return &search->found.hit;
}

static void *grown(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = *room == 0 ? 8 : *room * 2;
	array = realloc(array, *room * size);
	if (array == NULL)
		fatal("out of memory");
	return array;
}

static void keep_hit(struct service *service, struct pool_instance *instance,
	const Carillon__JackpotFeed *feed, const struct pool_hit *hit)
{
	pool_log_hit(instance, hit);
	const struct pool_row *row =
		pool_row_find(&instance->pool, hit->claim.currency, hit->claim.coin_minor);
	struct hit_record record = {
		.hit = *hit,
		.stake_minor = feed->claim->stake_minor,
		.wallet_shard = feed->shard,
		.wallet_seq = feed->envelope->seq,
		.claimed_us = feed->claim->time_us,
		.time_us = clock_wall_us(),
		.fact_seq = ++instance->fact_seq,
		.version = ++instance->version,
		.next_seed_minor = row->terms.seed_minor,
		.row_hits = row->hits,
	};
	if (pool_value(&instance->pool, row, &record.next_value_minor) != POOL_OK)
		fatal("pool %u: the value of a row is too large", instance->pool.number);
	instance->hits =
		grown(instance->hits, instance->hit_count, &instance->hit_room, sizeof(record));
	instance->hits[instance->hit_count++] = record;
	instance->dirty = true;
	instance->rows_dirty = true;
	instance->unshown = true;
	instance->show_now = true;
	/* Both are sent after the commit of the hit. */
	pool_send_award(service, instance, &record, false);
	pool_send_hit(service, instance, &record, false);
	service_commit_soon(service);
	metric_add(self.hits, 1);
	log_info("pool %u: hit %" PRIu64 ": %" PRId64 " paid in currency %u at coin %" PRId64,
		instance->pool.number, hit->number, hit->price.paid_minor, hit->claim.currency,
		hit->claim.coin_minor);
}

static void take_claim(
	struct service *service, struct pool_instance *instance, const Carillon__JackpotFeed *feed)
{
	const Carillon__Claim *asked = feed->claim;
	struct pool_claim claim = { { asked->player, asked->move, asked->index }, asked->currency,
		asked->coin_minor };
	struct search search = { .service = service, .instance = instance };
	struct pool_hit hit;
	pool_log_sync(instance);
	enum pool_status status = pool_hit(&instance->pool, &claim, find_hit, &search, &hit);
	if (status == POOL_OK) {
		keep_hit(service, instance, feed, &hit);
		return;
	}
	if (status == POOL_REPEATED) {
		metric_add(self.resent, 1);
		if (search.durable) /* else its first award is queued until the commit */
			pool_send_award(service, instance, &search.found, true);
		return;
	}
	/* The wallet repeats the claim while it is open, so nothing is lost until an operator
	 * helps. */
	metric_add(self.unpriced, 1);
	log_error("pool %u: claim of player %" PRId64 ", move %" PRIu64
		  ", index %u (currency %u, coin %" PRId64 ") was not priced: %s",
		instance->pool.number, asked->player, asked->move, asked->index, asked->currency,
		asked->coin_minor, pool_status_text(status));
}

/* ---- feed ---- */

static enum service_message_status apply_feed(
	struct service *service, void *of, const Carillon__JackpotFeed *feed)
{
	struct pool_instance *instance = of;
	enum service_message_status status;
	if (feed->claim != NULL && feed->claim->kind != CARILLON__CLAIM_KIND__CLAIM_HIT) {
		service_reason(service,
			"claim.kind: found cards, expected a hit: pool %u is a progressive",
			feed->pool);
		return SERVICE_UNREADABLE;
	}
	if (!jackpot_totals_take(
		    service, &instance->source, feed, &self.taker, &instance->dirty, &status))
		return status;
	int128 t = instance->source.vector.t_e18;
	if (t != instance->pool.t_e18) {
		enum pool_status contributed = pool_contribute_to(&instance->pool, t);
		if (contributed != POOL_OK)
			fatal("pool %u: %s", instance->pool.number, pool_status_text(contributed));
		instance->dirty = true;
		instance->unshown = true;
	}
	/* A round contributes before it is evaluated, so its claim carries its totals. */
	if (feed->claim != NULL)
		take_claim(service, instance, feed);
	return SERVICE_TAKEN;
}

/* ---- messages ---- */

static enum service_message_status apply_command(
	struct service *service, struct service_shard *shard, Carillon__JackpotCommand *command)
{
	return pool_command_apply(service, shard, &self.links, command);
}

enum service_message_status pool_service_message(struct service *service,
	struct service_shard *shard, const struct kafka_message *message, uint64_t *seq_r)
{
	static const struct jackpot_readers READERS = { apply_feed, apply_command };
	*seq_r = 0;
	return jackpot_message(service, shard, message, &READERS);
}

/* ---- time and commits ---- */

static void look_for_pause(struct service *service, void *visited, uint64_t mono_us)
{
	struct pool_instance *instance = visited;
	if (instance->pool.state != POOL_PAUSING || mono_us < instance->paused_us + PAUSE_US)
		return;
	pool_log_sync(instance);
	int64_t open = pool_store_claims_open(service_pg(service), instance->pool.number);
	metric_set(self.claims_open, open);
	if (open != 0 || !pool_claims_closed(&instance->pool))
		return;
	instance->dirty = true;
	instance->unshown = true;
	log_info("pool %u: paused, no claim is open", instance->pool.number);
}

static void await_money(struct service *service, void *visited, uint64_t mono_us)
{
	struct pool_instance *instance = visited;
	if (instance->created.tallies_due || pool_source_retry_due(&instance->source, mono_us))
		open_tallies(service, instance, mono_us);
	pool_log_sync(instance);
	transfers_tick(service, instance, mono_us);
}

static struct {
	int128 t_e18, reserve_e27;
	uint64_t counters_us;
	uint32_t behind;
} sums;

static void add_up(struct service *service, void *visited, uint64_t mono_us)
{
	struct pool_instance *instance = visited;
	(void)service;
	(void)mono_us;
	sums.t_e18 += instance->pool.t_e18;
	sums.reserve_e27 += instance->pool.books.jp_reserve.e27;
	sums.behind += instance->source.behind;
	if (instance->counters_us < sums.counters_us)
		sums.counters_us = instance->counters_us;
}

static void tell_metrics(struct service *service, uint64_t mono_us)
{
	memset(&sums, 0, sizeof(sums));
	sums.counters_us = mono_us;
	jackpot_list_each(service, add_up, mono_us);
	metric_set(self.t, (int64_t)(sums.t_e18 / 1000000000000));
	metric_set(self.reserve, (int64_t)(sums.reserve_e27 / 1000000000000 / 1000000000));
	metric_set(self.redis_age, (int64_t)(mono_us - sums.counters_us));
	metric_set(self.behind, sums.behind);
}

void pool_service_tick(struct service *service, uint64_t mono_us)
{
	if (fx_rates_changed(&self.rates, service_pg(service), mono_us, clock_wall_us()))
		jackpot_list_each(service, open_tallies, mono_us);
	if (mono_us < self.second_us + SECOND_US)
		return;
	self.second_us = mono_us;
	jackpot_list_each(service, look_for_pause, mono_us);
	jackpot_list_each(service, await_money, mono_us);
	tell_metrics(service, mono_us);
}

static void write_pool(struct service *service, void *visited, uint64_t mono_us)
{
	struct pool_instance *instance = visited;
	instance->show = instance->unshown && mono_us >= instance->shown_us + SHOW_US;
	if (instance->show)
		instance->fact_seq++;
	if (!instance->dirty && !instance->show)
		return;
	/* From here on the state differs from the one last sent. */
	instance->version++;
	pool_log_sync(instance);
	pool_store_save(instance, service_pg(service));
	if (instance->show)
		pool_send_state(service, instance);
}

void pool_service_write(struct service *service)
{
	pool_commands_save(service_pg(service));
	jackpot_list_each(service, write_pool, clock_mono_us());
	pool_batch_save(service_pg(service));
	pool_log_save(service_pg(service));
}

static void show_pool(struct service *service, void *visited, uint64_t mono_us)
{
	struct pool_instance *instance = visited;
	(void)service;
	if (instance->show) {
		instance->shown_us = mono_us;
		instance->unshown = false;
	}
	/* Writes all counters every second, even if nothing has changed: Redis may have been
	 * emptied, and readers check the age. */
	if (instance->show_now || mono_us >= instance->counters_us + SHOW_US)
		if (pool_show_counters(self.redis, instance))
			instance->counters_us = mono_us;
	instance->show_now = false;
}

void pool_service_committed(struct service *service)
{
	jackpot_list_each(service, show_pool, clock_mono_us());
}
