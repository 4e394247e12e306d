/* Producers. */
#include "libcommon/io/private/kafka.h"

#include "libcommon/base/ids.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/kafka_lane.h"
#include "libcommon/io/kafka_login.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BROKERS_BYTES 1024
#define POLL_US 1000 /* delivery reports wait so long: a busy loop turns more often */
/* Between two replacements: a broker that denies us a topic does so each time. */
#define REPLACE_PAUSE_US 500000
#define MESSAGE_BYTES_MAX 1000000    /* Kafka's own limit, less its overhead */
#define HELD_MAX ((size_t)256 << 20) /* bytes that wait in all lanes: an outage under load */

struct kafka_producer {
	rd_kafka_t *rk; /* NULL: there is no Kafka */
	rd_kafka_topic_t *topics[TOPICS_N];
	struct metric *produced[TOPICS_N];
	struct metric *full, *replaced;
	char brokers[BROKERS_BYTES];
	enum kafka_pace pace;
	bool broken;
	uint64_t lost; /* how often it was replaced */
	size_t held;   /* bytes that wait, over all lanes */
	struct kafka_lane lanes[TOPICS_N][SHARDS_MAX];
	size_t partitions; /* used so far: one more than the highest */
	size_t next;	   /* which lane may leave first: all take turns when many are due */
	uint64_t polled_us, replaced_us;
};

/* With message.timeout.ms=0 and idempotence a message is retried for ever. One that fails
 * nevertheless can never be delivered (the topic is gone, Kafka was made anew): the producer is
 * replaced. Readers find what is lost in the rows that it comes from. */
static void on_delivery(rd_kafka_t *rk, const rd_kafka_message_t *message, void *opaque)
{
	struct kafka_producer *producer = opaque;
	(void)rk;
	if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
		for (int topic = 0; topic < TOPICS_N; topic++)
			if (producer->topics[topic] == message->rkt && message->partition >= 0 &&
				message->partition < SHARDS_MAX)
				producer->lanes[topic][message->partition].acknowledged++;
		return;
	}
	if (message->err == RD_KAFKA_RESP_ERR__PURGE_QUEUE ||
		message->err == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT)
		return;
	if (!producer->broken)
		log_warn_as("kafka.message.undelivered",
			"kafka: message to %s, partition %d, was not delivered: %s",
			rd_kafka_topic_name(message->rkt), (int)message->partition,
			rd_kafka_err2str(message->err));
	producer->broken = true;
}

/* A fatal error: nothing that is given to this handle arrives any more. */
static void on_error(rd_kafka_t *rk, int error, const char *reason, void *opaque)
{
	struct kafka_producer *producer = opaque;
	char text[512];
	if (error != RD_KAFKA_RESP_ERR__FATAL) {
		kafka_error_log(error, reason);
		return;
	}
	rd_kafka_resp_err_t cause = rd_kafka_fatal_error(rk, text, sizeof(text));
	log_warn_as("kafka.producer.failed", "kafka: %s: %s", rd_kafka_err2name(cause), text);
	producer->broken = true;
}

/* The slow producer gathers by itself (kafka_lane.h); its linger only lets librdkafka take in what
 * leaves together. */
static const struct {
	const char *name, *linger_ms, *compression;
} PACES[] = {
	[KAFKA_FAST] = { "carillon-fast", "0", "none" },
	[KAFKA_SLOW] = { "carillon-slow", "1", "lz4" },
};

static rd_kafka_t *handle_new(struct kafka_producer *producer)
{
	rd_kafka_conf_t *conf = kafka_conf_new(producer->brokers, PACES[producer->pace].name);
	kafka_conf_set(conf, "enable.idempotence", "true");
	kafka_conf_set(conf, "acks", "all");
	kafka_conf_set(conf, "message.timeout.ms", "0");
	kafka_conf_set(conf, "retry.backoff.ms", "50");
	kafka_conf_set(conf, "linger.ms", PACES[producer->pace].linger_ms);
	kafka_conf_set(conf, "compression.codec", PACES[producer->pace].compression);
	/* Room for an outage of Kafka under load. */
	kafka_conf_set(conf, "queue.buffering.max.messages", "500000");
	kafka_conf_set(conf, "queue.buffering.max.kbytes", "262144");
	rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
	rd_kafka_conf_set_error_cb(conf, on_error);
	rd_kafka_conf_set_opaque(conf, producer);
	return kafka_handle_new(RD_KAFKA_PRODUCER, conf);
}

