/* Messages of a pool. */
#include "services/progressive-pool/adapters/pool_messages.h"

#include "jackpot.pb-c.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pool_counters.h"
#include "wallet.pb-c.h"

#include <assert.h>
#include <stdlib.h>

#define KEY_BYTES 8

static void key_of(uint64_t number, uint8_t *key)
{
	for (int i = 0; i < KEY_BYTES; i++)
		key[i] = (uint8_t)(number >> (8 * (KEY_BYTES - 1 - i)));
}

static void send(struct service *service, enum topic topic, uint32_t partition, uint64_t key_number,
	const ProtobufCMessage *message, bool now)
{
	uint8_t key[KEY_BYTES];
	size_t length = protobuf_c_message_get_packed_size(message);
	uint8_t *bytes = malloc(length > 0 ? length : 1);
	if (bytes == NULL)
		fatal("out of memory");
	(void)protobuf_c_message_pack(message, bytes);
	key_of(key_number, key);
	if (now)
		service_send_now(service, topic, partition, key, sizeof(key), bytes, length);
	else
		service_send(service, topic, partition, key, sizeof(key), bytes, length);
	free(bytes);
}

static uint32_t incarnation_of(struct service *service, uint32_t shard)
{
	const struct service_shard *held = service_shard(service, shard);
	return held != NULL ? held->incarnation : 1;
}

void pool_send_award(struct service *service, const struct pool_instance *instance,
	const struct hit_record *record, bool now)
{
	Carillon__Envelope envelope;
	Carillon__Award award;
	Carillon__WalletCommand command;
	const struct pool_claim *claim = &record->hit.claim;
	carillon__envelope__init(&envelope);
	carillon__award__init(&award);
	carillon__wallet_command__init(&command);
	service_envelope(service, &envelope, incarnation_of(service, instance->shard), 0);
	award.move = claim->id.move;
	award.index = claim->id.index;
	award.pool = instance->pool.number;
	award.paid_minor = record->hit.price.paid_minor;
	award.currency = claim->currency;
	award.hit = record->hit.number;
	command.envelope = &envelope;
	command.player = claim->id.player;
	command.body_case = CARILLON__WALLET_COMMAND__BODY_AWARD;
	command.award = &award;
	send(service, TOPIC_WALLET_COMMANDS,
		shard_of_player(claim->id.player, service_shards(service)),
		(uint64_t)claim->id.player, &command.base, now);
}

static void send_fact(struct service *service, const struct pool_instance *instance, uint64_t seq,
	Carillon__JackpotFact *fact, bool now)
{
	Carillon__Envelope envelope;
	carillon__envelope__init(&envelope);
	service_envelope(service, &envelope, incarnation_of(service, instance->shard), seq);
	fact->envelope = &envelope;
	fact->pool = instance->pool.number;
	send(service, TOPIC_JACKPOT_FACTS, instance->shard, instance->pool.number, &fact->base,
		now);
}

void pool_send_hit(struct service *service, const struct pool_instance *instance,
	const struct hit_record *record, bool now)
{
	Carillon__Claim claim;
	Carillon__RowState row;
	Carillon__HitFact hit;
	Carillon__JackpotFact fact;
	const struct pool_claim *of = &record->hit.claim;
	carillon__claim__init(&claim);
	carillon__row_state__init(&row);
	carillon__hit_fact__init(&hit);
	carillon__jackpot_fact__init(&fact);
	claim.index = of->id.index;
	claim.pool = instance->pool.number;
	claim.kind = CARILLON__CLAIM_KIND__CLAIM_HIT;
	claim.coin_minor = of->coin_minor;
	claim.currency = of->currency;
	claim.stake_minor = record->stake_minor;
	claim.player = of->id.player;
	claim.move = of->id.move;
	claim.time_us = record->claimed_us;
	row.pool = instance->pool.number;
	row.currency = of->currency;
	row.coin_minor = of->coin_minor;
	row.value_minor = record->next_value_minor;
	row.seed_minor = record->next_seed_minor;
	row.version = record->version;
	row.hits = record->row_hits;
	hit.hit = record->hit.number;
	hit.claim = &claim;
	hit.paid_minor = record->hit.price.paid_minor;
	hit.row_after = &row;
	hit.masked = true;
	fact.body_case = CARILLON__JACKPOT_FACT__BODY_HIT;
	fact.hit = &hit;
	send_fact(service, instance, record->fact_seq, &fact, now);
}

