/* The loop's parts that need no servers. With arguments the program runs the echo service, which
 * tests/e2e/service_loop.py runs on real servers. */
#include "libcommon/service/test/echo_service.h"

#include "libcommon/io/kafka.h"
#include "libcommon/service/loop.h"

#include "envelope.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_kafka_offset_near_clamps(void **state)
{
	static const struct {
		int64_t offset, first, next, expected;
	} ROWS[] = {
		{ 5, 0, 10, 5 },
		{ 0, 0, 10, 0 },
		{ 10, 0, 10, 10 }, /* inside, the end included */
		{ 3, 4, 10, 4 },   /* deleted already */
		{ 11, 4, 10, 10 }, /* Kafka lost its tail */
		{ KAFKA_END, 4, 10, 10 },
		{ 0, 0, 0, 0 },
		{ 7, 0, 0, 0 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
		assert_int_equal(kafka_offset_near(TOPIC_WALLET_FACTS, 1, ROWS[i].offset,
					 ROWS[i].first, ROWS[i].next),
			ROWS[i].expected);
}

static void test_topic_name_of_each(void **state)
{
	(void)state;
	assert_string_equal(topic_name(TOPIC_SPIN_COMMANDS), "spin.commands");
	assert_string_equal(topic_name(TOPIC_WALLET_COMMANDS), "wallet.commands");
	assert_string_equal(topic_name(TOPIC_WALLET_FACTS), "wallet.facts");
	assert_string_equal(topic_name(TOPIC_JACKPOT_FEED), "jackpot.feed");
	assert_string_equal(topic_name(TOPIC_JACKPOT_COMMANDS), "jackpot.commands");
	assert_string_equal(topic_name(TOPIC_JACKPOT_FACTS), "jackpot.facts");
	assert_string_equal(topic_name(TOPIC_DEAD_LETTERS), "dead.letters");
}

static void test_envelope_of_another_schema_is_rejected(void **state)
{
	static struct service service;
	char name[] = "echo-1";
	Carillon__Envelope envelope;
	(void)state;
	service.instance = name;
	carillon__envelope__init(&envelope);
	service_envelope(&service, &envelope, 3, 17);
	assert_int_equal(envelope.schema, 1);
	assert_int_equal(envelope.incarnation, 3);
	assert_int_equal(envelope.seq, 17);
	assert_string_equal(envelope.source, "echo-1");
	assert_true(envelope.time_us > 1600000000000000u);
	assert_true(service_envelope_check(&service, &envelope));
	envelope.schema = 2;
	assert_false(service_envelope_check(&service, &envelope));
	assert_string_equal(service.reason, "envelope.schema: found 2, expected 1");
	assert_false(service_envelope_check(&service, NULL));
	assert_string_equal(service.reason, "envelope: found none, expected one of schema 1");
}

static int usage(const char *program)
{
	(void)fprintf(stderr,
		"%s [run | run-two | produce FIRST LAST COUNT TEXT | inspect | links SECONDS]: "
		"found other "
		"arguments\n",
		program);
	return 2;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kafka_offset_near_clamps),
		cmocka_unit_test(test_topic_name_of_each),
		cmocka_unit_test(test_envelope_of_another_schema_is_rejected),
	};
	if (argc == 1)
		return cmocka_run_group_tests(tests, NULL, NULL);
	if (argc == 2 && strcmp(argv[1], "run") == 0)
		return echo_service_run(1, argv, false);
	if (argc == 2 && strcmp(argv[1], "run-two") == 0)
		return echo_service_run(1, argv, true);
	if (argc == 2 && strcmp(argv[1], "inspect") == 0)
		return echo_inspect();
	if (argc == 3 && strcmp(argv[1], "links") == 0)
		return echo_links(atoi(argv[2]));
	if (argc == 6 && strcmp(argv[1], "produce") == 0)
		return echo_produce(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), argv[5]);
	return usage(argv[0]);
}
