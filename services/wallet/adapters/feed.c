/* What pools are told: running totals of the tallies that feed them by jackpot.feed, and claims
 * straight to the pool's owner. Both have the totals just after the row that their envelope names.
 * A repeated or lost message changes nothing: totals are sent every second, and a claim until it is
 * paid. */
#include "services/wallet/adapters/app.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "services/wallet/adapters/fact.h"

#include "bus.pb-c.h"

#include <stdlib.h>

#define FEED_LEAST_US 100000
#define FEED_MOST_US 1000000
#define CLAIM_DELAY_MAX_US 600000000
#define OWNERS_US 100000

typedef void send_function(
	struct service *, const char *, enum topic, uint32_t, const void *, size_t);

/* A message and what it points to, one at a time. */
static struct {
	Carillon__TallyTotal totals[WALLET_TALLIES_MAX];
	Carillon__TallyTotal *pointers[WALLET_TALLIES_MAX];
	uint8_t *bytes;
	size_t room;
} build;

static bool tally_is_published(
	const struct wallet_tally *tally, const struct wallet_shard *shard, size_t at)
{
	return !tally->closed || shard->totals_acked[at] < shard->totals[at];
}

static size_t totals_fill(
	const struct wallet *wallet, const struct wallet_shard *shard, uint32_t pool)
{
	size_t n = 0;

	for (size_t i = 0; i < wallet->rules.tallies_n; i++) {
		const struct wallet_tally *tally = &wallet->tallies[i];
		if (tally->pool != pool || !tally_is_published(tally, shard, i))
			continue;
		carillon__tally_total__init(&build.totals[n]);
		build.totals[n].tally = tally->id;
		build.totals[n].total_minor = shard->totals[i];
		build.pointers[n] = &build.totals[n];
		n++;
	}
	return n;
}

/* Points at `envelope` and `build`: good until the next message. */
static Carillon__JackpotFeed feed_fill(struct wallet *wallet, struct service *service,
	const struct service_shard *held, uint32_t pool, uint64_t seq, Carillon__Envelope *envelope)
{
	Carillon__JackpotFeed feed;

	carillon__jackpot_feed__init(&feed);
	carillon__envelope__init(envelope);
	service_envelope(service, envelope, held->incarnation, seq);
	feed.envelope = envelope;
	feed.pool = pool;
	feed.shard = held->shard;
	feed.n_totals = totals_fill(wallet, held->state, pool);
	feed.totals = build.pointers;
	return feed;
}

static size_t pack(const ProtobufCMessage *message)
{
	size_t size = protobuf_c_message_get_packed_size(message);

	if (build.room < size) {
		build.bytes = realloc(build.bytes, size * 2);
		build.room = size * 2;
		if (build.bytes == NULL)
			fatal("out of memory: a feed message of %zu bytes", size);
	}
	return protobuf_c_message_pack(message, build.bytes);
}

static void totals_send(struct wallet *wallet, struct service *service,
	const struct service_shard *held, uint32_t pool, uint64_t seq)
{
	Carillon__Envelope envelope;
	Carillon__JackpotFeed feed = feed_fill(wallet, service, held, pool, seq, &envelope);
	uint8_t key[POOL_KEY_BYTES];

	size_t size = pack(&feed.base);
	fact_pool_key(pool, key);
	service_send_now(service, TOPIC_JACKPOT_FEED, shard_of_pool(pool, service_shards(service)),
		key, sizeof(key), build.bytes, size);
}

static void claim_send(struct wallet *wallet, struct service *service,
	const struct service_shard *held, uint64_t seq, Carillon__Claim *claim,
	const Carillon__Envelope *asked, send_function *send)
{
	Carillon__Envelope envelope, outer;
	Carillon__JackpotCommand command;
	Carillon__JackpotFeed feed = feed_fill(wallet, service, held, claim->pool, seq, &envelope);

	carillon__jackpot_command__init(&command);
	carillon__envelope__init(&outer);
	service_envelope(service, &outer, held->incarnation, 0);
	if (asked != NULL)
		outer.trace = asked->trace;
	feed.claim = claim;
	command.envelope = &outer;
	command.pool = claim->pool;
	command.body_case = CARILLON__JACKPOT_COMMAND__BODY_CLAIM;
	command.claim = &feed;
	size_t size = pack(&command.base);
	send(service,
		claim->kind == CARILLON__CLAIM_KIND__CLAIM_HIT ? "progressive-pool"
							       : "jackpot-cards",
		TOPIC_JACKPOT_COMMANDS, shard_of_pool(claim->pool, service_shards(service)),
		build.bytes, size);
}

/* The answer waits for a commit, also when there is nothing to write: the commit's fence proves
 * that this process owns the shard now. An owner that has lost it, and does not know yet, would
 * tell totals without the newest stakes. */
