/* Messages of a set of Jackpot Cards. */
#include "services/jackpot-cards/adapters/cards_messages.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pool_counters.h"

#include "bus.pb-c.h"
#include "wallet.pb-c.h"

#include <stdio.h>
#include <stdlib.h>

#define KEY_BYTES 8
#define REFUSAL_MAX 128

static uint32_t incarnation_of(struct service *service, const struct set_instance *instance)
{
	const struct service_shard *held = service_shard(service, instance->shard);
	return held != NULL ? held->incarnation : 1;
}

/* protobuf-c's fields are not const, and it does not write to what it packs. */
static char *text_of(const char *constant)
{
	union {
		const char *in;
		char *out;
	} both = { .in = constant };
	return both.out;
}

static ProtobufCBinaryData data_of(const uint8_t *bytes, size_t length)
{
	union {
		const uint8_t *in;
		uint8_t *out;
	} both = { .in = bytes };
	return (ProtobufCBinaryData){ length, both.out };
}

static uint8_t *packed(const ProtobufCMessage *message, size_t *length_r)
{
	*length_r = protobuf_c_message_get_packed_size(message);
	uint8_t *bytes = malloc(*length_r > 0 ? *length_r : 1);
	if (bytes == NULL)
		fatal("out of memory");
	(void)protobuf_c_message_pack(message, bytes);
	return bytes;
}

static void send(struct service *service, enum topic topic, uint32_t partition, uint64_t number,
	const ProtobufCMessage *message, bool now)
{
	uint8_t key[KEY_BYTES];
	size_t length;
	uint8_t *bytes = packed(message, &length);
	for (int i = 0; i < KEY_BYTES; i++)
		key[i] = (uint8_t)(number >> (8 * (KEY_BYTES - 1 - i)));
	if (now)
		service_send_now(service, topic, partition, key, sizeof(key), bytes, length);
	else
		service_send(service, topic, partition, key, sizeof(key), bytes, length);
	free(bytes);
}

static void send_fact_as(struct service *service, const struct set_instance *instance, uint64_t seq,
	Carillon__JackpotFact *fact)
{
	Carillon__Envelope envelope;
	carillon__envelope__init(&envelope);
	service_envelope(service, &envelope, incarnation_of(service, instance), seq);
	fact->envelope = &envelope;
	fact->pool = instance->set.number;
	send(service, TOPIC_JACKPOT_FACTS, instance->shard, instance->set.number, &fact->base,
		false);
}

