/* jackpot.feed: running totals of the tallies that feed a pool, and claims. A message has the total
 * just after the row that its envelope names. A repeated or lost message changes nothing. */
#include "services/wallet/adapters/app.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "services/wallet/adapters/fact.h"

#include "jackpot.pb-c.h"

#include <stdlib.h>

#define FEED_LEAST_US 100000
#define FEED_MOST_US 1000000
#define CLAIM_DELAY_MAX_US 600000000

typedef void send_function(
	struct service *, enum topic, uint32_t, const void *, size_t, const void *, size_t);

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

static void feed_send(struct wallet *wallet, struct service *service,
	const struct service_shard *held, uint32_t pool, uint64_t seq, Carillon__Claim *claim,
	send_function *send)
{
	Carillon__JackpotFeed feed;
	Carillon__Envelope envelope;
	uint8_t key[POOL_KEY_BYTES];

	carillon__jackpot_feed__init(&feed);
	carillon__envelope__init(&envelope);
	service_envelope(service, &envelope, held->incarnation, seq);
	feed.envelope = &envelope;
	feed.pool = pool;
	feed.shard = held->shard;
	feed.n_totals = totals_fill(wallet, held->state, pool);
	feed.totals = build.pointers;
	feed.claim = claim;
	size_t size = carillon__jackpot_feed__get_packed_size(&feed);
	if (build.room < size) {
		build.bytes = realloc(build.bytes, size * 2);
		build.room = size * 2;
		if (build.bytes == NULL)
			fatal("out of memory: a feed message of %zu bytes", size);
	}
	(void)carillon__jackpot_feed__pack(&feed, build.bytes);
	fact_pool_key(pool, key);
	send(service, TOPIC_JACKPOT_FEED, shard_of_pool(pool, service_shards(service)), key,
		sizeof(key), build.bytes, size);
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
	const struct wallet_row *row)
{
	for (uint32_t i = 0; i < row->claims_n; i++) {
		Carillon__Claim claim = claim_fill(
			&row->claims[i], row->player, row->move, row->currency, row->time_us);
		feed_send(
			wallet, service, held, row->claims[i].pool, row->seq, &claim, service_send);
	}
}

static void claims_due(struct wallet *wallet, struct service *service, struct service_shard *held,
	uint64_t mono_us)
{
	struct wallet_shard *shard = wallet_shard_of(held);

	for (size_t i = 0; i < shard->claims_n; i++) {
		struct open_claim *open = &shard->claims[i];
		if (open->closed_seq != 0 || mono_us < open->next_send_us)
			continue;
		Carillon__Claim claim = claim_fill(
			&open->claim, open->player, open->move, open->currency, open->opened_us);
		feed_send(wallet, service, held, open->claim.pool, shard->committed_seq, &claim,
			service_send_now);
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
		feed_send(wallet, service, held, feed->pool, shard->committed_seq, NULL,
			service_send_now);
		feed->sent_us = mono_us;
		feed->changed = false;
	}
	claims_due(wallet, service, held, mono_us);
}
