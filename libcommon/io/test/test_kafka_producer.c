/* A producer that Kafka has broken for good is replaced, and what comes after arrives. Kafka is
 * librdkafka's own mock, because a real one cannot be told to answer so. */
#include "libcommon/io/clock.h"
#include "libcommon/io/kafka.h"
#include "libcommon/io/metrics.h"

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PRODUCE 0 /* the API keys of Kafka's protocol */
#define INIT_PRODUCER_ID 22
#define WAIT_US UINT64_C(20000000)

struct world {
	rd_kafka_t *rk; /* holds the mock */
	rd_kafka_mock_cluster_t *cluster;
};

static int world_new(void **state)
{
	static struct world world;
	char error[256];
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	assert_int_equal(
		rd_kafka_conf_set(conf, "test.mock.num.brokers", "1", error, sizeof(error)),
		RD_KAFKA_CONF_OK);
	world.rk = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof(error));
	assert_non_null(world.rk);
	world.cluster = rd_kafka_handle_mock_cluster(world.rk);
	assert_non_null(world.cluster);
	for (int topic = 0; topic < TOPICS_N; topic++)
		(void)rd_kafka_mock_topic_create(
			world.cluster, topic_name((enum topic)topic), 2, 1);
	*state = &world;
	return 0;
}

static int world_free(void **state)
{
	struct world *world = *state;
	rd_kafka_destroy(world->rk);
	return 0;
}

static bool offer(struct kafka_producer *producer)
{
	return kafka_offer(producer, TOPIC_WALLET_FACTS, 1, "k", 1, "row", 3);
}

static bool all_acknowledged(struct kafka_producer *producer)
{
	uint64_t given, acknowledged, end_us = clock_mono_us() + WAIT_US;
	do {
		kafka_producer_poll(producer);
		kafka_produced(producer, TOPIC_WALLET_FACTS, 1, &given, &acknowledged);
		if (acknowledged == given)
			return true;
		(void)usleep(1000);
	} while (clock_mono_us() < end_us);
	return false;
}

/* Messages of partition 1 that the mock has. */
static int64_t arrived(struct world *world)
{
	int64_t low = -1, high = -1;
	assert_int_equal(
		rd_kafka_query_watermark_offsets(world->rk, "wallet.facts", 1, &low, &high, 10000),
		RD_KAFKA_RESP_ERR_NO_ERROR);
	return high;
}

/* Of all producers so far. `line` is a metric's name, with a line's end before and a blank after.
 */
static uint64_t counted(const char *line)
{
	size_t length;
	char *text = metrics_text(&length);
	const char *at = strstr(text, line);
	assert_non_null(at);
	uint64_t n = strtoull(at + strlen(line), NULL, 10);
	free(text);
	return n;
}

static uint64_t replaced(void)
{
	return counted("\ncarillon_kafka_producers_replaced_total ");
}

static struct kafka_producer *producer_of(struct world *world)
{
	return kafka_producer_new(rd_kafka_mock_cluster_bootstraps(world->cluster), KAFKA_FAST);
}

/* The next message meets the error that waits in the mock; the one after it arrives. */
static void one_is_lost(struct world *world, struct kafka_producer *producer)
{
	int64_t held = arrived(world);
	uint64_t before = replaced();
	(void)offer(producer);			 /* not even taken, once the error is known */
	assert_true(all_acknowledged(producer)); /* nobody waits for it */
	assert_int_equal(arrived(world), held);
	assert_int_equal(replaced(), before + 1);
	assert_true(offer(producer));
	assert_true(all_acknowledged(producer));
	assert_int_equal(arrived(world), held + 1);
	assert_int_equal(replaced(), before + 1);
}

static void test_kafka_producer_is_replaced_after_a_fatal_error(void **state)
{
	struct world *world = *state;
	rd_kafka_mock_push_request_errors(world->cluster, INIT_PRODUCER_ID, 1,
		RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED);
	struct kafka_producer *producer = producer_of(world);
	one_is_lost(world, producer);
	kafka_producer_free(&producer);
	assert_null(producer);
}

static void test_kafka_producer_is_replaced_after_a_message_that_cannot_arrive(void **state)
{
	struct world *world = *state;
	struct kafka_producer *producer = producer_of(world);
	assert_true(offer(producer));
	assert_true(all_acknowledged(producer));
	rd_kafka_mock_push_request_errors(
		world->cluster, PRODUCE, 1, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
	one_is_lost(world, producer);
	kafka_producer_free(&producer);
}

/* Facts gather while Kafka is away. What finds no room is counted, and the alert KafkaQueueFull
 * tells of it. */
static void test_kafka_producer_counts_what_finds_no_room(void **state)
{
	(void)state;
	static const uint8_t bytes[900000];
	struct kafka_producer *producer = kafka_producer_new("127.0.0.1:9", KAFKA_SLOW);
	uint64_t before = counted("\ncarillon_kafka_queue_full_total ");
	int taken = 0;
	while (taken < 1000 &&
		kafka_offer(producer, TOPIC_WALLET_FACTS, 1, "k", 1, bytes, sizeof(bytes)))
		taken++;
	assert_in_range(taken, 100, 999); /* an outage under load */
	assert_int_equal(counted("\ncarillon_kafka_queue_full_total "), before + 1);
	assert_false(kafka_offer(producer, TOPIC_WALLET_FACTS, 1, "k", 1, bytes, sizeof(bytes)));
	assert_int_equal(counted("\ncarillon_kafka_queue_full_total "), before + 2);
	kafka_producer_free(&producer);
}

/* KAFKA=none: nobody waits, and nothing is read. */
static void test_kafka_none_takes_all_and_gives_nothing(void **state)
{
	(void)state;
	int64_t first = -1, next = -1;
	assert_true(kafka_is_none("none"));
	assert_false(kafka_is_none("none:9092"));
	for (int pace = KAFKA_FAST; pace <= KAFKA_SLOW; pace++) {
		struct kafka_producer *producer = kafka_producer_new("none", (enum kafka_pace)pace);
		struct kafka_consumer *consumer = kafka_consumer_new("none", (enum kafka_pace)pace);
		for (int i = 0; i < 1000; i++)
			assert_true(offer(producer));
		assert_false(kafka_producer_holds(producer));
		assert_true(all_acknowledged(producer));
		assert_true(kafka_producer_flush(producer, 0));
		assert_true(kafka_bounds(consumer, TOPIC_WALLET_FACTS, 1, &first, &next));
		assert_int_equal(first, 0);
		assert_int_equal(next, 0);
		kafka_consume(consumer, TOPIC_WALLET_FACTS, 1, 7);
		kafka_consume_at(consumer, TOPIC_WALLET_FACTS, 0, KAFKA_END);
		assert_int_equal(kafka_poll(consumer, 10).n, 0);
		assert_int_equal(kafka_lag(consumer, TOPIC_WALLET_FACTS, 1), -1);
		kafka_consume_stop(consumer, TOPIC_WALLET_FACTS, 1);
		kafka_consumer_free(&consumer);
		kafka_producer_free(&producer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kafka_producer_is_replaced_after_a_fatal_error),
		cmocka_unit_test(
			test_kafka_producer_is_replaced_after_a_message_that_cannot_arrive),
		cmocka_unit_test(test_kafka_producer_counts_what_finds_no_room),
		cmocka_unit_test(test_kafka_none_takes_all_and_gives_nothing),
	};
	return cmocka_run_group_tests(tests, world_new, world_free);
}