/* protobuf-c's fields are not const, and it does not write to what it packs. */
static char *text(const char *constant)
{
	union {
		const char *in;
		char *out;
	} both = { .in = constant };
	return both.out;
}

void pool_send_action(struct service *service, const struct pool_instance *instance,
	const struct action_record *record, bool now)
{
	Carillon__OperatorCommand command;
	Carillon__OperatorFact action;
	Carillon__JackpotFact fact;
	uint8_t id[ACTION_ID_BYTES];
	carillon__operator_command__init(&command);
	carillon__operator_fact__init(&action);
	carillon__jackpot_fact__init(&fact);
	for (size_t i = 0; i < ACTION_ID_BYTES; i++)
		id[i] = record->id[i];
	command.action = (Carillon__OperatorAction)record->action;
	command.actor = text(record->actor);
	command.second = text(record->second);
	command.reason = text(record->reason);
	command.id = (ProtobufCBinaryData){ sizeof(id), id };
	command.parameters = text(record->parameters);
	action.command = &command;
	action.done = record->done;
	action.refusal = text(record->refusal);
	action.before = text(record->before);
	action.after = text(record->after);
	fact.body_case = CARILLON__JACKPOT_FACT__BODY_OPERATOR;
	fact.operator_ = &action;
	send_fact(service, instance, record->fact_seq, &fact, now);
}

static void row_state(
	const struct pool_instance *instance, const struct pool_row *row, Carillon__RowState *state)
{
	carillon__row_state__init(state);
	state->pool = instance->pool.number;
	state->currency = row->currency;
	state->coin_minor = row->coin_minor;
	state->seed_minor = row->terms.seed_minor;
	state->version = instance->version;
	state->hits = row->hits;
	if (pool_value(&instance->pool, row, &state->value_minor) != POOL_OK)
		fatal("pool %u: a value that does not fit", instance->pool.number);
}

void pool_send_state(struct service *service, const struct pool_instance *instance)
{
	const struct pool *pool = &instance->pool;
	Carillon__RowState rows[POOL_ROWS_MAX];
	Carillon__RowState *pointers[POOL_ROWS_MAX];
	Carillon__PoolState state;
	Carillon__JackpotFact fact;
	const int128 amounts[] = { pool->t_e18, pool->books.jp_reserve.e27, pool->books.jp_seed.e27,
		pool->books.jp_pool.e27, pool->books.house_seed.e27, pool->books.paid.e27 };
	char texts[6][AMOUNT_TEXT_MAX];
	const char *broken;
	carillon__pool_state__init(&state);
	carillon__jackpot_fact__init(&fact);
	for (size_t i = 0; i < 6; i++)
		(void)int128_format(amounts[i], texts[i]);
	for (uint32_t i = 0; i < pool->row_count; i++) {
		row_state(instance, &pool->row[i], &rows[i]);
		pointers[i] = &rows[i];
	}
	state.n_rows = pool->row_count;
	state.rows = pointers;
	state.status = text(pool_state_text(pool->state));
	state.contributions = texts[0];
	state.reserve = texts[1];
	state.seed = texts[2];
	state.pool = texts[3];
	state.house_seed = texts[4];
	state.paid = texts[5];
	state.identities_hold = pool_identities_hold(pool, &broken);
	fact.body_case = CARILLON__JACKPOT_FACT__BODY_STATE;
	fact.state = &state;
	send_fact(service, instance, instance->fact_seq, &fact, false);
}

bool pool_show_counters(struct redis_link *link, const struct pool_instance *instance)
{
	const struct pool *pool = &instance->pool;
	struct pool_counter counter[POOL_ROWS_MAX];
	for (uint32_t i = 0; i < pool->row_count; i++) {
		const struct pool_row *row = &pool->row[i];
		counter[i] = (struct pool_counter){
			.currency = row->currency,
			.key = row->coin_minor,
			.seed_minor = row->terms.seed_minor,
			.version = instance->version,
			.hits = row->hits,
		};
		if (pool_value(pool, row, &counter[i].value_minor) != POOL_OK)
			fatal("pool %u: a value that does not fit", pool->number);
	}
	struct pool_counters counters = {
		.pool = pool->number,
		.status = pool_state_text(pool->state),
		.t_e18 = pool->t_e18,
		.reserve = pool->books.jp_reserve,
		.seed = pool->books.jp_seed,
		.time_us = clock_wall_us(),
		.count = pool->row_count,
		.counter = counter,
	};
	return pool_counters_publish(link, &counters);
}
