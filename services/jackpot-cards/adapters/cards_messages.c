/* Messages of a set of Jackpot Cards. */
#include "services/jackpot-cards/adapters/cards_messages.h"

#include "libcommon/jackpot/io/jackpot_send.h"
#include "libcommon/io/log.h"
#include "libcommon/jackpot/io/pool_counters.h"

#include "bus.pb-c.h"

#include <stdio.h>
#include <stdlib.h>

static struct jackpot_source source_of(const struct set_instance *instance, uint64_t seq)
{
	return (struct jackpot_source){ instance->set.number, instance->link.shard, seq };
}

/* The newest. */
static void send_fact(
	struct service *service, const struct set_instance *instance, Carillon__JackpotFact *fact)
{
	struct jackpot_source source = source_of(instance, instance->fact_seq);
	jackpot_send_fact(service, &source, fact, false);
}

/* What nobody could be paid is shown as the largest amount. */
static int64_t value_of(const struct set_instance *instance, enum card_level level)
{
	int64_t value;
	return card_set_value(&instance->set, level, &value) == CARD_SET_OK ? value : INT64_MAX;
}

/* `values` has one value per level. */
static struct jackpot_state state_of(const struct set_instance *instance, int64_t *values)
{
	const struct card_set *set = &instance->set;
	const char *broken;
	for (int i = 0; i < CARD_LEVELS; i++)
		values[i] = value_of(instance, (enum card_level)set->level[i].level);
	return (struct jackpot_state){
		.status = set_state_text(instance),
		.t_e18 = set->t_e18,
		.books = &set->books,
		.rows_n = CARD_LEVELS,
		.rows = set->level,
		.values_minor = values,
		.version = instance->version,
		.identities_hold = card_set_identities_hold(set, &broken),
	};
}

void cards_send_state(struct service *service, const struct set_instance *instance)
{
	struct jackpot_source source = source_of(instance, instance->fact_seq);
	int64_t values[CARD_LEVELS];
	struct jackpot_state state = state_of(instance, values);
	jackpot_send_state(service, &source, &state);
}

bool cards_show_counters(struct redis_link *link, const struct set_instance *instance)
{
	int64_t values[CARD_LEVELS];
	struct jackpot_state state = state_of(instance, values);
	return pool_counters_publish(link, instance->set.number, &state);
}

/* ---- rounds
 * -----------------------------------------------------------------------------------------------------------
 */

void cards_send_award(struct service *service, const struct set_instance *instance,
	const struct card_play *play, bool now)
{
	struct jackpot_source source = source_of(instance, 0);
	struct jackpot_award award = { play->id, play->paid_minor, play->currency, play->hit };
	jackpot_send_award(service, &source, &award, now);
}

struct round_out {
	Carillon__CardRound round;
	Carillon__TurnedCard turned[DEAL_CARDS];
	Carillon__TurnedCard *pointers[DEAL_CARDS];
};

/* The round as its player may see it: only face-up cards; level, prize and secret only after the
 * win. */
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
	round->secret_hash = jackpot_data(play->secret_hash, sizeof(play->secret_hash));
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
	round->secret = jackpot_data(play->secret, sizeof(play->secret));
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
	struct jackpot_source source = source_of(instance, play->fact_seq);
	struct jackpot_hit news = {
		.claim = play->id,
		.kind = CARILLON__CLAIM_KIND__CLAIM_CARDS,
		.currency = play->currency,
		.stake_minor = play->stake_minor,
		.paid_minor = play->paid_minor,
		.hit = play->hit,
		.claimed_us = play->claimed_us,
		.row_currency = CARD_SET_CURRENCY,
		.level = play->round.deal.level,
		.next_value_minor = play->next_value_minor,
		.next_seed_minor = play->next_seed_minor,
		.version = play->version,
		.row_hits = play->price.number,
	};
	jackpot_send_hit(service, &source, &news, false);
}

static void send_reply(struct service *service, const struct card_requester *requester,
	Carillon__CardReply *reply, bool now)
{
	Carillon__Envelope envelope;
	Carillon__Bus bus;
	size_t length;
	carillon__envelope__init(&envelope);
	carillon__bus__init(&bus);
	service_envelope(service, &envelope, 0, 0);
	reply->correlation = requester->correlation;
	reply->player = requester->player;
	bus.envelope = &envelope;
	bus.body_case = CARILLON__BUS__BODY_CARD;
	bus.card = reply;
	uint8_t *bytes = jackpot_pack(&bus.base, &length);
	if (now)
		service_bus_send_now(service, requester->reply_to, bytes, length);
	else
		service_bus_send(service, requester->reply_to, bytes, length);
	free(bytes);
}

void cards_reply(struct service *service, const struct set_instance *instance,
	const struct card_play *play, const struct card_requester *requester,
	enum card_pick_status status, uint32_t pick, uint32_t position, bool now)
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
		reply.error = jackpot_text(CODES[status]);
		reply.message = jackpot_text(card_pick_status_text(status));
		reply.where = jackpot_text(status == CARD_PICK_TURNED ? "position" : "pick");
		(void)snprintf(found, sizeof(found), "pick %u at position %u", pick, position);
		(void)snprintf(expected, sizeof(expected),
			card_round_won(&play->round) ? "no more picks" : "pick %u, face down",
			play->round.picked + 1u);
		reply.found = found;
		reply.expected = expected;
	}
	send_reply(service, requester, &reply, now);
}

void cards_reply_fault(struct service *service, const struct card_requester *requester,
	uint32_t http, const char *code, const char *message)
{
	Carillon__CardReply reply;
	carillon__card_reply__init(&reply);
	reply.http_status = http;
	reply.error = jackpot_text(code);
	reply.message = jackpot_text(message);
	send_reply(service, requester, &reply, true);
}
