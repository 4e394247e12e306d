/* Any bytes on jackpot.feed: refused with a reason, or taken without breaking the books. */
#include "libcommon/io/pool_feed.h"
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
	enum pool_status launched = pool_launch(pool, 978, 2, 20, &terms);
	assert(launched == POOL_OK);
	for (size_t i = 0; i < 2; i++) {
		enum pool_vector_status added = pool_vector_add_tally(&source->vector, &TALLIES[i]);
		assert(added == POOL_VECTOR_OK);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static struct pool pool;
	static struct pool_source source;
	char reason[POOL_FEED_REASON_MAX] = "";
	const char *broken;
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