/* The newest. */
static void send_fact(
	struct service *service, const struct set_instance *instance, Carillon__JackpotFact *fact)
{
	send_fact_as(service, instance, instance->fact_seq, fact);
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

/* ---- rounds
 * -----------------------------------------------------------------------------------------------------------
 */

void cards_send_award(struct service *service, const struct set_instance *instance,
	const struct card_play *play, bool now)
{
	Carillon__Envelope envelope;
	Carillon__Award award;
	Carillon__WalletCommand command;
	carillon__envelope__init(&envelope);
	carillon__award__init(&award);
	carillon__wallet_command__init(&command);
	service_envelope(service, &envelope, incarnation_of(service, instance), 0);
	award.move = play->id.move;
	award.index = play->id.index;
	award.pool = instance->set.number;
	award.paid_minor = play->paid_minor;
	award.currency = play->currency;
	award.hit = play->hit;
	command.envelope = &envelope;
	command.player = play->id.player;
	command.body_case = CARILLON__WALLET_COMMAND__BODY_AWARD;
	command.award = &award;
	send(service, TOPIC_WALLET_COMMANDS,
		shard_of_player(play->id.player, service_shards(service)),
		(uint64_t)play->id.player, &command.base, now);
}

struct round_out {
	Carillon__CardRound round;
	Carillon__TurnedCard turned[DEAL_CARDS];
	Carillon__TurnedCard *pointers[DEAL_CARDS];
};

/* As its player may see it: of the cards only those that lie open, level, prize and secret only
 * once it is won. */
static void fill_round(
	const struct set_instance *instance, const struct card_play *play, struct round_out *out)
{
	Carillon__CardRound *round = &out->round;
	carillon__card_round__init(round);
	round->player = play->id.player;
	round->move = play->id.move;
	round->index = play->id.index;
	round->pool = instance->set.number;
	round->number = play->number;
	round->currency = play->currency;
	round->opened_us = play->opened_us;
	round->expires_us = play->expires_us;
	round->secret_hash = data_of(play->secret_hash, sizeof(play->secret_hash));
	for (uint32_t i = 0; i < play->round.picked; i++) {
		carillon__turned_card__init(&out->turned[i]);
		out->turned[i].pick = i + 1;
		out->turned[i].position = play->round.position[i];
		out->turned[i].suit = play->round.deal.suit[i];
		out->pointers[i] = &out->turned[i];
	}
	round->turned = out->pointers;
	round->n_turned = play->round.picked;
	round->won = card_round_won(&play->round);
	if (!round->won)
		return;
	round->level = play->round.deal.level;
	round->paid_minor = play->paid_minor;
	round->hit = play->hit;
	round->secret = data_of(play->secret, sizeof(play->secret));
}

void cards_send_round(struct service *service, struct set_instance *instance,
	const struct card_play *play, Carillon__CardEvent event)
{
	struct round_out out;
	Carillon__CardFact card;
	Carillon__JackpotFact fact;
	carillon__card_fact__init(&card);
	carillon__jackpot_fact__init(&fact);
	fill_round(instance, play, &out);
	card.event = event;
	card.round = &out.round;
	fact.body_case = CARILLON__JACKPOT_FACT__BODY_CARD;
	fact.card = &card;
	instance->fact_seq++;
	send_fact(service, instance, &fact);
}

void cards_send_hit(
	struct service *service, const struct set_instance *instance, const struct card_play *play)
{
	Carillon__Claim claim;
	Carillon__RowState row;
	Carillon__HitFact hit;
	Carillon__JackpotFact fact;
	carillon__claim__init(&claim);
	carillon__row_state__init(&row);
	carillon__hit_fact__init(&hit);
	carillon__jackpot_fact__init(&fact);
	claim.index = play->id.index;
	claim.pool = instance->set.number;
	claim.kind = CARILLON__CLAIM_KIND__CLAIM_CARDS;
	claim.currency = play->currency;
	claim.stake_minor = play->stake_minor;
	claim.player = play->id.player;
	claim.move = play->id.move;
	claim.time_us = play->claimed_us;
	row.pool = instance->set.number;
	row.currency = CARD_SET_CURRENCY;
	row.level = play->round.deal.level;
	row.value_minor = play->next_value_minor;
	row.seed_minor = play->next_seed_minor;
	row.version = play->version;
	row.hits = play->price.number;
	hit.hit = play->hit;
	hit.claim = &claim;
	hit.paid_minor = play->paid_minor;
	hit.row_after = &row;
	hit.masked = true;
	fact.body_case = CARILLON__JACKPOT_FACT__BODY_HIT;
	fact.hit = &hit;
	send_fact_as(service, instance, play->fact_seq, &fact);
}

static void send_reply(struct service *service, const struct card_asker *asker,
	Carillon__CardReply *reply, bool now)
{
	Carillon__Envelope envelope;
	Carillon__Bus bus;
	size_t length;
	carillon__envelope__init(&envelope);
	carillon__bus__init(&bus);
	service_envelope(service, &envelope, 0, 0);
	reply->correlation = asker->correlation;
	reply->player = asker->player;
	bus.envelope = &envelope;
	bus.body_case = CARILLON__BUS__BODY_CARD;
	bus.card = reply;
	uint8_t *bytes = packed(&bus.base, &length);
	if (now)
		service_bus_send_now(service, asker->reply_to, bytes, length);
	else
		service_bus_send(service, asker->reply_to, bytes, length);
	free(bytes);
}

void cards_reply(struct service *service, const struct set_instance *instance,
	const struct card_play *play, const struct card_asker *asker, enum card_pick_status status,
	uint32_t pick, uint32_t position, bool now)
{
	static const char *const CODES[] = { "", "", "pick_differs", "pick_ahead", "card_turned",
		"card_round_over", "pick_out_of_range" };
	char found[64], expected[64];
	struct round_out out;
	Carillon__CardReply reply;
	carillon__card_reply__init(&reply);
	fill_round(instance, play, &out);
	reply.round = &out.round;
	reply.http_status = 200;
	if (status != CARD_PICK_OK && status != CARD_PICK_REPEATED) {
		reply.http_status = status == CARD_PICK_POSITION ? 400 : 409;
		reply.error = text_of(CODES[status]);
		reply.message = text_of(card_pick_status_text(status));
		reply.where = text_of(status == CARD_PICK_TURNED ? "position" : "pick");
		(void)snprintf(found, sizeof(found), "pick %u at position %u", pick, position);
		(void)snprintf(expected, sizeof(expected),
			card_round_won(&play->round) ? "no more picks" : "pick %u, face down",
			play->round.picked + 1u);
		reply.found = found;
		reply.expected = expected;
	}
	send_reply(service, asker, &reply, now);
}

void cards_reply_fault(struct service *service, const struct card_asker *asker, uint32_t http,
	const char *code, const char *message)
{
	Carillon__CardReply reply;
	carillon__card_reply__init(&reply);
	reply.http_status = http;
	reply.error = text_of(code);
	reply.message = text_of(message);
	send_reply(service, asker, &reply, true);
}
