/* Any bytes on jackpot.facts and wallet.facts, after well-formed facts: each is rejected with a
 * reason or gives values for the display. The display stays valid JSON and keeps its rules: no
 * counter below 0, each hit told once and in order, no award told twice. */
#include "libcommon/base/utf8.h"
#include "services/notifications/adapters/facts.h"

#include <jansson.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS 4
#define HEAD 3 /* of a fact within an input: its topic, and its length as two bytes */
#define FACTS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t room, unsigned int seed);

static struct {
	struct counters counters;
	struct winners winners;
	struct holdback holdback;
} hub;

/* Big enough for the output of a few facts. */
static char text[1024 * 1024];
static const struct frame_head HEAD_OF_FRAME = { "1", "2", 3, NULL };
static const player_id PLAYER = INT64_C(0x0001000000000007);

/* ---- well formed ---- */

static void envelope_fill(Carillon__Envelope *envelope, unsigned int seed)
{
	carillon__envelope__init(envelope);
	envelope->schema = 1;
	envelope->incarnation = 1;
	envelope->seq = seed % 64 + 1;
	envelope->time_us = seed;
}

static size_t hit_make(uint8_t *out, unsigned int seed)
{
	Carillon__Envelope envelope;
	Carillon__JackpotFact fact = CARILLON__JACKPOT_FACT__INIT;
	Carillon__HitFact hit = CARILLON__HIT_FACT__INIT;
	Carillon__Claim claim = CARILLON__CLAIM__INIT;
	Carillon__RowState row = CARILLON__ROW_STATE__INIT;
	envelope_fill(&envelope, seed);
	claim.player = PLAYER;
	claim.currency = row.currency = 978;
	claim.coin_minor = row.coin_minor = 20;
	row.value_minor = 40000;
	row.version = seed % 32;
	hit.hit = seed % 8 + 1;
	hit.paid_minor = 41234;
	hit.claim = &claim;
	hit.row_after = &row;
	fact.envelope = &envelope;
	fact.pool = 1;
	fact.body_case = CARILLON__JACKPOT_FACT__BODY_HIT;
	fact.hit = &hit;
	return carillon__jackpot_fact__pack(&fact, out);
}

static size_t card_make(uint8_t *out, unsigned int seed)
{
	static uint8_t hash[32] = { 1, 2, 3 };
	Carillon__Envelope envelope;
	Carillon__JackpotFact fact = CARILLON__JACKPOT_FACT__INIT;
	Carillon__CardFact card = CARILLON__CARD_FACT__INIT;
	Carillon__CardRound round = CARILLON__CARD_ROUND__INIT;
	Carillon__TurnedCard turned[CARD_NEWS_TURNED_MAX], *list[CARD_NEWS_TURNED_MAX];
	envelope_fill(&envelope, seed);
	for (size_t i = 0; i < CARD_NEWS_TURNED_MAX; i++) {
		carillon__turned_card__init(&turned[i]);
		turned[i].pick = (uint32_t)i + 1;
		turned[i].position = (uint32_t)i;
		turned[i].suit = (uint32_t)i % 4 + 1;
		list[i] = &turned[i];
	}
	round.player = PLAYER;
	round.move = round.number = round.index = 1;
	round.currency = 978;
	round.turned = list;
	round.n_turned = seed % (CARD_NEWS_TURNED_MAX + 1);
	round.secret_hash = (ProtobufCBinaryData){ sizeof(hash), hash };
	card.event = (Carillon__CardEvent)(seed % 5);
	card.round = &round;
	fact.envelope = &envelope;
	fact.pool = 2;
	fact.body_case = CARILLON__JACKPOT_FACT__BODY_CARD;
	fact.card = &card;
	return carillon__jackpot_fact__pack(&fact, out);
}

