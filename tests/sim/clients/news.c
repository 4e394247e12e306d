#include "tests/sim/clients/news.h"

#include "libcommon/base/seq_gate.h"
#include "services/notifications/core/counters.h"
#include "services/notifications/core/holdback.h"
#include "services/notifications/core/winners.h"
#include "tests/sim/judge/book.h"
#include "tests/sim/sim.h"

#include "bus.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASK_AFTER_US 1000000
#define A_TURN 2000 /* facts of one partition */

/* Awards of a player that have not been told yet. */
struct unseen_awards {
	int64_t sum;
};

static struct {
	struct seq_gate gate[JUDGE_SHARDS];
	int64_t wallet_at[JUDGE_SHARDS], jackpot_at[JUDGE_SHARDS];
	struct holdback holdback;
	struct winners winners;
	struct counters counters;
	struct map unseen_awards, awards; /* (player, 0); (player, claim) */
} news;

/* ---- a player's own ------------------------------------------------------------------------- */

static struct unseen_awards *unseen_awards_of(player_id player)
{
	void **at = map_at(&news.unseen_awards, (uint64_t)player, 0);

	if (*at == NULL)
		*at = judge_alloc(sizeof(struct unseen_awards));
	return *at;
}

static void tell_award(const struct holdback_event *event)
{
	const struct book_claim *claim = book_claim(event->player, event->round, event->index);
	void **at = map_at(&news.awards, (uint64_t)event->player, event->round << 8 | event->index);

	if (*at != NULL)
		sim_fail("player %" PRId64 " is told of award %" PRIu64 "-%" PRIu32 " twice",
			event->player, event->round, event->index);
	*at = judge_alloc(1);
	if (claim == NULL || claim->closed_seq == 0 || claim->paid_minor != event->paid)
		sim_fail("player %" PRId64 " is told of award %" PRIu64 "-%" PRIu32 " of %" PRId64
			 ", which is not booked",
			event->player, event->round, event->index, event->paid);
	unseen_awards_of(event->player)->sum -= event->paid;
}

static void tell_balance(const struct holdback_event *event, const struct fake_journal *row)
{
	int64_t kept_back = unseen_awards_of(event->player)->sum;

	if (event->balance != row->balance_after - kept_back)
		sim_fail("player %" PRId64 " is told a balance of %" PRId64 " at seq %" PRIu64
			 ", the ledger has %" PRId64 ", of which %" PRId64 " are kept back",
			event->player, event->balance, event->seq, row->balance_after, kept_back);
}

static bool follows_watching(uint32_t kind)
{
	return kind >= KIND_BET && kind <= KIND_VOID;
}

static struct holdback_fact own_fact(const Carillon__WalletFact *fact)
{
	struct holdback_fact own = { .player = fact->player,
		.seq = fact->envelope->seq,
		.refused = fact->refusal != CARILLON__REFUSAL__REFUSAL_NONE,
		.watched = follows_watching((uint32_t)fact->kind),
		.move = fact->move,
		.last_move = fact->last_move,
		.balance_after = fact->balance_after };

	if (fact->kind == CARILLON__MOVE_KIND__MOVE_AWARD && fact->award != NULL) {
		own.award = true;
		own.award_move = fact->award->move;
		own.award_index = fact->award->index;
		own.award_pool = fact->award->pool;
		own.award_paid = fact->award->paid_minor;
		own.award_seen = fact->award->pool == CARDS_POOL;
	}
	return own;
}

static void tell(const Carillon__WalletFact *fact, const struct fake_journal *row)
{
	struct holdback_fact own = own_fact(fact);
	struct holdback_event events[HOLDBACK_EVENTS_MAX];
	size_t n;

	if (own.award && !own.refused)
		unseen_awards_of(own.player)->sum += own.award_paid;
	n = holdback_offer(&news.holdback, &own, events);
	for (size_t i = 0; i < n; i++)
		if (events[i].award)
			tell_award(&events[i]);
		else
			tell_balance(&events[i], row);
}

/* ---- facts of the wallet -------------------------------------------------------------------- */

