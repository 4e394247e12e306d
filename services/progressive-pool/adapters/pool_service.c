/* The pools of this instance's shards: reads the feed, prices and books hits, sends awards and
 * facts. */
#include "services/progressive-pool/adapters/pool_service.h"

#include "jackpot.pb-c.h"
#include "libcommon/io/clock.h"
#include "libcommon/jackpot/io/fx_rates.h"
#include "libcommon/jackpot/io/jackpot_message.h"
#include "libcommon/jackpot/io/jackpot_quarantine.h"
#include "libcommon/jackpot/io/jackpot_totals.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/pg.h"
#include "libcommon/io/pg_args.h"
#include "services/progressive-pool/adapters/claims.h"
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
	struct metric *t, *reserve, *redis_age, *claims_open, *behind, *refused;
	struct jackpot_quarantine quarantine;
} self;

/* ---- start ---- */

void pool_service_start(struct service *service)
{
	char error[GAME_LINKS_ERROR_MAX], wrong[RECONCILE_TEXT_MAX];
	(void)service;
	if (!game_links_load(common.games, strcmp(common.kind, "live") != 0, &self.links, error))
		fatal("%s", error);
	if (!reconcile_check(&self.links, wrong))
		fatal("%s", wrong);
	self.redis = redis_link_new(common.redis, REDIS_TIMEOUT_MS);
	self.t = metric_gauge("carillon_pool_contributions_microeuro", NULL,
		"T of this instance's pools: all contributions ever, in 10^-6 EUR.");
	self.reserve = metric_gauge("carillon_pool_reserve_microeuro", NULL,
		"JP_RESERVE of this instance's pools, in 10^-6 EUR.");
	claims_start();
	self.taker.what = "pool";
	self.taker.old = metric_counter("carillon_pool_feed_old_total", NULL,
		"Dropped messages that a wallet shard sent before its restore.");
	self.taker.restored = metric_counter(
		"carillon_pool_wallet_restored_total", NULL, "New incarnations of wallet shards.");
	self.taker.silent = metric_counter("carillon_pool_totals_read_total", NULL,
		"Wallet shards that did not answer before a hit, read from their database.");
	self.taker.left_out = metric_counter("carillon_pool_totals_left_out_total", NULL,
		"Wallet shards whose newest stakes are missing from the price of a hit: an alarm.");
	self.redis_age = metric_gauge("carillon_pool_redis_age_us", NULL,
		"Age of the oldest counters in Redis of this instance's pools.");
	self.claims_open =
		metric_gauge("carillon_pool_pausing_claims", NULL, "Open claims of pausing pools.");
	self.refused = metric_gauge("carillon_pool_definitions_refused", NULL,
		"Pools that keep their old rows, because the definition's rows would raise the "
		"sum of shares above 1: an alarm.");
	jackpot_quarantine_start(&self.quarantine, "pool", "pool",
		metric_gauge("carillon_pool_quarantined", NULL,
			"Pools of this instance's shards that are out of work, because what is "
			"stored about them cannot be read: an alarm."));
	self.behind = metric_gauge("carillon_pool_rates_behind", NULL,
		"Games and currencies whose new FX rate could not be applied: an alarm.");
}

static bool pool_of_shard(struct service *service, uint32_t pool, uint32_t shard)
{
	return pool != 0 && shard_of_pool(pool, service_shards(service)) == shard;
}

static void open_tallies(struct service *service, void *visited, uint64_t mono_us)
{
	struct pool_instance *instance = visited;
	stored_try(&instance->link.fault);
	pool_source_look(&instance->source, mono_us);
	reconcile_tallies(instance, &self.links, service_pg(service));
	created_pool_tallies(instance, &self.links, service_pg(service));
	(void)stored_tried(&instance->link.fault);
}

struct loaded {
	bool known; /* it is stored */
	size_t hits_n;
	struct hit_record hits[TOLD_AGAIN];
};

/* Reads all that is stored about a pool, and changes nothing. NULL: it cannot be read. */
static struct pool_instance *load_pool(
	struct service *service, uint32_t number, uint32_t shard, struct loaded *loaded_r)
{
	struct pool_instance *instance = pool_instance_new(number, shard);
	PGconn *conn = service_pg(service);
	stored_try(&instance->link.fault);
	loaded_r->known = pool_store_load(instance, conn);
	pool_log_open(instance, conn);
	created_pool_load(instance, conn);
	loaded_r->hits_n = pool_store_hits_newest(conn, number, loaded_r->hits, TOLD_AGAIN);
	claims_load(service, instance);
	if (stored_tried(&instance->link.fault))
		return instance;
	jackpot_quarantine_put(&self.quarantine, service, number, shard, instance->link.fault.text);
	pool_instance_free(instance);
	return NULL;
}