static size_t state_make(uint8_t *out, unsigned int seed)
{
	static char live[] = "live";
	Carillon__Envelope envelope;
	Carillon__JackpotFact fact = CARILLON__JACKPOT_FACT__INIT;
	Carillon__PoolState state;
	Carillon__RowState row[4], *rows[4];
	carillon__pool_state__init(&state);
	envelope_fill(&envelope, seed);
	for (uint32_t i = 0; i < 4; i++) {
		carillon__row_state__init(&row[i]);
		row[i].currency = 978;
		row[i].coin_minor = seed % 2 == 0 ? 10 * (i + 1) : 0;
		row[i].level = seed % 2 == 0 ? 0 : i + 1;
		row[i].value_minor = seed;
		row[i].version = seed % 16;
		rows[i] = &row[i];
	}
	state.rows = rows;
	state.n_rows = 4;
	state.status = live;
	fact.envelope = &envelope;
	fact.pool = seed % 2 + 1;
	fact.body_case = CARILLON__JACKPOT_FACT__BODY_STATE;
	fact.state = &state;
	return carillon__jackpot_fact__pack(&fact, out);
}

static size_t wallet_make(uint8_t *out, unsigned int seed)
{
	Carillon__Envelope envelope;
	Carillon__WalletFact fact = CARILLON__WALLET_FACT__INIT;
	Carillon__Award award = CARILLON__AWARD__INIT;
	envelope_fill(&envelope, seed);
	fact.envelope = &envelope;
	fact.player = PLAYER;
	fact.shard = seed % SHARDS;
	fact.kind = seed % 3 == 0 ? CARILLON__MOVE_KIND__MOVE_AWARD : CARILLON__MOVE_KIND__MOVE_BET;
	fact.move = seed % 3 == 0 ? 0 : seed % 16 + 1;
	fact.last_move = seed % 16 + 1;
	fact.balance_after = seed % 7 == 0 ? INT64_MIN : 100000;
	award.move = seed % 16 + 1;
	award.index = award.pool = 1;
	award.paid_minor = seed % 5 == 0 ? INT64_MAX : 777;
	fact.award = seed % 3 == 0 ? &award : NULL;
	return carillon__wallet_fact__pack(&fact, out);
}

/* Mutates a sequence of facts: adds one, or changes the bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t room, unsigned int seed)
{
	static size_t (*const MAKE[])(
		uint8_t *, unsigned int) = { hit_make, card_make, state_make, wallet_make };
	uint8_t made[1024];
	unsigned int which = seed / 4 % 4;
	size_t n = MAKE[which](made, seed / 16);
	assert(n <= sizeof(made));
	if ((length == 0 || seed % 4 == 0) && length + HEAD + n <= room) {
		bytes[length] = which == 3;
		bytes[length + 1] = (uint8_t)n;
		bytes[length + 2] = (uint8_t)(n >> 8);
		memcpy(bytes + length + HEAD, made, n);
		length += HEAD + n;
	}
	return seed % 8 == 4 ? length : LLVMFuzzerMutate(bytes, length, room);
}

/* ---- invariants ---- */

static void is_json(size_t n)
{
	assert(n > 0);
	json_t *json = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
	assert(json_is_object(json));
	json_decref(json);
}

static void reason_valid(const char *reason)
{
	assert(strnlen(reason, FACTS_REASON_MAX) < FACTS_REASON_MAX && utf8_valid(reason));
	assert(strstr(reason, "found ") != NULL && strstr(reason, "expected ") != NULL);
}

static void row(const Carillon__JackpotFact *fact, const Carillon__RowState *state)
{
	struct counter counter;
	if (state == NULL)
		return;
	facts_counter(state, &counter);
	assert(counter.level == 0 || counter.coin_minor == 0);
	(void)counters_offer(&hub.counters, fact->pool, &counter, fact->envelope->incarnation,
		fact->envelope->time_us);
}

static void hit(const Carillon__JackpotFact *fact)
{
	struct winner winner;
	size_t before = hub.winners.n;
	if (!facts_winner(fact, &winner))
		return;
	assert(player_id_valid(winner.player) && winner.hit > 0 && winner.paid_minor >= 0);
	row(fact, fact->hit->row_after);
	enum winners_status status = winners_offer(&hub.winners, &winner);
	bool told = status == WINNERS_OK || status == WINNERS_GAP;
	assert(hub.winners.n == before + told);
	assert(winners_offer(&hub.winners, &winner) != WINNERS_OK);
	is_json(frame_winner(text, sizeof(text), &HEAD_OF_FRAME, &winner));
}

