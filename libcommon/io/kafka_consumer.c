/* Consumers: partitions are assigned manually, all feed one queue, and an eventfd wakes the
 * caller's loop. */
#include "libcommon/io/private/kafka.h"

#include "libcommon/base/ids.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/kafka_login.h"
#include "libcommon/io/log.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define BOUNDS_TIMEOUT_MS 10000
#define REPAIR_TIMEOUT_MS 100
#define REPAIR_PAUSE_US 1000000
#define POLL_MAX 10000

struct partition {
	bool reading;
	bool lost;	/* its offset is out of range and must move */
	int64_t offset; /* next expected; KAFKA_END after a start at the end */
};

struct kafka_consumer {
	rd_kafka_t *rk; /* NULL: there is no Kafka */
	rd_kafka_queue_t *queue;
	int fd;
	rd_kafka_topic_t *topics[TOPICS_N];
	bool metadata[TOPICS_N];
	struct partition partitions[TOPICS_N][SHARDS_MAX];
	size_t lost;
	int64_t reread;	    /* messages to go back when an offset is past the end */
	uint64_t repair_us; /* time of the last repair */
};

/* What a batch must free. */
struct batch_internal {
	size_t n;
	rd_kafka_message_t **messages;
};

static void *must(void *memory)
{
	if (memory == NULL)
		fatal("kafka: out of memory");
	return memory;
}

static rd_kafka_t *handle_new(
	struct kafka_consumer *consumer, const char *brokers, enum kafka_pace pace)
{
	rd_kafka_conf_t *conf =
		kafka_conf_new(brokers, pace == KAFKA_FAST ? "carillon-fast" : "carillon-slow");
	kafka_conf_set(conf, "fetch.min.bytes", pace == KAFKA_FAST ? "1" : "65536");
	kafka_conf_set(conf, "fetch.wait.max.ms", pace == KAFKA_FAST ? "100" : "50");
	kafka_conf_set(conf, "fetch.error.backoff.ms", "50");
	/* librdkafka must not choose another offset itself: an offset that does not exist becomes
	 * an event, and repair() moves it. */
	kafka_conf_set(conf, "auto.offset.reset", "error");
	kafka_conf_set(conf, "enable.auto.commit", "false");
	kafka_conf_set(conf, "enable.auto.offset.store", "false");
	kafka_conf_set(conf, "queued.max.messages.kbytes", "32768");
	kafka_conf_set(conf, "allow.auto.create.topics", "false");
	rd_kafka_conf_set_opaque(conf, consumer); /* each has connections of its own */
	return kafka_handle_new(RD_KAFKA_CONSUMER, conf);
}

struct kafka_consumer *kafka_consumer_new(const char *brokers, enum kafka_pace pace)
{
	struct kafka_consumer *consumer = must(calloc(1, sizeof(*consumer)));
	consumer->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (consumer->fd < 0)
		fatal("kafka: cannot make an eventfd: %s", strerror(errno));
	if (kafka_is_none(brokers))
		return consumer;
	consumer->rk = handle_new(consumer, brokers, pace);
	consumer->queue = rd_kafka_queue_new(consumer->rk);
	uint64_t one = 1;
	rd_kafka_queue_io_event_enable(consumer->queue, consumer->fd, &one, sizeof(one));
	return consumer;
}

int kafka_consumer_fd(const struct kafka_consumer *consumer)
{
	return consumer->fd;
}

/* Requests the topic's metadata first: a logical offset for an unknown topic costs half a second */
static bool metadata_known(struct kafka_consumer *consumer, enum topic topic, int timeout_ms)
{
	const struct rd_kafka_metadata *metadata;
	rd_kafka_topic_t *rkt = kafka_topic(consumer->rk, consumer->topics, topic);
	if (consumer->metadata[topic])
		return true;
	rd_kafka_resp_err_t error = rd_kafka_metadata(consumer->rk, 0, rkt, &metadata, timeout_ms);
	if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
		log_info("kafka: cannot read the metadata of %s: %s", topic_name(topic),
			rd_kafka_err2str(error));
		return false;
	}
	consumer->metadata[topic] =
		metadata->topic_cnt == 1 && metadata->topics[0].partition_cnt > 0;
	rd_kafka_metadata_destroy(metadata);
	return consumer->metadata[topic];
}