/* NULL: it is quarantined. */
static struct pool_instance *open_pool(
	struct service *service, struct service_shard *shard, uint32_t number)
{
	static struct loaded loaded;
	struct pool_instance *instance = load_pool(service, number, shard->shard, &loaded);
	if (instance == NULL)
		return NULL;
	pool_log_begin(instance, loaded.known);
	instance->dirty = !loaded.known;
	instance->unshown = true;
	instance->paused_us =
		clock_mono_us(); /* a pausing pool: a new owner starts the wait again */
	created_pool_named(instance, &self.links, service_pg(service));
	reconcile_rows(instance, &self.links);
	if (!loaded.known)
		log_info("pool %u \"%s\" is new, on shard %u", number, instance->id, shard->shard);
	open_tallies(service, instance, clock_mono_us());
	for (size_t i = 0; i < loaded.hits_n; i++)
		pool_send_hit(service, instance, &loaded.hits[i], true);
	jackpot_list_add(shard, &instance->link);
	return instance;
}

/* Opens a pool that is neither open nor quarantined. */
static void open_one(struct service *service, struct service_shard *shard, uint32_t number)
{
	if (jackpot_list_find(shard, number) == NULL &&
		jackpot_quarantine_of(&self.quarantine, number) == NULL)
		(void)open_pool(service, shard, number);
}

/* Pools that no definition names: created by operators, or of a game that is no longer offered. */
static void open_stored(struct service *service, struct service_shard *shard)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, shard->shard);
	PGresult *rows = pg_args_query(&args, service_pg(service),
		"select pool from pool.pool where shard = $1 order by pool");
	for (int i = 0; i < PQntuples(rows); i++)
		open_one(service, shard, pg_u32(rows, i, 0));
	PQclear(rows);
}

void pool_service_open(struct service *service, struct service_shard *shard)
{
	shard->state = NULL;
	jackpot_quarantine_open(&self.quarantine, service, shard->shard);
	for (size_t i = 0; i < self.links.count; i++)
		if (pool_of_shard(service, self.links.link[i].jackpot.pool, shard->shard))
			open_one(service, shard, self.links.link[i].jackpot.pool);
	open_stored(service, shard);
	jackpot_quarantine_leave(&self.quarantine, service);
	service_commit_soon(service);
}

void pool_service_close(struct service *service, struct service_shard *shard)
{
	struct pool_instance *at;
	while ((at = shard->state) != NULL) {
		shard->state = at->link.next;
		pool_instance_free(at);
	}
	jackpot_quarantine_close(&self.quarantine, service, shard->shard);
}

/* ---- quarantine ---- */

/* Loads pools again that an operator has released. */
static void try_again(struct service *service)
{
	uint32_t pools[JACKPOT_QUARANTINE_MAX];
	size_t n = jackpot_quarantine_released(
		&self.quarantine, service, pools, JACKPOT_QUARANTINE_MAX);
	for (size_t i = 0; i < n; i++) {
		struct service_shard *shard =
			service_shard(service, shard_of_pool(pools[i], service_shards(service)));
		struct pool_instance *instance =
			shard != NULL ? open_pool(service, shard, pools[i]) : NULL;
		if (instance == NULL)
			continue;
		jackpot_quarantine_end(&self.quarantine, service, pools[i]);
		/* All totals that came meanwhile. */
		(void)asked_totals_want(&instance->claims.asked);
	}
	jackpot_quarantine_leave(&self.quarantine, service);
}

/* ---- feed ---- */

/* Raises the pool's T to that of its source, also after a fault: the source has then taken nothing
 * since, and is stored with what it took before. */
static void contribute(struct pool_instance *instance)
{
	int128 t = instance->source.vector.t_e18;
	if (t == instance->pool.t_e18)
		return;
	enum pool_status contributed = pool_contribute_to(&instance->pool, t);
	if (contributed != POOL_OK)
		fatal("pool %u: %s", instance->pool.number, pool_status_text(contributed));
	instance->dirty = true;
	instance->unshown = true;
}

static enum service_message_status take_feed(
	struct service *service, struct pool_instance *instance, const Carillon__JackpotFeed *feed)
{
	enum service_message_status status;
	if (feed->claim != NULL && feed->claim->kind != CARILLON__CLAIM_KIND__CLAIM_HIT) {
		service_reason(service,
			"claim.kind: found cards, expected a hit: pool %u is a progressive",
			feed->pool);
		return SERVICE_UNREADABLE;
	}
	bool taken = jackpot_totals_take(
		service, &instance->source, feed, &self.taker, &instance->dirty, &status);
	contribute(instance);
	if (!taken)
		return status;
	if (feed->claim == NULL)
		asked_totals_heard(&instance->claims.asked, clock_mono_us());
	/* A round contributes before it is evaluated, so its claim carries its totals. */
	if (feed->claim != NULL)
		claims_take(service, instance, feed);
	return SERVICE_TAKEN;
}