/* Whatever is published stands in the journal, to the letter. */
static void check_fact(const Carillon__WalletFact *fact, struct fake_journal *row)
{
	if (!fake_pg_journal(fact->shard, fact->envelope->seq, row))
		sim_fail("wallet.facts: shard %" PRIu32 ", seq %" PRIu64
			 " is published and not booked",
			fact->shard, fact->envelope->seq);
	bool newer = book.newer_kind != 0 && (uint32_t)fact->kind == book.newer_kind;
	if (row->player != fact->player || (row->kind != (uint32_t)fact->kind && !newer) ||
		row->move != fact->move || row->refusal != (uint32_t)fact->refusal ||
		row->balance_after != fact->balance_after ||
		row->pending_after != fact->pending_after ||
		(row->kind != KIND_AWARD && row->record_n != fact->record.len))
		sim_fail("wallet.facts: shard %" PRIu32 ", seq %" PRIu64
			 " says otherwise than the journal",
			fact->shard, fact->envelope->seq);
}

static void wallet_fact(const uint8_t *bytes, size_t n)
{
	Carillon__WalletFact *fact = carillon__wallet_fact__unpack(NULL, n, bytes);
	struct fake_journal row;
	struct seq_gate *gate;

	if (fact == NULL || fact->envelope == NULL || fact->shard >= sim_world.shards)
		sim_fail("wallet.facts: %zu bytes that are no fact", n);
	check_fact(fact, &row);
	gate = &news.gate[fact->shard];
	if (gate->incarnation == 0)
		gate->incarnation = fact->envelope->incarnation;
	if (seq_gate_offer(gate, fact->envelope->incarnation, fact->envelope->seq, sim_now_us()) ==
		SEQ_GATE_TAKE)
		tell(fact, &row);
	carillon__wallet_fact__free_unpacked(fact, NULL);
}

/* ---- facts of the pools --------------------------------------------------------------------- */

static const struct counter *shown_of(uint32_t pool, const struct counter *wanted)
{
	for (size_t i = 0; i < news.counters.n; i++) {
		const struct counter_pool *of = &news.counters.pools[i];
		for (size_t j = 0; of->pool == pool && j < of->n; j++)
			if (of->rows[j].currency == wanted->currency &&
				of->rows[j].coin_minor == wanted->coin_minor &&
				of->rows[j].level == wanted->level)
				return &of->rows[j];
	}
	return NULL;
}

/* RULE mystic-gem 6.14: a counter never goes back except on a hit. */
static void show(uint32_t pool, const Carillon__RowState *state, const Carillon__Envelope *envelope)
{
	struct counter row = { .currency = state->currency,
		.coin_minor = state->level != 0 ? 0 : state->coin_minor,
		.level = state->level,
		.value_minor = state->value_minor,
		.seed_minor = state->seed_minor,
		.version = state->version,
		.hits = state->hits };
	const struct counter *shown = shown_of(pool, &row);
	struct counter before = shown == NULL ? row : *shown;

	if (counters_offer(&news.counters, pool, &row, envelope->incarnation, envelope->time_us) !=
		COUNTERS_OK)
		return;
	if (row.hits == before.hits && row.value_minor < before.value_minor)
		sim_fail("pool %" PRIu32 ": the counter of %" PRId64 " falls from %" PRId64
			 " to %" PRId64 " without a hit",
			pool, row.coin_minor + row.level, before.value_minor, row.value_minor);
}

static void hit_fact(const Carillon__JackpotFact *fact)
{
	const Carillon__HitFact *hit = fact->hit;
	const Carillon__Claim *claim = hit->claim;
	const struct book_hit *booked = book_hit(claim->player, claim->move, claim->index);
	struct winner winner = { .pool = fact->pool,
		.hit = hit->hit,
		.currency = claim->currency,
		.coin_minor = claim->coin_minor,
		.level = hit->row_after->level,
		.paid_minor = hit->paid_minor,
		.player = claim->player,
		.time_us = fact->envelope->time_us };

	if (booked == NULL || booked->paid_minor != hit->paid_minor || booked->hit != hit->hit ||
		booked->pool != fact->pool)
		sim_fail("jackpot.facts: hit %" PRIu64 " of pool %" PRIu32 " pays %" PRId64
			 ", which is not booked",
			hit->hit, fact->pool, hit->paid_minor);
	show(fact->pool, hit->row_after, fact->envelope);
	if (winners_offer(&news.winners, &winner) == WINNERS_FULL)
		sim_fail("notifications have no room for another pool");
}

