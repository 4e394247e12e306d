/* Producers. */
#include "libcommon/io/private/kafka.h"

#include "libcommon/base/ids.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"

#include <stdio.h>
#include <stdlib.h>

#define MESSAGE_BYTES_MAX 1000000 /* Kafka's own limit, less its overhead */

struct kafka_producer {
	rd_kafka_t *rk;
	rd_kafka_topic_t *topics[TOPICS_N];
	struct metric *produced[TOPICS_N];
	struct metric *full;
	uint64_t given[TOPICS_N][SHARDS_MAX], acknowledged[TOPICS_N][SHARDS_MAX];
};

/* With message.timeout.ms=0 and idempotence a message is retried for ever. A message that fails
 * nevertheless can never be delivered, and no later message may arrive without it. */
static void on_delivery(rd_kafka_t *rk, const rd_kafka_message_t *message, void *opaque)
{
	struct kafka_producer *producer = opaque;
	(void)rk;
	if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
		for (int topic = 0; topic < TOPICS_N; topic++)
			if (producer->topics[topic] == message->rkt && message->partition >= 0 &&
				message->partition < SHARDS_MAX)
				producer->acknowledged[topic][message->partition]++;
		return;
	}
	if (message->err == RD_KAFKA_RESP_ERR__PURGE_QUEUE ||
		message->err == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT)
		return;
	fatal("kafka: message to %s, partition %d, is not delivered: %s",
		rd_kafka_topic_name(message->rkt), (int)message->partition,
		rd_kafka_err2str(message->err));
}

/* With linger 0 librdkafka's thread polls without a pause while five requests are unanswered, which
 * under load is most of the time. */
static const struct {
	const char *name, *linger_ms, *compression;
} PACES[] = {
	[KAFKA_FAST] = { "carillon-fast", "0", "none" },
	[KAFKA_SLOW] = { "carillon-slow", "20", "lz4" },
};

struct kafka_producer *kafka_producer_new(const char *brokers, enum kafka_pace pace)
{
	struct kafka_producer *producer = calloc(1, sizeof(*producer));
	if (producer == NULL)
		fatal("kafka: out of memory");
	rd_kafka_conf_t *conf = kafka_conf_new(brokers, PACES[pace].name);
	kafka_conf_set(conf, "enable.idempotence", "true");
	kafka_conf_set(conf, "acks", "all");
	kafka_conf_set(conf, "message.timeout.ms", "0");
	kafka_conf_set(conf, "retry.backoff.ms", "50");
	kafka_conf_set(conf, "linger.ms", PACES[pace].linger_ms);
	kafka_conf_set(conf, "compression.codec", PACES[pace].compression);
	/* Room for an outage of Kafka under load. */
	kafka_conf_set(conf, "queue.buffering.max.messages", "500000");
	kafka_conf_set(conf, "queue.buffering.max.kbytes", "262144");
	rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
	rd_kafka_conf_set_opaque(conf, producer);
	producer->rk = kafka_handle_new(RD_KAFKA_PRODUCER, conf);
	producer->full = metric_counter("carillon_kafka_queue_full_total", NULL,
		"Messages that did not fit into librdkafka's queue.");
	return producer;
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

bool kafka_offer(struct kafka_producer *producer, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length)
{
	rd_kafka_topic_t *rkt = kafka_topic(producer->rk, producer->topics, topic);
	if (length > MESSAGE_BYTES_MAX)
		fatal("kafka: message to %s: found %zu bytes, expected at most %d",
			topic_name(topic), length, MESSAGE_BYTES_MAX);
	/* librdkafka copies the payload (F_COPY) and never writes to it; its parameter only lacks
	 * the const. */
	void *payload = (void *)(uintptr_t)bytes;
	if (rd_kafka_produce(rkt, (int32_t)partition, RD_KAFKA_MSG_F_COPY, payload, length, key,
		    key_length, NULL) != 0) {
		rd_kafka_resp_err_t error = rd_kafka_last_error();
		if (error != RD_KAFKA_RESP_ERR__QUEUE_FULL)
			fatal("kafka: message to %s, partition %u: %s", topic_name(topic),
				partition, rd_kafka_err2str(error));
		metric_add(producer->full, 1);
		return false;
	}
	if (partition < SHARDS_MAX)
		producer->given[topic][partition]++;
	metric_add(produced_metric(producer, topic), 1);
	return true;
}

void kafka_produce(struct kafka_producer *producer, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length)
{
	while (!kafka_offer(producer, topic, partition, key, key_length, bytes, length))
		(void)rd_kafka_poll(producer->rk, 10);
}

void kafka_produced(const struct kafka_producer *producer, enum topic topic, uint32_t partition,
	uint64_t *given_r, uint64_t *acknowledged_r)
{
	*given_r = partition < SHARDS_MAX ? producer->given[topic][partition] : 0;
	*acknowledged_r = partition < SHARDS_MAX ? producer->acknowledged[topic][partition] : 0;
}

void kafka_producer_poll(struct kafka_producer *producer)
{
	(void)rd_kafka_poll(producer->rk, 0);
}

void kafka_producer_connect(struct kafka_producer *producer, enum topic topic)
{
	(void)kafka_topic(producer->rk, producer->topics, topic);
}

bool kafka_producer_flush(struct kafka_producer *producer, int timeout_ms)
{
	return rd_kafka_flush(producer->rk, timeout_ms) == RD_KAFKA_RESP_ERR_NO_ERROR;
}

void kafka_producer_free(struct kafka_producer **producer)
{
	struct kafka_producer *p = *producer;
	if (p == NULL)
		return;
	/* Messages that are still unacknowledged are dropped on purpose: the caller has flushed for
	 * as long as it wanted. */
	(void)rd_kafka_purge(p->rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
	(void)rd_kafka_flush(p->rk, 100);
	for (int i = 0; i < TOPICS_N; i++)
		if (p->topics[i] != NULL)
			rd_kafka_topic_destroy(p->topics[i]);
	rd_kafka_destroy(p->rk);
	free(p);
	*producer = NULL;
}
