/* Facts of kinds that a newer build publishes: they are read, counted in their order, and show
 * nothing that this build does not know. */
#include "services/notifications/adapters/facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#define NEWER 99
#define PLAYER (INT64_C(1) << 48 | 17)

static Carillon__Envelope envelope_of(uint64_t seq)
{
	Carillon__Envelope envelope;

	carillon__envelope__init(&envelope);
	envelope.schema = 1;
	envelope.incarnation = 1;
	envelope.seq = seq;
	return envelope;
}

static void test_facts_of_an_unknown_body_are_read(void **state)
{
	/* field 99, three bytes: behind the envelope and the pool */
	static const uint8_t body[] = { 0x9a, 0x06, 3, 'n', 'e', 'w' };
	char reason[FACTS_REASON_MAX] = "";
	uint8_t bytes[256];
	Carillon__Envelope envelope = envelope_of(7);
	Carillon__JackpotFact fact = CARILLON__JACKPOT_FACT__INIT;

	(void)state;
	fact.envelope = &envelope;
	fact.pool = 2;
	size_t n = carillon__jackpot_fact__pack(&fact, bytes);
	memcpy(bytes + n, body, sizeof(body));
	Carillon__JackpotFact *read = facts_jackpot_read(bytes, n + sizeof(body), reason);
	if (read == NULL)
		fail_msg("%s", reason);
	assert_int_equal(read->body_case, CARILLON__JACKPOT_FACT__BODY__NOT_SET);
	assert_int_equal(read->envelope->seq, 7);
	assert_int_equal(read->pool, 2);
	carillon__jackpot_fact__free_unpacked(read, NULL);
}

static void test_facts_of_an_unknown_card_event_show_nothing(void **state)
{
	char reason[FACTS_REASON_MAX] = "";
	uint8_t bytes[256];
	Carillon__Envelope envelope = envelope_of(8);
	Carillon__JackpotFact fact = CARILLON__JACKPOT_FACT__INIT;
	Carillon__CardFact card = CARILLON__CARD_FACT__INIT;
	Carillon__CardRound round = CARILLON__CARD_ROUND__INIT;
	struct card_news news;

	(void)state;
	round.player = PLAYER;
	card.event = (Carillon__CardEvent)NEWER;
	card.round = &round;
	fact.envelope = &envelope;
	fact.body_case = CARILLON__JACKPOT_FACT__BODY_CARD;
	fact.card = &card;
	size_t n = carillon__jackpot_fact__pack(&fact, bytes);
	Carillon__JackpotFact *read = facts_jackpot_read(bytes, n, reason);
	if (read == NULL)
		fail_msg("%s", reason);
	assert_false(facts_card(read, &news));
	carillon__jackpot_fact__free_unpacked(read, NULL);
}

/* Its balance is told, and nothing else. */
static void test_facts_of_an_unknown_row_are_a_balance(void **state)
{
	char reason[FACTS_REASON_MAX] = "";
	uint8_t bytes[256];
	Carillon__Envelope envelope = envelope_of(9);
	Carillon__WalletFact fact = CARILLON__WALLET_FACT__INIT;
	struct holdback_fact own;

	(void)state;
	fact.envelope = &envelope;
	fact.shard = 1;
	fact.player = PLAYER;
	fact.kind = (Carillon__MoveKind)NEWER;
	fact.balance_after = 500;
	size_t n = carillon__wallet_fact__pack(&fact, bytes);
	Carillon__WalletFact *read = facts_wallet_read(bytes, n, 4, reason);
	if (read == NULL)
		fail_msg("%s", reason);
	assert_true(facts_own(read, &own));
	assert_int_equal(own.seq, 9);
	assert_int_equal(own.balance_after, 500);
	assert_false(own.award || own.watched || own.refused);
	carillon__wallet_fact__free_unpacked(read, NULL);
}

/* Fields may only be added. Another schema would give them another meaning. */
static void test_facts_of_another_schema_are_refused(void **state)
{
	char reason[FACTS_REASON_MAX] = "";
	uint8_t bytes[64];
	Carillon__Envelope envelope = envelope_of(10);
	Carillon__JackpotFact fact = CARILLON__JACKPOT_FACT__INIT;

	(void)state;
	envelope.schema = 2;
	fact.envelope = &envelope;
	size_t n = carillon__jackpot_fact__pack(&fact, bytes);
	assert_null(facts_jackpot_read(bytes, n, reason));
	assert_string_equal(reason, "envelope.schema: found 2, expected 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts_of_an_unknown_body_are_read),
		cmocka_unit_test(test_facts_of_an_unknown_card_event_show_nothing),
		cmocka_unit_test(test_facts_of_an_unknown_row_are_a_balance),
		cmocka_unit_test(test_facts_of_another_schema_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
