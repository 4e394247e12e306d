/* Input from Kafka: malformed messages, and actions that operators may not request. */
#include "libcommon/io/stored.h"
#include "libcommon/jackpot/io/pool_feed.h"
#include "services/progressive-pool/adapters/operator.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SHARDS 4

/* A valid message, in which a case changes one field. */
struct sample {
	Carillon__Envelope envelope;
	Carillon__TallyTotal total;
	Carillon__TallyTotal *totals[1];
	Carillon__Claim claim;
	Carillon__JackpotFeed feed;
};

static void sample_make(struct sample *sample)
{
	player_id player;
	carillon__envelope__init(&sample->envelope);
	carillon__tally_total__init(&sample->total);
	carillon__claim__init(&sample->claim);
	carillon__jackpot_feed__init(&sample->feed);
	assert_true(player_id_make(1, 17, &player));
	sample->envelope.schema = 1;
	sample->envelope.incarnation = 1;
	sample->envelope.seq = 9;
	sample->total.tally = 1;
	sample->total.total_minor = 100;
	sample->totals[0] = &sample->total;
	sample->claim = (Carillon__Claim){ .base = sample->claim.base,
		.index = 1,
		.pool = 1,
		.kind = CARILLON__CLAIM_KIND__CLAIM_HIT,
		.coin_minor = 20,
		.currency = 978,
		.stake_minor = 100,
		.player = player,
		.move = 3,
		.time_us = 1 };
	sample->feed.envelope = &sample->envelope;
	sample->feed.pool = 1;
	sample->feed.shard = shard_of_player(player, SHARDS);
	sample->feed.n_totals = 1;
	sample->feed.totals = sample->totals;
	sample->feed.claim = &sample->claim;
}

enum wrong {
	NOTHING,
	NO_ENVELOPE,
	SCHEMA,
	INCARNATION,
	SEQ,
	POOL,
	SHARD,
	TOTAL,
	CLAIM_POOL,
	CLAIM_INDEX,
	CLAIM_MOVE,
	CLAIM_KIND,
	CLAIM_PLAYER,
	CLAIM_SHARD,
	CLAIM_CURRENCY,
	CLAIM_STAKE,
	CLAIM_COIN,
	CLAIM_TIME,
};

static void spoil(struct sample *sample, enum wrong wrong)
{
	switch (wrong) {
	case NOTHING:
		break;
	case NO_ENVELOPE:
		sample->feed.envelope = NULL;
		break;
	case SCHEMA:
		sample->envelope.schema = 2;
		break;
	case INCARNATION:
		sample->envelope.incarnation = 0;
		break;
	case SEQ:
		sample->envelope.seq = UINT64_MAX;
		break;
	case POOL:
		sample->feed.pool = 0;
		break;
	case SHARD:
		sample->feed.shard = SHARDS;
		break;
	case TOTAL:
		sample->total.total_minor = UINT64_MAX;
		break;
	case CLAIM_POOL:
		sample->claim.pool = 2;
		break;
	case CLAIM_INDEX:
		sample->claim.index = 0;
		break;
	case CLAIM_MOVE:
		sample->claim.move = 0;
		break;
	case CLAIM_KIND:
		sample->claim.kind = CARILLON__CLAIM_KIND__CLAIM_UNKNOWN;
		break;
	case CLAIM_PLAYER:
		sample->claim.player = -1;
		break;
	case CLAIM_SHARD:
		sample->feed.shard = (sample->feed.shard + 1) % SHARDS;
		break;
	case CLAIM_CURRENCY:
		sample->claim.currency = 1;
		break;
	case CLAIM_STAKE:
		sample->claim.stake_minor = -1;
		break;
	case CLAIM_COIN:
		sample->claim.coin_minor = 0;
		break;
	case CLAIM_TIME:
		sample->claim.time_us = UINT64_MAX;
		break;
	}
}

