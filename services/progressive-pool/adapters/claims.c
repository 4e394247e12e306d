#include "services/progressive-pool/adapters/claims.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg_args.h"
#include "libcommon/io/stored.h"
#include "services/progressive-pool/adapters/pool_log.h"
#include "services/progressive-pool/adapters/pool_messages.h"
#include "services/progressive-pool/adapters/pool_store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WAITING_CLAIMS_MAX 4096 /* of a pool; the wallet repeats what is dropped */

static struct {
	struct metric *hits, *resent, *unpriced;
} self;

void claims_start(void)
{
	self.hits = metric_counter("carillon_pool_hits_total", NULL, "Claims priced.");
	self.resent = metric_counter("carillon_pool_awards_resent_total", NULL,
		"Repeated claims, answered with the same award.");
	self.unpriced = metric_counter("carillon_pool_claims_unpriced_total", NULL,
		"Claims that could not be priced: an alarm.");
}

static bool same(const struct claim_id *a, const struct claim_id *b)
{
	return a->player == b->player && a->move == b->move && a->index == b->index;
}

/* ---- known hits ---- */

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
		if (same(&instance->hits[i].hit.claim.id, id)) {
			search->found = instance->hits[i];
			return &search->found.hit;
		}
	}
	uint32_t pool = 0;
	struct stored_fault fault;
	stored_try(&fault);
	bool found = pool_store_hit_find(service_pg(search->service), id, &search->found, &pool);
	bool readable = stored_tried(&fault);
	if (!found)
		return NULL;
	if (!readable)
		stored_wrong("pool.hit of player %" PRId64 ", move %" PRIu64 ", index %u: %.120s",
			id->player, id->move, id->index, fault.text);
	search->durable = readable;
	/* Another pool's hit under the same id, or one that nobody can read: no currency is 0, so
	 * the claim will differ. */
	if (!readable || pool != instance->pool.number)
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

/* ---- a new hit ---- */

static void keep_hit(struct service *service, struct pool_instance *instance,
	const struct waiting_claim *from, const struct pool_hit *hit)
{
	char left_out[ASKED_TOTALS_TEXT_MAX];
	pool_log_hit(instance, hit, asked_totals_left_out(&instance->claims.asked, left_out));
	const struct pool_row *row =
		pool_row_find(&instance->pool, hit->claim.currency, hit->claim.coin_minor);
	struct hit_record record = {
		.hit = *hit,
		.stake_minor = from->stake_minor,
		.wallet_shard = from->wallet_shard,
		.wallet_seq = from->wallet_seq,
		.claimed_us = from->claimed_us,
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

/* The wallet repeats the claim while it is open, so nothing is lost until an operator helps. */
static void unpriced(const struct pool_instance *instance, const struct pool_claim *claim,
	enum pool_status status)
{
	metric_add(self.unpriced, 1);
	log_error_as("pool.claim.unpriced",
		"pool %u: claim of player %" PRId64 ", move %" PRIu64
		", index %u (currency %u, coin %" PRId64 ") was not priced: %s",
		instance->pool.number, claim->id.player, claim->id.move, claim->id.index,
		claim->currency, claim->coin_minor, pool_status_text(status));
}

static void price(struct service *service, struct pool_instance *instance,
	const struct waiting_claim *waiting)
{
	struct search search = { .service = service, .instance = instance };
	struct pool_hit hit;
	pool_log_sync(instance);
	enum pool_status status =
		pool_hit(&instance->pool, &waiting->claim, find_hit, &search, &hit);
	if (status == POOL_OK) {
		keep_hit(service, instance, waiting, &hit);
		return;
	}
	if (status != POOL_REPEATED) {
		unpriced(instance, &waiting->claim, status);
		return;
	}
	metric_add(self.resent, 1);
	if (search.durable) /* else its first award is queued until the commit */
		pool_send_award(service, instance, &search.found, true);
}

/* ---- claims that wait ---- */

static bool waits(const struct pool_claims *claims, const struct claim_id *id)
{
	for (size_t i = 0; i < claims->n; i++)
		if (same(&claims->waiting[i].claim.id, id))
			return true;
	return false;
}

static void await(struct pool_instance *instance, struct waiting_claim waiting)
{
	struct pool_claims *claims = &instance->claims;
	if (claims->n == WAITING_CLAIMS_MAX)
		return;
	waiting.question = asked_totals_want(&claims->asked);
	claims->waiting = grown(claims->waiting, claims->n, &claims->room, sizeof(waiting));
	claims->waiting[claims->n++] = waiting;
}

void claims_take(
	struct service *service, struct pool_instance *instance, const Carillon__JackpotFeed *feed)
{
	const Carillon__Claim *asked = feed->claim;
	struct search search = { .service = service, .instance = instance };
	struct waiting_claim waiting = {
		.claim = { { asked->player, asked->move, asked->index }, asked->currency,
			asked->coin_minor },
		.stake_minor = asked->stake_minor,
		.wallet_shard = feed->shard,
		.wallet_seq = feed->envelope->seq,
		.claimed_us = asked->time_us,
	};
	if (waits(&instance->claims, &waiting.claim.id))
		return;
	if (find_hit(&search, &waiting.claim.id) != NULL)
		price(service, instance, &waiting); /* repeats */
	else
		await(instance, waiting);
}

static struct waiting_claim read_claim(const PGresult *rows, int i)
{
	return (struct waiting_claim){
		.claim = { { pg_number(rows, i, 0), pg_u64(rows, i, 1), pg_u32(rows, i, 2) },
			pg_u32(rows, i, 3), pg_number(rows, i, 4) },
		.stake_minor = pg_number(rows, i, 5),
		.wallet_shard = pg_u32(rows, i, 6),
		.wallet_seq = pg_u64(rows, i, 7),
		.claimed_us = pg_u64(rows, i, 8),
	};
}

void claims_load(struct service *service, struct pool_instance *instance)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, instance->pool.number);
	PGresult *rows = pg_args_query(&args, service_pg(service),
		"select player, move, index, currency, coin_minor, stake_minor, shard, opened_seq, "
		"(extract(epoch from opened) * 1000000)::bigint from wallet.claim where pool = $1 "
		"and kind = 1 and closed_seq is null order by opened, shard, opened_seq, index");
	for (int i = 0; i < PQntuples(rows); i++) {
		struct search search = { .service = service, .instance = instance };
		struct waiting_claim waiting = read_claim(rows, i);
		if (find_hit(&search, &waiting.claim.id) == NULL)
			await(instance, waiting);
	}
	PQclear(rows);
}

void claims_price(struct service *service, struct pool_instance *instance)
{
	struct pool_claims *claims = &instance->claims;
	size_t n = 0;
	/* After a fault the pool leaves, and the wallet repeats what is not priced. */
	while (stored_good() && n < claims->n &&
		asked_totals_complete(&claims->asked, claims->waiting[n].question))
		price(service, instance, &claims->waiting[n++]);
	claims->n -= n;
	memmove(claims->waiting, claims->waiting + n, claims->n * sizeof(*claims->waiting));
}

void claims_free(struct pool_instance *instance)
{
	free(instance->claims.waiting);
	instance->claims = (struct pool_claims){ 0 };
}
