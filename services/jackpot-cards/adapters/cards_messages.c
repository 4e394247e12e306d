/* Messages of a set of Jackpot Cards. */
#include "services/jackpot-cards/adapters/cards_messages.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pool_counters.h"

#include <stdio.h>
#include <stdlib.h>

#define KEY_BYTES 8
#define REFUSAL_MAX 128

static void send_fact(
	struct service *service, const struct set_instance *instance, Carillon__JackpotFact *fact)
{
	uint8_t key[KEY_BYTES];
	Carillon__Envelope envelope;
	const struct service_shard *held = service_shard(service, instance->shard);
	carillon__envelope__init(&envelope);
	service_envelope(
		service, &envelope, held != NULL ? held->incarnation : 1, instance->fact_seq);
	fact->envelope = &envelope;
	fact->pool = instance->set.number;
	size_t length = carillon__jackpot_fact__get_packed_size(fact);
	uint8_t *bytes = malloc(length > 0 ? length : 1);
	if (bytes == NULL)
		fatal("out of memory");
	(void)carillon__jackpot_fact__pack(fact, bytes);
	for (int i = 0; i < KEY_BYTES; i++)
		key[i] = (uint8_t)((uint64_t)instance->set.number >> (8 * (KEY_BYTES - 1 - i)));
	service_send(
		service, TOPIC_JACKPOT_FACTS, instance->shard, key, sizeof(key), bytes, length);
	free(bytes);
}

static int64_t value_of(const struct set_instance *instance, enum card_level level)
{
	int64_t value;
	enum card_set_status status = card_set_value(&instance->set, level, &value);
	if (status != CARD_SET_OK)
		fatal("set %u, %s: %s", instance->set.number, card_level_text(level),
			card_set_status_text(status));
	return value;
}

void cards_send_state(struct service *service, const struct set_instance *instance)
{
	const struct card_set *set = &instance->set;
	Carillon__RowState rows[CARD_LEVELS];
	Carillon__RowState *pointers[CARD_LEVELS];
	Carillon__PoolState state;
	Carillon__JackpotFact fact;
	const int128 amounts[] = { set->t_e18, set->books.jp_reserve.e27, set->books.jp_seed.e27,
		set->books.jp_pool.e27, set->books.house_seed.e27, set->books.paid.e27 };
	char texts[6][AMOUNT_TEXT_MAX];
	char live[] = "live";
	const char *broken;
	carillon__pool_state__init(&state);
	carillon__jackpot_fact__init(&fact);
	for (size_t i = 0; i < 6; i++)
		(void)int128_format(amounts[i], texts[i]);
	for (int i = 0; i < CARD_LEVELS; i++) {
		const struct pool_row *row = &set->level[i];
		carillon__row_state__init(&rows[i]);
		rows[i].pool = set->number;
		rows[i].currency = row->currency;
		rows[i].level = row->level;
		rows[i].value_minor = value_of(instance, (enum card_level)row->level);
		rows[i].seed_minor = row->terms.seed_minor;
		rows[i].version = instance->version;
		rows[i].hits = row->hits;
		pointers[i] = &rows[i];
	}
	state.n_rows = CARD_LEVELS;
	state.rows = pointers;
	state.status = live;
	state.contributions = texts[0];
	state.reserve = texts[1];
	state.seed = texts[2];
	state.pool = texts[3];
	state.house_seed = texts[4];
	state.paid = texts[5];
	state.identities_hold = card_set_identities_hold(set, &broken);
	fact.body_case = CARILLON__JACKPOT_FACT__BODY_STATE;
	fact.state = &state;
	send_fact(service, instance, &fact);
}

void cards_send_refusal(struct service *service, const struct set_instance *instance,
	Carillon__OperatorCommand *command, const char *refusal)
{
	Carillon__OperatorFact action;
	Carillon__JackpotFact fact;
	char text[REFUSAL_MAX];
	carillon__operator_fact__init(&action);
	carillon__jackpot_fact__init(&fact);
	(void)snprintf(text, sizeof(text), "%s", refusal);
	action.command = command;
	action.refusal = text;
	fact.body_case = CARILLON__JACKPOT_FACT__BODY_OPERATOR;
	fact.operator_ = &action;
	send_fact(service, instance, &fact);
}

bool cards_show_counters(struct redis_link *link, const struct set_instance *instance)
{
	const struct card_set *set = &instance->set;
	struct pool_counter counter[CARD_LEVELS];
	for (int i = 0; i < CARD_LEVELS; i++) {
		const struct pool_row *row = &set->level[i];
		counter[i] = (struct pool_counter){
			.currency = row->currency,
			.key = row->level,
			.value_minor = value_of(instance, (enum card_level)row->level),
			.seed_minor = row->terms.seed_minor,
			.version = instance->version,
			.hits = row->hits,
		};
	}
	struct pool_counters counters = {
		.pool = set->number,
		.status = "live",
		.t_e18 = set->t_e18,
		.reserve = set->books.jp_reserve,
		.seed = set->books.jp_seed,
		.time_us = clock_wall_us(),
		.count = CARD_LEVELS,
		.counter = counter,
	};
	return pool_counters_publish(link, &counters);
}