static void test_feed_rejects_malformed(void **state)
{
	(void)state;
	static const struct {
		enum wrong wrong;
		const char *where; /* start of the reason; NULL: accepted */
	} rows[] = {
		{ NOTHING, NULL },
		{ NO_ENVELOPE, "envelope:" },
		{ SCHEMA, "envelope.schema:" },
		{ INCARNATION, "envelope.incarnation:" },
		{ SEQ, "envelope.seq:" },
		{ POOL, "pool:" },
		{ SHARD, "shard:" },
		{ TOTAL, "totals[0].total_minor:" },
		{ CLAIM_POOL, "claim.pool:" },
		{ CLAIM_INDEX, "claim.index:" },
		{ CLAIM_MOVE, "claim.move:" },
		{ CLAIM_KIND, "claim.kind:" },
		{ CLAIM_PLAYER, "claim.player:" },
		{ CLAIM_SHARD, "claim.player:" },
		{ CLAIM_CURRENCY, "claim.currency:" },
		{ CLAIM_STAKE, "claim.stake_minor:" },
		{ CLAIM_COIN, "claim.coin_minor:" },
		{ CLAIM_TIME, "claim.time_us:" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sample sample;
		uint8_t bytes[512];
		char reason[POOL_FEED_REASON_MAX] = "";
		sample_make(&sample);
		spoil(&sample, rows[i].wrong);
		size_t length = carillon__jackpot_feed__pack(&sample.feed, bytes);
		Carillon__JackpotFeed *feed = pool_feed_read(bytes, length, SHARDS, reason);
		if (rows[i].where == NULL) {
			assert_non_null(feed);
			carillon__jackpot_feed__free_unpacked(feed, NULL);
			continue;
		}
		assert_null(feed);
		if (strncmp(reason, rows[i].where, strlen(rows[i].where)) != 0 ||
			strstr(reason, "found") == NULL || strstr(reason, "expected") == NULL)
			fail_msg("expected a reason that begins with %s, found: %s", rows[i].where,
				reason);
	}
}

static void test_source_takes_in_any_order(void **state)
{
	(void)state;
	static struct pool_source source;
	static const struct {
		uint32_t incarnation, tally;
		uint64_t total;
		enum pool_source_status expected;
		uint64_t known; /* total of the tally afterwards */
	} rows[] = {
		{ 1, 1, 100, POOL_SOURCE_OK, 100 },
		{ 1, 1, 50, POOL_SOURCE_OK, 100 },
		{ 1, 2, 900, POOL_SOURCE_UNKNOWN, 100 },
		{ 3, 1, 900, POOL_SOURCE_AHEAD, 100 }, /* 2 is what was granted */
		{ 2147483647, 1, 900, POOL_SOURCE_AHEAD, 100 },
		{ 1, 1, 110, POOL_SOURCE_OK, 110 }, /* later messages still count */
		{ 2, 1, 150, POOL_SOURCE_RESTORED, 150 },
		{ 1, 1, 900, POOL_SOURCE_OLD, 150 },
		{ 2, 1, 160, POOL_SOURCE_OK, 160 },
	};
	const struct pool_tally tally = { 1, 5, 978, 2, 1000000000, 5000, true };
	memset(&source, 0, sizeof(source));
	for (size_t i = 0; i < SHARDS_MAX; i++)
		source.granted[i] = 2;
	assert_int_equal(pool_vector_add_tally(&source.vector, &tally), POOL_VECTOR_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sample sample;
		sample_make(&sample);
		sample.envelope.incarnation = rows[i].incarnation;
		sample.total.tally = rows[i].tally;
		sample.total.total_minor = rows[i].total;
		assert_int_equal(pool_source_take(&source, &sample.feed), rows[i].expected);
		assert_int_equal(source.vector.entry[0].total_minor, rows[i].known);
	}
}

/* What is stored about the pool cannot be read: T must not rise from totals that it may already
 * hold. */
static void test_source_takes_nothing_after_a_fault(void **state)
{
	(void)state;
	static struct pool_source source;
	const struct pool_tally tally = { 1, 5, 978, 2, 1000000000, 5000, true };
	struct stored_fault fault;
	struct sample sample;
	char reason[POOL_FEED_REASON_MAX] = "";
	memset(&source, 0, sizeof(source));
	source.granted[0] = source.granted[1] = source.granted[2] = source.granted[3] = 1;
	assert_int_equal(pool_vector_add_tally(&source.vector, &tally), POOL_VECTOR_OK);
	sample_make(&sample);
	stored_try(&fault);
	stored_wrong("pool.vector of pool 1, tally 2: its total cannot be counted");
	assert_int_equal(
		pool_source_take_or_load(&source, NULL, &sample.feed, reason), POOL_SOURCE_UNKNOWN);
	assert_false(stored_tried(&fault));
	assert_true(source.vector.t_e18 == 0);
	assert_int_equal(source.vector.entry_count, 0);
	assert_non_null(strstr(reason, "cannot be read"));
	assert_int_equal(
		pool_source_take_or_load(&source, NULL, &sample.feed, reason), POOL_SOURCE_OK);
	assert_true(source.vector.t_e18 > 0);
}

/* A rate that found no room is retried until there is room. */
static void test_source_retries_waiting_rate(void **state)
{
	static struct pool_source source;
	static const struct {
		int fold;	 /* tally that is folded before; 0: none */
		uint64_t look_s; /* when; 0: no look, only the question */
		uint64_t asked_s;
		enum pool_source_need need; /* of currency 752 at another rate, at that check */
		uint32_t behind;
		bool again; /* checked again at asked_s */
	} rows[] = {
		{ 0, 100, 100, POOL_SOURCE_FULL, 1, false },
		{ 0, 0, 109, POOL_SOURCE_FULL, 1, false },
		{ 0, 0, 110, POOL_SOURCE_FULL, 1, true },
		{ 0, 110, 119, POOL_SOURCE_FULL, 1, false }, /* still no room */
		{ 0, 0, 120, POOL_SOURCE_FULL, 1, true },
		{ 7, 120, 130, POOL_SOURCE_OPENS, 0, false },
		{ 0, 0, 100000, POOL_SOURCE_OPENS, 0, false },
	};
	(void)state;
	memset(&source, 0, sizeof(source));
	for (uint32_t id = 1; id <= POOL_TALLIES_MAX; id++) {
		const struct pool_tally tally = { id, 5, 752, 2, 80000000 + id, 5000,
			id == POOL_TALLIES_MAX };
		assert_int_equal(pool_vector_add_tally(&source.vector, &tally), POOL_VECTOR_OK);
	}
	assert_int_equal(
		pool_source_need(&source, 5, 752, 80000000 + POOL_TALLIES_MAX, 5000, SHARDS),
		POOL_SOURCE_HOLDS);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].fold != 0)
			assert_true(pool_vector_fold(&source.vector, (uint32_t)rows[i].fold));
		if (rows[i].look_s != 0) {
			pool_source_look(&source, rows[i].look_s * 1000000);
			assert_int_equal(pool_source_need(&source, 5, 752, 90000000, 5000, SHARDS),
				rows[i].need);
		}
		assert_int_equal(source.behind, rows[i].behind);
		assert_int_equal(
			pool_source_retry_due(&source, rows[i].asked_s * 1000000), rows[i].again);
	}
	/* Each tally may have a total for each shard: 64 shards leave room for 64 tallies. */
	assert_int_equal(pool_source_need(&source, 5, 752, 90000000, 5000, 64), POOL_SOURCE_FULL);
}