static void jackpot_fact(const uint8_t *bytes, size_t n)
{
	Carillon__JackpotFact *fact = carillon__jackpot_fact__unpack(NULL, n, bytes);

	if (fact == NULL || fact->envelope == NULL)
		sim_fail("jackpot.facts: %zu bytes that are no fact", n);
	if (fact->body_case == CARILLON__JACKPOT_FACT__BODY_HIT) {
		hit_fact(fact);
	} else if (fact->body_case == CARILLON__JACKPOT_FACT__BODY_STATE) {
		if (!fact->state->identities_hold)
			sim_fail("pool %" PRIu32 " says that its identities do not hold",
				fact->pool);
		for (size_t i = 0; i < fact->state->n_rows; i++)
			show(fact->pool, fact->state->rows[i], fact->envelope);
		(void)counters_offer_status(&news.counters, fact->pool, fact->state->status);
	}
	carillon__jackpot_fact__free_unpacked(fact, NULL);
}

/* ---- reading -------------------------------------------------------------------------------- */

static void read(enum topic topic, uint32_t partition, int64_t *at,
	void (*take)(const uint8_t *bytes, size_t n))
{
	const uint8_t *bytes;
	size_t n;

	if (*at > sim_kafka_end(topic, partition))
		*at = sim_kafka_end(topic, partition); /* its tail was lost */
	for (int i = 0; i < A_TURN && sim_kafka_read(topic, partition, at, &bytes, &n); i++)
		take(bytes, n);
}

static void query_missing(uint32_t shard)
{
	const char *url = requests_owner_url("wallet", shard);
	Carillon__Envelope envelope;
	Carillon__Republish republish;
	Carillon__Bus bus;
	char source[] = "notifications-1";
	uint8_t bytes[256];

	sim_trace("news: shard %" PRIu32 ": asks %s for seq %" PRIu64, shard,
		url == NULL ? "nobody" : url, news.gate[shard].last + 1);
	if (url == NULL)
		return;
	carillon__envelope__init(&envelope);
	carillon__republish__init(&republish);
	carillon__bus__init(&bus);
	envelope.schema = 1;
	envelope.time_us = sim_now_us();
	envelope.source = source;
	republish.shard = shard;
	republish.from_seq = news.gate[shard].last + 1;
	bus.envelope = &envelope;
	bus.body_case = CARILLON__BUS__BODY_REPUBLISH;
	bus.republish = &republish;
	sim_bus_send(url, bytes, carillon__bus__pack(&bus, bytes));
}

void news_step(void)
{
	for (uint32_t i = 0; i < sim_world.shards; i++) {
		read(TOPIC_WALLET_FACTS, i, &news.wallet_at[i], wallet_fact);
		read(TOPIC_JACKPOT_FACTS, i, &news.jackpot_at[i], jackpot_fact);
		if (seq_gate_should_request(&news.gate[i], ASK_AFTER_US, sim_now_us()))
			query_missing(i);
	}
}

bool news_settled(char *what, size_t room)
{
	for (uint32_t i = 0; i < sim_world.shards; i++) {
		if (news.gate[i].last == book.shard[i].last_seq)
			continue;
		(void)snprintf(what, room,
			"facts of shard %" PRIu32 " are told up to seq %" PRIu64
			", the journal ends with %" PRIu64,
			i, news.gate[i].last, book.shard[i].last_seq);
		return false;
	}
	return true;
}

/* Notifications only asks by nanomsg. */
static void no_message(const uint8_t *bytes, size_t n)
{
	(void)bytes;
	sim_fail("notifications gets %zu bytes by nanomsg, expected none", n);
}

void news_begin(void)
{
	memset(&news, 0, sizeof(news));
	sim_bus_listen("notifications", "sim://notifications", no_message);
}

void news_end(void)
{
	map_clear(&news.unseen_awards);
	map_clear(&news.awards);
}