bool kafka_bounds_within(struct kafka_consumer *consumer, enum topic topic, uint32_t partition,
	int timeout_ms, int64_t *first_r, int64_t *next_r)
{
	uint64_t until = clock_mono_us() + (uint64_t)timeout_ms * 1000u;
	if (consumer->rk == NULL) {
		*first_r = *next_r = 0;
		return true;
	}
	if (!metadata_known(consumer, topic, timeout_ms))
		return false;
	for (;;) {
		uint64_t now = clock_mono_us();
		int left_ms = now >= until ? 0 : (int)((until - now) / 1000u);
		rd_kafka_resp_err_t error = rd_kafka_query_watermark_offsets(consumer->rk,
			topic_name(topic), (int32_t)partition, first_r, next_r, left_ms);
		if (error == RD_KAFKA_RESP_ERR_NO_ERROR)
			return true;
		if (clock_mono_us() >= until || left_ms == 0) {
			log_info("kafka: cannot read the first and last offset of %s, "
				 "partition %u: %s",
				topic_name(topic), partition, rd_kafka_err2str(error));
			return false;
		}
		(void)usleep(20000); /* leader election is in progress */
	}
}

bool kafka_bounds(struct kafka_consumer *consumer, enum topic topic, uint32_t partition,
	int64_t *first_r, int64_t *next_r)
{
	return kafka_bounds_within(consumer, topic, partition, BOUNDS_TIMEOUT_MS, first_r, next_r);
}

int64_t kafka_offset_near(
	enum topic topic, uint32_t partition, int64_t offset, int64_t first, int64_t next)
{
	if (offset == KAFKA_END)
		return next;
	if (offset >= first && offset <= next)
		return offset;
	int64_t nearest = offset < first ? first : next;
	log_warn_as("kafka.offset.missing",
		"kafka: %s, partition %u: offset %lld does not exist, Kafka has %lld to %lld; "
		"reading continues at %lld",
		topic_name(topic), partition, (long long)offset, (long long)first,
		(long long)next - 1, (long long)nearest);
	return nearest;
}

static void start(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition, int64_t offset)
{
	rd_kafka_topic_t *rkt = kafka_topic(consumer->rk, consumer->topics, topic);
	int64_t where = offset == KAFKA_END  ? RD_KAFKA_OFFSET_END
			: offset < KAFKA_END ? RD_KAFKA_OFFSET_TAIL(KAFKA_END - offset)
					     : offset;
	if (rd_kafka_consume_start_queue(rkt, (int32_t)partition, where, consumer->queue) != 0)
		fatal("kafka: cannot read %s, partition %u: %s", topic_name(topic), partition,
			rd_kafka_err2str(rd_kafka_last_error()));
}

static void restart(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition, int64_t offset)
{
	if (consumer->rk == NULL)
		return;
	kafka_consume_stop(consumer, topic, partition);
	start(consumer, topic, partition, offset);
	consumer->partitions[topic][partition] =
		(struct partition){ .reading = true, .offset = offset };
}

void kafka_consume(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition, int64_t offset)
{
	int64_t first;
	int64_t next;
	assert(partition < SHARDS_MAX);
	/* Without an answer from Kafka the offset is taken as it is. When Kafka is back and rejects
	 * it, repair() moves it. */
	if (kafka_bounds_within(consumer, topic, partition, REPAIR_TIMEOUT_MS, &first, &next))
		offset = kafka_offset_near(topic, partition, offset, first, next);
	restart(consumer, topic, partition, offset);
}

void kafka_consume_at(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition, int64_t offset)
{
	assert(partition < SHARDS_MAX);
	restart(consumer, topic, partition, offset);
}

/* An offset below KAFKA_END counts from the end. If Kafka has fewer messages, the first one is
 * read, where repair() moves to. */