/* ---- operators ---- */

static bool coin_20_is_defined(
	const struct pool_instance *instance, uint32_t currency, int64_t coin)
{
	(void)instance;
	(void)currency;
	return coin == 20;
}

#define ADJUST CARILLON__OPERATOR_ACTION__ACTION_ADJUST
#define CHANGE CARILLON__OPERATOR_ACTION__ACTION_PARAMETERS

static const struct {
	uint32_t action;
	const char *second, *parameters;
	const char *refusal; /* part of the refusal; NULL: done */
} ACTIONS[] = {
	{ CARILLON__OPERATOR_ACTION__ACTION_PAUSE, "", "", NULL },
	{ CARILLON__OPERATOR_ACTION__ACTION_RESUME, "", "", NULL },
	{ CARILLON__OPERATOR_ACTION__ACTION_RETIRE, "bob", "", "not supported" },
	{ 0, "bob", "", "not supported" },
	{ 99, "bob", "", "not supported" },
	{ ADJUST, "bob", "{\"currency\":\"EUR\",\"coin_minor\":20,\"delta_minor\":500}", NULL },
	{ ADJUST, "", "{\"currency\":\"EUR\",\"coin_minor\":20,\"delta_minor\":500}", "second" },
	{ ADJUST, "anna", "{\"currency\":\"EUR\",\"coin_minor\":20,\"delta_minor\":500}",
		"the requester again" },
	{ ADJUST, "bob", "{\"currency\":\"EUR\",\"coin_minor\":20,\"delta_minor\":0}",
		"/delta_minor" },
	{ ADJUST, "bob", "{\"currency\":\"EUR\",\"coin_minor\":20,\"delta_minor\":-1}",
		"below its seed" },
	{ ADJUST, "bob", "{\"currency\":\"EUR\",\"coin_minor\":20,\"delta_minor\":1.5}",
		"/delta_minor" },
	{ ADJUST, "bob", "{\"currency\":\"EUR\",\"coin_minor\":21,\"delta_minor\":1}", "no row" },
	{ ADJUST, "bob",
		"{\"currency\":\"EUR\",\"coin_minor\":20,\"delta_minor\":"
		"9223372036854775807}",
		"too large" },
	{ ADJUST, "bob", "{\"currency\":\"XXX\",\"coin_minor\":20,\"delta_minor\":1}",
		"/currency" },
	{ ADJUST, "bob", "{\"currency\":\"EUR\",\"delta_minor\":1}", "/coin_minor" },
	{ ADJUST, "bob", "{\"currency\":\"EUR\",\"coin_minor\":20,\"delta_minor\":1,\"x\":1}",
		"/x" },
	{ ADJUST, "bob", "[]", "object" },
	{ ADJUST, "bob", "{", "object" },
	{ ADJUST, "bob", "", "object" },
	{ CHANGE, "", "{\"currency\":\"EUR\",\"coin_minor\":20,\"seed_minor\":50000}", NULL },
	{ CHANGE, "", "{\"currency\":\"EUR\",\"coin_minor\":20,\"seed_minor\":0}", "bounds" },
	{ CHANGE, "", "{\"currency\":\"EUR\",\"coin_minor\":20}", "/seed_minor" },
	{ CHANGE, "", "{\"currency\":\"EUR\",\"coin_minor\":20,\"row_rate_nano\":0}",
		"kept in EUR" },
	{ CHANGE, "", "{\"currency\":\"EUR\",\"coin_minor\":20,\"row_rate_nano\":900000000}",
		"kept in EUR" },
	{ CHANGE, "", "{\"currency\":\"EUR\",\"coin_minor\":20,\"row_rate_nano\":1000000000}",
		NULL },
	{ CHANGE, "", "{\"currency\":\"SEK\",\"coin_minor\":20,\"row_rate_nano\":0}", "bounds" },
	{ CHANGE, "", "{\"currency\":\"SEK\",\"coin_minor\":20,\"row_rate_nano\":90000000}", NULL },
	{ CHANGE, "bob", "{\"currency\":\"EUR\",\"coin_minor\":20,\"remove\":true}",
		"definition still has" },
	{ CHANGE, "bob", "{\"currency\":\"EUR\",\"coin_minor\":100,\"remove\":true}",
		"state does not allow" },
	{ CHANGE, "", "{\"currency\":\"EUR\",\"coin_minor\":100,\"remove\":true}", "second" },
};

