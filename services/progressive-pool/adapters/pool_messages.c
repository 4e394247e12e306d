/* Messages of a pool. */
#include "services/progressive-pool/adapters/pool_messages.h"

#include "libcommon/jackpot/io/jackpot_send.h"
#include "libcommon/jackpot/io/pool_counters.h"

static struct jackpot_source source_of(const struct pool_instance *instance, uint64_t seq)
{
	return (struct jackpot_source){ instance->pool.number, instance->link.shard, seq };
}

void pool_send_award(struct service *service, const struct pool_instance *instance,
	const struct hit_record *record, bool now)
{
	const struct pool_hit *hit = &record->hit;
	struct jackpot_source source = source_of(instance, 0);
	struct jackpot_award award = { hit->claim.id, hit->price.paid_minor, hit->claim.currency,
		hit->number };
	jackpot_send_award(service, &source, &award, now);
}

void pool_send_hit(struct service *service, const struct pool_instance *instance,
	const struct hit_record *record, bool now)
{
	const struct pool_hit *hit = &record->hit;
	struct jackpot_source source = source_of(instance, record->fact_seq);
	struct jackpot_hit news = {
		.claim = hit->claim.id,
		.kind = CARILLON__CLAIM_KIND__CLAIM_HIT,
		.currency = hit->claim.currency,
		.stake_minor = record->stake_minor,
		.paid_minor = hit->price.paid_minor,
		.hit = hit->number,
		.claimed_us = record->claimed_us,
		.row_currency = hit->claim.currency,
		.coin_minor = hit->claim.coin_minor,
		.next_value_minor = record->next_value_minor,
		.next_seed_minor = record->next_seed_minor,
		.version = record->version,
		.row_hits = record->row_hits,
	};
	jackpot_send_hit(service, &source, &news, now);
}

/* What no claim could be paid is shown as the largest amount. */
static int64_t value_of(const struct pool_instance *instance, const struct pool_row *row)
{
	int64_t value;
	return pool_value(&instance->pool, row, &value) == POOL_OK ? value : INT64_MAX;
}

/* `values` has one entry per row. */
static struct jackpot_state state_of(const struct pool_instance *instance, int64_t *values)
{
	const struct pool *pool = &instance->pool;
	const char *broken;
	for (uint32_t i = 0; i < pool->row_count; i++)
		values[i] = value_of(instance, &pool->row[i]);
	return (struct jackpot_state){
		.status = pool_state_text(pool->state),
		.t_e18 = pool->t_e18,
		.books = &pool->books,
		.rows_n = pool->row_count,
		.rows = pool->row,
		.values_minor = values,
		.version = instance->version,
		.identities_hold = pool_identities_hold(pool, &broken),
	};
}

void pool_send_state(struct service *service, const struct pool_instance *instance)
{
	struct jackpot_source source = source_of(instance, instance->fact_seq);
	int64_t values[POOL_ROWS_MAX];
	struct jackpot_state state = state_of(instance, values);
	jackpot_send_state(service, &source, &state);
}

bool pool_show_counters(struct redis_link *link, const struct pool_instance *instance)
{
	int64_t values[POOL_ROWS_MAX];
	struct jackpot_state state = state_of(instance, values);
	return pool_counters_publish(link, instance->pool.number, &state);
}