struct kafka_producer *kafka_producer_new(const char *brokers, enum kafka_pace pace)
{
	struct kafka_producer *producer = calloc(1, sizeof(*producer));
	if (producer == NULL)
		fatal("kafka: out of memory");
	if (strlen(brokers) >= BROKERS_BYTES)
		fatal("kafka: found addresses of %zu bytes, expected at most %d", strlen(brokers),
			BROKERS_BYTES - 1);
	(void)snprintf(producer->brokers, BROKERS_BYTES, "%s", brokers);
	producer->pace = pace;
	producer->rk = kafka_is_none(brokers) ? NULL : handle_new(producer);
	producer->full = metric_counter("carillon_kafka_queue_full_total", NULL,
		"Messages that found no room while Kafka was away.");
	producer->replaced = metric_counter("carillon_kafka_producers_replaced_total", NULL,
		"Producers replaced after an error.");
	return producer;
}

/* What was on its way is lost. */
static void handle_free(struct kafka_producer *producer)
{
	(void)rd_kafka_purge(producer->rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
	(void)rd_kafka_flush(producer->rk, 100);
	for (int i = 0; i < TOPICS_N; i++) {
		if (producer->topics[i] != NULL)
			rd_kafka_topic_destroy(producer->topics[i]);
		producer->topics[i] = NULL;
	}
	kafka_login_end(producer->rk);
}

/* What waits in the lanes leaves through the new handle. */
static void replace(struct kafka_producer *producer)
{
	handle_free(producer);
	producer->broken = false;
	producer->replaced_us = clock_mono_us();
	producer->lost++;
	producer->rk = handle_new(producer);
	for (int topic = 0; topic < TOPICS_N; topic++)
		for (size_t i = 0; i < producer->partitions; i++)
			producer->lanes[topic][i].acknowledged = producer->lanes[topic][i].left;
	metric_add(producer->replaced, 1);
	log_warn_as("kafka.producer.replaced",
		"kafka: replaced the producer; the messages that it lost are read again from "
		"their rows");
}

static struct metric *produced_metric(struct kafka_producer *producer, enum topic topic)
{
	if (producer->produced[topic] == NULL) {
		char labels[64];
		(void)snprintf(labels, sizeof(labels), "topic=\"%s\"", topic_name(topic));
		producer->produced[topic] = metric_counter(
			"carillon_kafka_produced_total", labels, "Messages given to Kafka.");
	}
	return producer->produced[topic];
}

/* False: librdkafka's queue is full, or it is broken. */
static bool give(struct kafka_producer *producer, enum topic topic, uint32_t partition,
	const struct kafka_held *message)
{
	rd_kafka_topic_t *rkt = kafka_topic(producer->rk, producer->topics, topic);
	const struct event event = { topic, partition, message->key, message->bytes,
		message->key_length, message->length };
	rd_kafka_resp_err_t error = kafka_put(producer->rk, rkt, &event);
	if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
		if (error != RD_KAFKA_RESP_ERR__QUEUE_FULL && !producer->broken) {
			log_warn_as("kafka.message.unsent",
				"kafka: cannot send a message to %s, partition %u: %s",
				topic_name(topic), partition, rd_kafka_err2str(error));
			producer->broken = true;
		}
		metric_add(producer->full, 1);
		return false;
	}
	metric_add(produced_metric(producer, topic), 1);
	return true;
}

static void lane_empty(
	struct kafka_producer *producer, enum topic topic, uint32_t partition, uint64_t now_us)
{
	struct kafka_lane *lane = &producer->lanes[topic][partition];
	struct kafka_held message;
	producer->held -= kafka_lane_held(lane);
	while (kafka_lane_next(lane, &message) && give(producer, topic, partition, &message))
		kafka_lane_leaves(lane, now_us);
	producer->held += kafka_lane_held(lane);
}

static size_t lanes_open(const struct kafka_producer *producer, uint64_t now_us)
{
	size_t open = 0;
	for (int topic = 0; topic < TOPICS_N; topic++)
		for (size_t i = 0; i < producer->partitions; i++)
			open += kafka_lane_counts(&producer->lanes[topic][i], now_us);
	return open;
}

/* What is due leaves; all of it, where nothing can wait any more. */
static void lanes_empty(struct kafka_producer *producer, bool all)
{
	uint64_t now_us = clock_mono_us();
	size_t open = producer->held == 0 ? 0 : lanes_open(producer, now_us);
	size_t first = producer->next, lanes = TOPICS_N * producer->partitions;
	for (size_t n = 0; n < lanes && producer->held > 0; n++) {
		size_t at = (first + n) % lanes;
		size_t topic = at / producer->partitions, partition = at % producer->partitions;
		struct kafka_lane *lane = &producer->lanes[topic][partition];
		if (!all && !kafka_lane_due(lane, now_us, open))
			continue;
		lane_empty(producer, (enum topic)topic, (uint32_t)partition, now_us);
		open += kafka_lane_counts(lane, now_us);
		producer->next = at + 1;
	}
}