static void test_operator_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(ACTIONS) / sizeof(ACTIONS[0]); i++) {
		static struct pool_instance instance;
		static struct action_record record;
		const char *broken;
		struct pool_terms low = { 40000, POOL_NANO, 20000000 };
		struct pool_terms high = { 200000, POOL_NANO, 100000000 };
		struct pool_terms krona = { 40000, 90000000, 1800000 };
		memset(&instance, 0, sizeof(instance));
		memset(&record, 0, sizeof(record));
		instance.base_coin_minor = 1000;
		pool_begin(&instance.pool, 1);
		assert_int_equal(pool_launch(&instance.pool, 978, 2, 20, &low), POOL_OK);
		assert_int_equal(pool_launch(&instance.pool, 978, 2, 100, &high), POOL_OK);
		assert_int_equal(pool_launch(&instance.pool, 752, 2, 20, &krona), POOL_OK);
		record.action = ACTIONS[i].action;
		memcpy(record.actor, "anna", 5);
		memcpy(record.second, ACTIONS[i].second, strlen(ACTIONS[i].second) + 1);
		memcpy(record.parameters, ACTIONS[i].parameters, strlen(ACTIONS[i].parameters) + 1);
		operator_apply(&instance, &record, coin_20_is_defined);
		assert_int_equal(record.done, ACTIONS[i].refusal == NULL);
		if (ACTIONS[i].refusal != NULL &&
			strstr(record.refusal, ACTIONS[i].refusal) == NULL)
			fail_msg("row %zu: expected \"..%s..\", found \"%s\"", i,
				ACTIONS[i].refusal, record.refusal);
		if (ACTIONS[i].refusal == NULL)
			assert_string_equal(record.refusal, "");
		assert_true(pool_identities_hold(&instance.pool, &broken));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_feed_rejects_malformed),
		cmocka_unit_test(test_source_takes_in_any_order),
		cmocka_unit_test(test_source_takes_nothing_after_a_fault),
		cmocka_unit_test(test_source_retries_waiting_rate),
		cmocka_unit_test(test_operator_table),
	};
	return cmocka_run_group_tests_name("feed and operators", tests, NULL, NULL);
}
