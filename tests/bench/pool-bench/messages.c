/* What the wallet's shards would send. */
#include "tests/bench/pool-bench/bench.h"

#include "libcommon/base/ids.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include "jackpot.pb-c.h"

#define BYTES_MAX 512
#define STAKE_MINOR 1500
#define EUR 978u

static char SOURCE[] = "pool-bench";
static uint8_t bytes[BENCH_BATCH_MAX][BYTES_MAX];
static struct kafka_message messages[BENCH_BATCH_MAX];

/* Some player of a wallet shard. */
static player_id player_of(uint32_t shard, uint32_t shards)
{
	static player_id known[SHARDS_MAX];
	for (uint64_t number = 1; known[shard] == 0; number++) {
		player_id id;
		if (player_id_make(1, number, &id) && shard_of_player(id, shards) == shard)
			known[shard] = id;
	}
	return known[shard];
}

static void claim_fill(struct bench_pools *pools, const struct bench_pool *pool, uint32_t shard,
	Carillon__Claim *claim)
{
	static const int64_t coins[] = { 1, 2, 5, 10, 20, 50, 100 };
	carillon__claim__init(claim);
	claim->index = 1;
	claim->pool = pool->pool;
	claim->kind = CARILLON__CLAIM_KIND__CLAIM_HIT;
	claim->coin_minor = coins[pools->move % (sizeof(coins) / sizeof(coins[0]))];
	claim->currency = EUR;
	claim->stake_minor = STAKE_MINOR;
	claim->player = player_of(shard, pools->shards);
	claim->move = ++pools->move;
	claim->time_us = clock_wall_us();
}

static void one(
	struct bench_pools *pools, bool with_claim, uint8_t *to, struct kafka_message *message)
{
	struct bench_pool *pool = &pools->pool[pools->next];
	uint32_t shard = (uint32_t)(pools->seq % pools->shards);
	Carillon__Envelope envelope;
	Carillon__JackpotFeed feed;
	Carillon__TallyTotal total;
	Carillon__TallyTotal *totals[] = { &total };
	Carillon__Claim claim;

	pools->next = pools->next + 1 == pools->n ? 0 : pools->next + 1;
	carillon__envelope__init(&envelope);
	carillon__jackpot_feed__init(&feed);
	carillon__tally_total__init(&total);
	envelope.schema = 1;
	envelope.incarnation = 1;
	envelope.seq = ++pools->seq;
	envelope.time_us = clock_wall_us();
	envelope.source = SOURCE;
	pool->total[shard] += STAKE_MINOR;
	total.tally = pool->tally;
	total.total_minor = pool->total[shard];
	feed.envelope = &envelope;
	feed.pool = pool->pool;
	feed.shard = shard;
	feed.n_totals = 1;
	feed.totals = totals;
	if (with_claim) {
		claim_fill(pools, pool, shard, &claim);
		feed.claim = &claim;
	}
	size_t length = carillon__jackpot_feed__get_packed_size(&feed);
	if (length > BYTES_MAX)
		fatal("a message of %zu bytes", length);
	(void)carillon__jackpot_feed__pack(&feed, to);
	*message = (struct kafka_message){ .topic = TOPIC_JACKPOT_FEED,
		.partition = shard_of_pool(pool->pool, pools->shards),
		.bytes = to,
		.length = length };
}

const struct kafka_message *bench_feed(struct bench_pools *pools, size_t n, bool claims)
{
	for (size_t i = 0; i < n; i++)
		one(pools, claims, bytes[i], &messages[i]);
	return messages;
}