static void card(const Carillon__JackpotFact *fact)
{
	struct card_news news;
	if (!facts_card(fact, &news))
		return;
	assert(player_id_valid(news.player) && news.event[0] != '\0');
	assert(news.turned <= CARD_NEWS_TURNED_MAX && news.turned == fact->card->round->n_turned);
	for (size_t i = 0; i < news.turned; i++) {
		assert(news.position[i] == fact->card->round->turned[i]->position);
		assert(news.suit[i] >= 1 && news.suit[i] <= 4);
	}
	is_json(frame_card(text, sizeof(text), &HEAD_OF_FRAME, &news));
}

static void jackpot(const uint8_t *bytes, size_t length)
{
	char reason[FACTS_REASON_MAX];
	Carillon__JackpotFact *fact = facts_jackpot_read(bytes, length, reason);
	if (fact == NULL) {
		reason_valid(reason);
		return;
	}
	if (fact->body_case == CARILLON__JACKPOT_FACT__BODY_HIT) {
		hit(fact);
	} else if (fact->body_case == CARILLON__JACKPOT_FACT__BODY_CARD) {
		card(fact);
	} else if (fact->body_case == CARILLON__JACKPOT_FACT__BODY_STATE) {
		for (size_t i = 0; i < fact->state->n_rows; i++)
			row(fact, fact->state->rows[i]);
		(void)counters_offer_status(&hub.counters, fact->pool, fact->state->status);
	}
	carillon__jackpot_fact__free_unpacked(fact, NULL);
}

static void wallet(const uint8_t *bytes, size_t length)
{
	char reason[FACTS_REASON_MAX];
	struct holdback_event events[HOLDBACK_EVENTS_MAX];
	struct holdback_fact own;
	Carillon__WalletFact *fact = facts_wallet_read(bytes, length, SHARDS, reason);
	if (fact == NULL) {
		reason_valid(reason);
		return;
	}
	assert(fact->shard < SHARDS && fact->envelope->seq > 0);
	if (facts_own(fact, &own)) {
		size_t before = hub.holdback.n;
		size_t n = holdback_offer(&hub.holdback, &own, events);
		assert(n <= HOLDBACK_EVENTS_MAX && hub.holdback.n <= before + 1);
		for (size_t i = 0; i < n; i++) {
			assert(events[i].player == own.player);
			is_json(frame_own(text, sizeof(text), &HEAD_OF_FRAME, &events[i]));
		}
	}
	carillon__wallet_fact__free_unpacked(fact, NULL);
}

static void shown(void)
{
	for (size_t i = 0; i < hub.counters.n; i++)
		for (size_t k = 0; k < hub.counters.pools[i].n; k++) {
			const struct counter *counter = &hub.counters.pools[i].rows[k];
			assert(counter->value_minor >= 0 && counter->seed_minor >= 0);
			assert((counter->coin_minor > 0) != (counter->level > 0));
		}
	is_json(frame_counters(text, sizeof(text), &HEAD_OF_FRAME, &hub.counters, true));
	is_json(frame_winners(text, sizeof(text), &HEAD_OF_FRAME, &hub.winners));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	memset(&hub.counters, 0, sizeof(hub.counters));
	memset(&hub.winners, 0, sizeof(hub.winners));
	memset(&hub.holdback, 0, sizeof(hub.holdback));
	for (int i = 0; i < FACTS_MAX && length >= HEAD; i++) {
		size_t n = bytes[1] | (size_t)bytes[2] << 8;
		n = n < length - HEAD ? n : length - HEAD;
		if (bytes[0] % 2 == 0)
			jackpot(bytes + HEAD, n);
		else
			wallet(bytes + HEAD, n);
		bytes += HEAD + n;
		length -= HEAD + n;
	}
	shown();
	return 0;
}