static enum service_message_status apply_feed(
	struct service *service, void *of, const Carillon__JackpotFeed *feed)
{
	struct pool_instance *instance = of;
	stored_try(&instance->link.fault);
	enum service_message_status status = take_feed(service, instance, feed);
	/* With a fault the pool leaves, and the message is not at fault: the wallet repeats it. */
	return stored_tried(&instance->link.fault) ? status : SERVICE_TAKEN;
}

/* ---- totals before a hit ---- */

static struct asked_totals_pool asked_of(void *context)
{
	struct pool_instance *instance = context;

	return (struct asked_totals_pool){ &instance->claims.asked, &instance->source, &self.taker,
		&instance->dirty };
}

void pool_service_bus(struct service *service, const uint8_t *bytes, size_t length)
{
	struct stored_fault fault;
	stored_try(&fault);
	struct pool_instance *instance = asked_totals_message(service, bytes, length, asked_of);

	if (!stored_tried(&fault) && instance != NULL)
		instance->link.fault = fault;
	if (instance != NULL)
		contribute(instance);
	jackpot_quarantine_leave(&self.quarantine, service);
}

static void price_claims(struct service *service, void *visited, uint64_t mono_us)
{
	struct pool_instance *instance = visited;
	const struct asked_totals_pool pool = asked_of(instance);

	stored_try(&instance->link.fault);
	/* Claims whose question is answered come before the next question. */
	claims_price(service, instance);
	asked_totals_turn(service, &pool, mono_us);
	contribute(instance);
	claims_price(service, instance);
	(void)stored_tried(&instance->link.fault);
}

/* ---- messages ---- */

static enum service_message_status apply_command(
	struct service *service, struct service_shard *shard, Carillon__JackpotCommand *command)
{
	struct pool_instance *instance = jackpot_list_find(shard, command->pool);
	struct stored_fault fault;
	stored_try(&fault);
	enum service_message_status status =
		pool_command_apply(service, shard, &self.links, &self.quarantine, command);
	if (!stored_tried(&fault) && instance != NULL)
		instance->link.fault = fault;
	return status;
}

enum service_message_status pool_service_message(struct service *service,
	struct service_shard *shard, const struct kafka_message *message, uint64_t *seq_r)
{
	static const struct jackpot_readers READERS = { apply_feed, apply_command };
	*seq_r = 0;
	enum service_message_status status = jackpot_message(service, shard, message, &READERS);
	jackpot_quarantine_leave(&self.quarantine, service);
	return status;
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
	if (instance->link.fault.text[0] != '\0')
		return;
	pool_log_sync(instance);
	if (instance->refused)
		reconcile_rows(instance, &self.links);
	pool_log_sync(instance);
	stored_try(&instance->link.fault);
	transfers_tick(service, instance, mono_us);
	(void)stored_tried(&instance->link.fault);
}

static struct {
	int128 t_e18, reserve_e27;
	uint64_t counters_us;
	uint32_t behind, refused;
} sums;

static void add_up(struct service *service, void *visited, uint64_t mono_us)
{
	struct pool_instance *instance = visited;
	(void)service;
	(void)mono_us;
	sums.t_e18 += instance->pool.t_e18;
	sums.reserve_e27 += instance->pool.books.jp_reserve.e27;
	sums.behind += instance->source.behind;
	sums.refused += instance->refused;
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
	metric_set(self.refused, sums.refused);
}

void pool_service_tick(struct service *service, uint64_t mono_us)
{
	jackpot_quarantine_each(&self.quarantine, service, price_claims, mono_us);
	if (fx_rates_changed(&self.rates, service_pg(service), mono_us, clock_wall_us()))
		jackpot_quarantine_each(&self.quarantine, service, open_tallies, mono_us);
	if (mono_us < self.second_us + SECOND_US)
		return;
	self.second_us = mono_us;
	jackpot_quarantine_each(&self.quarantine, service, look_for_pause, mono_us);
	jackpot_quarantine_each(&self.quarantine, service, await_money, mono_us);
	try_again(service);
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
	for (struct jackpot_link *at = self.quarantine.leaving; at != NULL; at = at->next)
		write_pool(service, at, clock_mono_us());
	jackpot_quarantine_save(&self.quarantine, service_pg(service));
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
	struct jackpot_link *at;
	while ((at = jackpot_quarantine_left(&self.quarantine)) != NULL)
		pool_instance_free((struct pool_instance *)at);
	jackpot_list_each(service, show_pool, clock_mono_us());
}
