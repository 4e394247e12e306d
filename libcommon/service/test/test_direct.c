/* Commands on nanomsg: packed and read again, and what is not one of them. */
#include "libcommon/service/direct.h"
#include "libcommon/service/service.h"

#include "bus.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static void test_each_kind_is_read_as_it_was_packed(void **state)
{
	static const enum topic KINDS[] = { TOPIC_SPIN_COMMANDS, TOPIC_WALLET_COMMANDS,
		TOPIC_JACKPOT_COMMANDS };
	static const uint8_t BYTES[] = { 0x0a, 0x00, 0xff, 0x5a };
	uint8_t packed[sizeof(BYTES) + DIRECT_HEAD_MAX];
	struct kafka_message message;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (uint32_t shard = 0; shard < 256; shard += 51) {
			size_t n = direct_pack(KINDS[i], shard, BYTES, sizeof(BYTES), packed);
			assert_true(direct_is(packed, n));
			assert_true(direct_read(packed, n, &arena, &message));
			assert_int_equal(message.topic, KINDS[i]);
			assert_int_equal(message.partition, shard);
			assert_int_equal(message.offset, SERVICE_DIRECT);
			assert_int_equal(message.length, sizeof(BYTES));
			assert_memory_equal(message.bytes, BYTES, sizeof(BYTES));
		}
	arena_free(&arena);
}

static void test_an_empty_command_is_one(void **state)
{
	uint8_t packed[DIRECT_HEAD_MAX];
	struct kafka_message message;
	size_t n = direct_pack(TOPIC_SPIN_COMMANDS, 0, "", 0, packed);

	(void)state;
	assert_true(direct_is(packed, n));
	assert_true(direct_read(packed, n, &arena, &message));
	assert_int_equal(message.length, 0);
	arena_free(&arena);
}

static void test_other_messages_are_none(void **state)
{
	uint8_t packed[64];
	struct kafka_message message;
	Carillon__Bus bus;
	Carillon__Envelope envelope;
	Carillon__Republish republish;

	(void)state;
	carillon__bus__init(&bus);
	carillon__envelope__init(&envelope);
	carillon__republish__init(&republish);
	bus.envelope = &envelope;
	bus.body_case = CARILLON__BUS__BODY_REPUBLISH;
	bus.republish = &republish;
	size_t n = carillon__bus__pack(&bus, packed);
	assert_false(direct_is(packed, n));
	assert_false(direct_is(packed, 0));
	assert_false(direct_read(packed, n, &arena, &message));
	assert_false(direct_kind(TOPIC_WALLET_FACTS));
	assert_true(direct_kind(TOPIC_WALLET_COMMANDS));
	assert_true(direct_kind_is(2, TOPIC_WALLET_COMMANDS));
	assert_false(direct_kind_is(2, TOPIC_SPIN_COMMANDS));
	assert_false(direct_kind_is(0, TOPIC_WALLET_FACTS));
	arena_free(&arena);
}

static void test_malformed_and_unknown_are_dropped(void **state)
{
	static const uint8_t UNKNOWN_KIND[] = { 0x5a, 0x02, 0x08, 0x63 };
	static const uint8_t CUT[] = { 0x5a, 0x7f, 0x08, 0x01 };
	struct kafka_message message;

	(void)state;
	assert_true(direct_is(CUT, sizeof(CUT)));
	assert_false(direct_read(CUT, sizeof(CUT), &arena, &message));
	assert_false(direct_read(UNKNOWN_KIND, sizeof(UNKNOWN_KIND), &arena, &message));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kind_is_read_as_it_was_packed),
		cmocka_unit_test(test_an_empty_command_is_one),
		cmocka_unit_test(test_other_messages_are_none),
		cmocka_unit_test(test_malformed_and_unknown_are_dropped),
	};

	return cmocka_run_group_tests_name("direct", tests, NULL, NULL);
}
