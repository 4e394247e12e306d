/* Any bytes on jackpot.feed: rejected with a reason, or taken without breaking the books. If an
 * input begins with an odd byte, the rest supplies a message's fields, so that the fuzzer also gets
 * past the decoder. */
#include "libcommon/jackpot/io/pool_feed.h"
#include "services/progressive-pool/core/pool.h"

#include <assert.h>
#include <string.h>

#define SHARDS 4

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const struct pool_hit *find_none(void *context, const struct claim_id *id)
{
	(void)context;
	(void)id;
	return NULL;
}

static void begin(struct pool *pool, struct pool_source *source)
{
	static const struct pool_tally TALLIES[] = {
		{ 1, 5, 978, 2, POOL_NANO, 5000, true },
		{ 2, 5, 1001, 8, INT64_C(60000000000000), 5000, true },
	};
	struct pool_terms terms = { 40000, POOL_NANO, 20000000 };
	pool_begin(pool, 1);
	memset(source, 0, sizeof(*source));
	source->pool = 1;
	for (size_t i = 0; i < SHARDS_MAX; i++)
		source->granted[i] = INT32_MAX / 2;
	enum pool_status launched = pool_launch(pool, 978, 2, 20, &terms);
	assert(launched == POOL_OK);
	for (size_t i = 0; i < 2; i++) {
		enum pool_vector_status added = pool_vector_add_tally(&source->vector, &TALLIES[i]);
		assert(added == POOL_VECTOR_OK);
	}
}

struct input {
	const uint8_t *at;
	size_t left;
};

/* A number with as many bytes as the next byte says; often small, so often valid. */
static uint64_t number(struct input *input)
{
	uint64_t value = 0;
	if (input->left == 0)
		return 1;
	size_t n = *input->at++ % 9;
	input->left--;
	for (; n > 0 && input->left > 0; n--, input->left--)
		value = value << 8 | *input->at++;
	return value;
}

#define TOTALS 3
#define MESSAGE_MAX 512

static size_t message_make(struct input *input, uint8_t *out)
{
	Carillon__Envelope envelope;
	Carillon__TallyTotal total[TOTALS];
	Carillon__TallyTotal *totals[TOTALS];
	Carillon__Claim claim;
	Carillon__JackpotFeed feed;
	carillon__envelope__init(&envelope);
	carillon__claim__init(&claim);
	carillon__jackpot_feed__init(&feed);
	envelope.schema = 1;
	envelope.incarnation = (uint32_t)number(input);
	envelope.seq = number(input);
	feed.envelope = &envelope;
	feed.pool = (uint32_t)number(input);
	feed.shard = (uint32_t)number(input);
	for (size_t i = 0; i < TOTALS; i++) {
		carillon__tally_total__init(&total[i]);
		total[i].tally = (uint32_t)number(input);
		total[i].total_minor = number(input);
		totals[i] = &total[i];
	}
	feed.n_totals = number(input) % (TOTALS + 1);
	feed.totals = totals;
	claim.index = (uint32_t)number(input);
	claim.pool = feed.pool;
	claim.kind = (Carillon__ClaimKind)(number(input) % 4);
	claim.coin_minor = (int64_t)number(input);
	claim.currency = number(input) % 2 == 0 ? 978 : (uint32_t)number(input);
	claim.stake_minor = (int64_t)number(input);
	claim.player = (int64_t)number(input);
	claim.move = number(input);
	claim.time_us = number(input);
	feed.claim = number(input) % 2 == 0 ? NULL : &claim;
	return carillon__jackpot_feed__pack(&feed, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	uint8_t created[MESSAGE_MAX];
	static struct pool pool;
	static struct pool_source source;
	char reason[POOL_FEED_REASON_MAX] = "";
	const char *broken;
	if (length > 0 && bytes[0] % 2 == 1) {
		struct input input = { bytes + 1, length - 1 };
		length = message_make(&input, created);
		bytes = created;
	}
	Carillon__JackpotFeed *feed = pool_feed_read(bytes, length, SHARDS, reason);
	if (feed == NULL) {
		assert(reason[0] != '\0');
		return 0;
	}
	begin(&pool, &source);
	enum pool_source_status status = pool_source_take(&source, feed);
	if (status == POOL_SOURCE_OK && pool_contribute_to(&pool, source.vector.t_e18) == POOL_OK &&
		feed->claim != NULL) {
		struct pool_claim claim = { { feed->claim->player, feed->claim->move,
						    feed->claim->index },
			feed->claim->currency, feed->claim->coin_minor };
		struct pool_hit hit;
		enum pool_status priced = pool_hit(&pool, &claim, find_none, NULL, &hit);
		assert(priced == POOL_OK || priced == POOL_NO_ROW || priced == POOL_OVERFLOW);
	}
	assert(pool_identities_hold(&pool, &broken));
	carillon__jackpot_feed__free_unpacked(feed, NULL);
	return 0;
}