void kafka_consume_last(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition, int64_t n)
{
	assert(partition < SHARDS_MAX);
	restart(consumer, topic, partition, KAFKA_END - n);
	if (n > 0)
		consumer->partitions[topic][partition].offset = 0;
}

void kafka_reread(struct kafka_consumer *consumer, int64_t n)
{
	consumer->reread = n;
}

void kafka_consume_stop(struct kafka_consumer *consumer, enum topic topic, uint32_t partition)
{
	assert(partition < SHARDS_MAX);
	struct partition *p = &consumer->partitions[topic][partition];
	if (!p->reading)
		return;
	if (rd_kafka_consume_stop(consumer->topics[topic], (int32_t)partition) != 0)
		log_warn_as("kafka.read.unstoppable",
			"kafka: cannot stop reading %s, partition %u: %s", topic_name(topic),
			partition, rd_kafka_err2str(rd_kafka_last_error()));
	if (p->lost)
		consumer->lost--;
	*p = (struct partition){ 0 };
}

static bool topic_find(
	const struct kafka_consumer *consumer, const rd_kafka_topic_t *rkt, enum topic *topic_r)
{
	for (int i = 0; i < TOPICS_N; i++) {
		if (consumer->topics[i] != NULL && rkt == consumer->topics[i]) {
			*topic_r = (enum topic)i;
			return true;
		}
	}
	return false;
}

/* Moves partitions whose offset Kafka rejected to the nearest existing offset. Retries after a
 * second if Kafka does not answer. */
static void repair(struct kafka_consumer *consumer)
{
	uint64_t now = clock_mono_us();
	if (consumer->lost == 0 || now < consumer->repair_us + REPAIR_PAUSE_US)
		return;
	consumer->repair_us = now;
	for (int t = 0; t < TOPICS_N; t++) {
		for (uint32_t i = 0; i < SHARDS_MAX; i++) {
			struct partition *p = &consumer->partitions[t][i];
			int64_t first;
			int64_t next;
			if (!p->lost)
				continue;
			if (!kafka_bounds_within(
				    consumer, (enum topic)t, i, REPAIR_TIMEOUT_MS, &first, &next))
				return;
			int64_t offset =
				kafka_offset_near((enum topic)t, i, p->offset, first, next);
			if (p->offset > next)
				offset = next - first > consumer->reread ? next - consumer->reread
									 : first;
			restart(consumer, (enum topic)t, i, offset);
		}
	}
}

static void event_handle(struct kafka_consumer *consumer, const rd_kafka_message_t *message)
{
	enum topic topic;
	if (message->rkt == NULL || !topic_find(consumer, message->rkt, &topic) ||
		message->partition < 0 || message->partition >= SHARDS_MAX) {
		log_info("kafka: %s", rd_kafka_message_errstr(message));
		return;
	}
	struct partition *p = &consumer->partitions[topic][message->partition];
	bool offset_refused = message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET ||
			      message->err == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE ||
			      message->err == RD_KAFKA_RESP_ERR__NO_OFFSET;
	log_info("kafka: %s, partition %d: %s", topic_name(topic), (int)message->partition,
		rd_kafka_message_errstr(message));
	if (offset_refused && p->reading && !p->lost) {
		p->lost = true;
		consumer->lost++;
	}
}

/* Takes one message into the batch. False for an event or a partition that is no longer read. */
static bool message_take(struct kafka_consumer *consumer, const rd_kafka_message_t *from,
	struct kafka_message *message_r)
{
	enum topic topic;
	if (from->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
		event_handle(consumer, from);
		return false;
	}
	if (!topic_find(consumer, from->rkt, &topic) || from->partition < 0 ||
		from->partition >= SHARDS_MAX)
		return false;
	struct partition *p = &consumer->partitions[topic][from->partition];
	if (!p->reading || (p->offset != KAFKA_END && from->offset < p->offset))
		return false;
	p->offset = from->offset + 1;
	const char *sender;
	bool is_signed = kafka_signed(from, topic, &sender);
	*message_r = (struct kafka_message){
		.topic = topic,
		.partition = (uint32_t)from->partition,
		.offset = from->offset,
		.key = from->key,
		.key_length = from->key_len,
		.bytes = from->payload,
		.length = from->len,
		.refused = !is_signed,
		.sender = sender,
	};
	return true;
}

