/* A verdict on nanomsg is the fact of the row with the correlation of the command. */
#include "libcommon/service/loop.h"
#include "services/wallet/adapters/fact.h"

#include "bus.pb-c.h"
#include "wallet.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static char name[] = "wallet-1";
static struct service service = { .instance = name };
static const struct service_shard shard = { .shard = 3, .incarnation = 7 };
static const uint8_t record[] = "a record of the engine";

static struct wallet_row row_of(uint32_t kind)
{
	struct wallet_row row = { .seq = 900,
		.player = (INT64_C(1) << 48) + 7,
		.kind = kind,
		.move = kind == WALLET_KIND_AWARD ? 0 : 12,
		.round = 12,
		.last_move = 12,
		.stake = 30,
		.balance_after = INT64_C(123456789012),
		.currency = 978,
		.request_id = { 1, 2, 3 },
		.request_id_length = WALLET_ID_BYTES,
		.record = record,
		.record_length = sizeof(record),
		.time_us = 1700000000000000 };

	return row;
}

static void test_fact_verdict_adds_the_correlation(void **state)
{
	static const uint64_t correlations[] = { 0, 1, 127, 128, UINT64_C(1) << 40, UINT64_MAX };
	static const uint32_t kinds[] = { WALLET_KIND_BET, WALLET_KIND_DEPOSIT, WALLET_KIND_AWARD };

	(void)state;
	for (size_t i = 0; i < 6 * 3; i++) {
		struct wallet_row row = row_of(kinds[i % 3]);
		size_t length;
		size_t verdict_length;
		const uint8_t *fact = fact_pack(&service, &shard, &row, NULL, &length);

		const uint8_t *verdict = fact_verdict(
			&service, &shard, fact, length, correlations[i / 3], &verdict_length);
		Carillon__Bus *bus = carillon__bus__unpack(NULL, verdict_length, verdict);
		assert_non_null(bus);
		assert_int_equal(bus->body_case, CARILLON__BUS__BODY_VERDICT);
		assert_int_equal(bus->envelope->incarnation, 7);
		assert_string_equal(bus->envelope->source, name);
		assert_true(bus->verdict->correlation == correlations[i / 3]);
		/* Except for the correlation it equals the fact. */
		bus->verdict->correlation = 0;
		uint8_t again[1024];
		assert_true(carillon__wallet_fact__get_packed_size(bus->verdict) <= sizeof(again));
		assert_int_equal(carillon__wallet_fact__pack(bus->verdict, again), length);
		assert_memory_equal(again, fact, length);
		carillon__bus__free_unpacked(bus, NULL);
	}
}

/* The engine then quarantines the player (adopt_row). */
static void test_fact_of_a_lost_award_has_its_record(void **state)
{
	struct wallet_row row = row_of(WALLET_KIND_AWARD);

	(void)state;
	for (int lost = 0; lost < 2; lost++) {
		size_t length;
		row.award_lost = lost != 0;
		const uint8_t *bytes = fact_pack(&service, &shard, &row, NULL, &length);
		Carillon__WalletFact *fact = carillon__wallet_fact__unpack(NULL, length, bytes);
		assert_non_null(fact);
		assert_int_equal(fact->award == NULL, lost);
		assert_int_equal(fact->record.len, lost ? sizeof(record) : 0);
		carillon__wallet_fact__free_unpacked(fact, NULL);
	}
}

/* The fact of a sampled command carries its trace; any other fact is as it was. */
static void test_fact_carries_a_sampled_trace(void **state)
{
	static const struct {
		size_t length;
		uint8_t flags;
		bool carried;
	} ROWS[] = { { 25, 1, true }, { 25, 3, true }, { 25, 0, false }, { 25, 2, false },
		{ 24, 1, false }, { 26, 1, false }, { 0, 1, false } };
	struct wallet_row row = row_of(WALLET_KIND_BET);
	uint8_t trace[26] = { 1, 2, 3 };
	Carillon__Envelope asked;

	(void)state;
	carillon__envelope__init(&asked);
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		size_t length;
		/* What is taken for the flags, where the length is not looked at. */
		memset(trace + 23, ROWS[i].flags, 3);
		asked.trace = (ProtobufCBinaryData){ ROWS[i].length, trace };
		const uint8_t *bytes = fact_pack(&service, &shard, &row, &asked, &length);
		Carillon__WalletFact *fact = carillon__wallet_fact__unpack(NULL, length, bytes);
		assert_non_null(fact);
		assert_int_equal(fact->envelope->trace.len, ROWS[i].carried ? 25 : 0);
		if (ROWS[i].carried)
			assert_memory_equal(fact->envelope->trace.data, trace, 25);
		carillon__wallet_fact__free_unpacked(fact, NULL);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fact_verdict_adds_the_correlation),
		cmocka_unit_test(test_fact_of_a_lost_award_has_its_record),
		cmocka_unit_test(test_fact_carries_a_sampled_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