void wallet_feed_answer(struct wallet *wallet, struct service *service, struct service_shard *held,
	const Carillon__TotalsQuestion *question)
{
	Carillon__Bus bus;
	Carillon__Envelope envelope, outer;
	Carillon__TotalsAnswer answer;
	Carillon__JackpotFeed feed = feed_fill(
		wallet, service, held, question->pool, wallet_shard_of(held)->last_seq, &envelope);

	carillon__bus__init(&bus);
	carillon__envelope__init(&outer);
	carillon__totals_answer__init(&answer);
	service_envelope(service, &outer, held->incarnation, 0);
	answer.number = question->number;
	answer.feed = &feed;
	bus.envelope = &outer;
	bus.body_case = CARILLON__BUS__BODY_TOTALS_ANSWER;
	bus.totals_answer = &answer;
	size_t size = pack(&bus.base);
	service_bus_send(service, question->reply_to, build.bytes, size);
	service_commit_soon(service);
}

static Carillon__Claim claim_fill(const struct wallet_claim *claim, player_id player, uint64_t move,
	uint32_t currency, uint64_t time_us)
{
	Carillon__Claim to;

	carillon__claim__init(&to);
	to.index = claim->index;
	to.pool = claim->pool;
	to.kind = (Carillon__ClaimKind)claim->kind;
	to.coin_minor = claim->coin_minor;
	to.currency = currency;
	to.stake_minor = claim->stake_minor;
	to.player = player;
	to.move = move;
	to.time_us = time_us;
	return to;
}

void wallet_feed_claims(struct wallet *wallet, struct service *service, struct service_shard *held,
	const struct wallet_row *row, const Carillon__Envelope *asked)
{
	for (uint32_t i = 0; i < row->claims_n; i++) {
		Carillon__Claim claim = claim_fill(
			&row->claims[i], row->player, row->move, row->currency, row->time_us);
		claim_send(wallet, service, held, row->seq, &claim, asked, service_command);
	}
}

/* A number that changes when a pool or set has another owner. */
static uint64_t jackpot_epochs(struct service *service)
{
	uint64_t epochs = 0;

	for (uint32_t i = 0; i < service_shards(service); i++)
		epochs += service_owner_epoch(service, "progressive-pool", i) +
			  service_owner_epoch(service, "jackpot-cards", i);
	return epochs;
}

/* A new owner has not heard what the former one did not write down: it is asked at once. */
static void claims_to_new_owners(
	struct service *service, struct wallet_shard *shard, uint64_t mono_us)
{
	if (shard->claims_n == 0 || mono_us < shard->owners_us + OWNERS_US)
		return;
	uint64_t epochs = jackpot_epochs(service);
	shard->owners_us = mono_us;
	for (size_t i = 0; i < shard->claims_n && epochs != shard->owners_epochs; i++) {
		shard->claims[i].next_send_us = mono_us;
		shard->claims[i].delay_us = WALLET_CLAIM_DELAY_US / 2;
	}
	shard->owners_epochs = epochs;
}

static void claims_due(struct wallet *wallet, struct service *service, struct service_shard *held,
	uint64_t mono_us)
{
	struct wallet_shard *shard = wallet_shard_of(held);

	claims_to_new_owners(service, shard, mono_us);
	for (size_t i = 0; i < shard->claims_n; i++) {
		struct open_claim *open = &shard->claims[i];
		if (open->closed_seq != 0 || mono_us < open->next_send_us)
			continue;
		Carillon__Claim claim = claim_fill(
			&open->claim, open->player, open->move, open->currency, open->opened_us);
		claim_send(wallet, service, held, shard->committed_seq, &claim, NULL,
			service_command_now);
		open->delay_us = open->delay_us * 2 > CLAIM_DELAY_MAX_US ? CLAIM_DELAY_MAX_US
									 : open->delay_us * 2;
		open->next_send_us = mono_us + open->delay_us;
	}
}

void wallet_feed_due(struct wallet *wallet, struct service *service, struct service_shard *held,
	uint64_t mono_us)
{
	struct wallet_shard *shard = wallet_shard_of(held);

	if (!wallet_shard_settled(shard))
		return; /* the totals in memory are ahead of the journal */
	for (size_t i = 0; i < shard->feeds_n; i++) {
		struct feed_pool *feed = &shard->feeds[i];
		uint64_t wait_us = feed->changed ? FEED_LEAST_US : FEED_MOST_US;
		if (feed->sent_us != 0 && mono_us < feed->sent_us + wait_us)
			continue;
		totals_send(wallet, service, held, feed->pool, shard->committed_seq);
		feed->sent_us = mono_us;
		feed->changed = false;
	}
	claims_due(wallet, service, held, mono_us);
}