static size_t queue_drain(struct kafka_consumer *consumer, rd_kafka_message_t **out, size_t max)
{
	/* rd_kafka_consume_batch_queue waits for a full batch, so the first message is read by the
	 * call that does not wait. */
	out[0] = rd_kafka_consume_queue(consumer->queue, 0);
	if (out[0] == NULL)
		return 0;
	ssize_t more =
		max > 1 ? rd_kafka_consume_batch_queue(consumer->queue, 0, out + 1, max - 1) : 0;
	return 1 + (more > 0 ? (size_t)more : 0);
}

struct kafka_batch kafka_poll(struct kafka_consumer *consumer, size_t max)
{
	struct kafka_batch batch = { 0 };
	rd_kafka_message_t *found[POLL_MAX];
	uint64_t wakes;
	if (max > POLL_MAX)
		max = POLL_MAX;
	assert(max > 0);
	if (consumer->rk == NULL)
		return batch;
	(void)rd_kafka_poll(consumer->rk, 0);
	repair(consumer);
	/* Cleared before reading: a message that arrives after this wakes the loop again. */
	(void)!read(consumer->fd, &wakes, sizeof(wakes));
	size_t n = queue_drain(consumer, found, max);
	if (n == 0)
		return batch;
	if (n == max) {
		/* librdkafka signals only when an empty queue fills: signal the remaining messages
		 * ourselves */
		uint64_t one = 1;
		(void)!write(consumer->fd, &one, sizeof(one));
	}
	struct batch_internal *internal = must(malloc(sizeof(*internal)));
	internal->n = n;
	internal->messages = must(malloc(n * sizeof(rd_kafka_message_t *)));
	memcpy(internal->messages, found, n * sizeof(rd_kafka_message_t *));
	batch.internal = internal;
	batch.messages = must(malloc(n * sizeof(*batch.messages)));
	for (size_t i = 0; i < n; i++)
		if (message_take(consumer, found[i], &batch.messages[batch.n]))
			batch.n++;
	return batch;
}

void kafka_batch_free(struct kafka_batch *batch)
{
	struct batch_internal *internal = batch->internal;
	if (internal == NULL)
		return;
	for (size_t i = 0; i < internal->n; i++)
		rd_kafka_message_destroy(internal->messages[i]);
	free(internal->messages);
	free(internal);
	free(batch->messages);
	*batch = (struct kafka_batch){ 0 };
}

int64_t kafka_lag(const struct kafka_consumer *consumer, enum topic topic, uint32_t partition)
{
	int64_t first = 0;
	int64_t next = 0;
	const struct partition *p = &consumer->partitions[topic][partition];
	if (!p->reading || p->offset < 0 ||
		rd_kafka_get_watermark_offsets(consumer->rk, topic_name(topic), (int32_t)partition,
			&first, &next) != RD_KAFKA_RESP_ERR_NO_ERROR ||
		next < p->offset)
		return -1;
	return next - p->offset;
}

int64_t kafka_read_all(const struct kafka_consumer *consumer, enum topic topic, uint32_t partition)
{
	return kafka_lag(consumer, topic, partition) == 0
		       ? consumer->partitions[topic][partition].offset
		       : KAFKA_END;
}

void kafka_consumer_free(struct kafka_consumer **consumer)
{
	struct kafka_consumer *c = *consumer;
	if (c == NULL)
		return;
	for (int t = 0; t < TOPICS_N; t++)
		for (uint32_t i = 0; i < SHARDS_MAX; i++)
			kafka_consume_stop(c, (enum topic)t, i);
	if (c->queue != NULL)
		rd_kafka_queue_destroy(c->queue);
	for (int t = 0; t < TOPICS_N; t++)
		if (c->topics[t] != NULL)
			rd_kafka_topic_destroy(c->topics[t]);
	if (c->rk != NULL)
		kafka_login_end(c->rk);
	(void)close(c->fd);
	free(c);
	*consumer = NULL;
}