static bool gather(struct kafka_producer *producer, enum topic topic, uint32_t partition,
	const struct kafka_held *message)
{
	struct kafka_lane *lane = &producer->lanes[topic][partition];
	if (producer->held + message->length > HELD_MAX) {
		metric_add(producer->full, 1);
		return false;
	}
	size_t before = kafka_lane_held(lane);
	if (!kafka_lane_add(
		    lane, message->key, message->key_length, message->bytes, message->length))
		fatal("kafka: out of memory");
	producer->held += kafka_lane_held(lane) - before;
	return true;
}

bool kafka_offer(struct kafka_producer *producer, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length)
{
	const struct kafka_held message = { key, bytes, key_length, length };
	if (length > MESSAGE_BYTES_MAX)
		fatal("kafka: message to %s: found %zu bytes, expected at most %d",
			topic_name(topic), length, MESSAGE_BYTES_MAX);
	if (partition >= SHARDS_MAX)
		return producer->rk == NULL || give(producer, topic, partition, &message);
	if (producer->partitions <= partition)
		producer->partitions = partition + 1;
	if (producer->rk == NULL) {
		struct kafka_lane *lane = &producer->lanes[topic][partition];
		lane->acknowledged = lane->left = ++lane->given;
		return true;
	}
	if (producer->pace == KAFKA_SLOW) /* messages wait in their lane until it is due */
		return gather(producer, topic, partition, &message);
	if (!give(producer, topic, partition, &message))
		return false;
	producer->lanes[topic][partition].given++;
	producer->lanes[topic][partition].left++;
	return true;
}

void kafka_produce(struct kafka_producer *producer, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length)
{
	while (!kafka_offer(producer, topic, partition, key, key_length, bytes, length)) {
		kafka_producer_poll(producer);
		lanes_empty(producer, true);
		(void)rd_kafka_poll(producer->rk, 10);
	}
}

void kafka_produced(const struct kafka_producer *producer, enum topic topic, uint32_t partition,
	uint64_t *given_r, uint64_t *acknowledged_r)
{
	const struct kafka_lane *lane =
		partition < SHARDS_MAX ? &producer->lanes[topic][partition] : NULL;
	*given_r = lane == NULL ? 0 : lane->given;
	*acknowledged_r = lane == NULL ? 0 : lane->acknowledged;
}

uint64_t kafka_producer_lost(const struct kafka_producer *producer)
{
	return producer->lost;
}

void kafka_producer_poll(struct kafka_producer *producer)
{
	uint64_t now_us = clock_mono_us();
	if (producer->rk == NULL || now_us < producer->polled_us + POLL_US)
		return;
	producer->polled_us = now_us;
	(void)rd_kafka_poll(producer->rk, 0);
	if (producer->broken &&
		(producer->replaced_us == 0 || now_us >= producer->replaced_us + REPLACE_PAUSE_US))
		replace(producer);
	lanes_empty(producer, false);
}

bool kafka_producer_holds(const struct kafka_producer *producer)
{
	return producer->held > 0;
}

void kafka_producer_connect(struct kafka_producer *producer, enum topic topic)
{
	if (producer->rk != NULL)
		(void)kafka_topic(producer->rk, producer->topics, topic);
}

bool kafka_producer_flush(struct kafka_producer *producer, int timeout_ms)
{
	uint64_t until_us = clock_mono_us() + (uint64_t)timeout_ms * 1000u;
	while (producer->rk != NULL) {
		if (producer->broken)
			replace(producer);
		lanes_empty(producer, true);
		uint64_t now_us = clock_mono_us();
		int left_ms = now_us < until_us ? (int)((until_us - now_us) / 1000u) : 0;
		bool done = rd_kafka_flush(producer->rk, left_ms) == RD_KAFKA_RESP_ERR_NO_ERROR;
		if (!done || producer->held == 0 || left_ms == 0)
			return done && producer->held == 0;
	}
	return true;
}

void kafka_producer_free(struct kafka_producer **producer)
{
	struct kafka_producer *p = *producer;
	if (p == NULL)
		return;
	/* Messages that are still unacknowledged are dropped on purpose: the caller has flushed for
	 * as long as it wanted. */
	if (p->rk != NULL)
		handle_free(p);
	for (int topic = 0; topic < TOPICS_N; topic++)
		for (size_t i = 0; i < p->partitions; i++)
			free(p->lanes[topic][i].bytes);
	free(p);
	*producer = NULL;
}
