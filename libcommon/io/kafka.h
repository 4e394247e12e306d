/* Kafka by librdkafka: explicit partitions, manual assignment, no consumer groups. The settings
 * come from measurements (docs/architecture.md). */
#ifndef CARILLON_IO_KAFKA_H
#define CARILLON_IO_KAFKA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum topic {
	TOPIC_SPIN_COMMANDS = 0,
	TOPIC_WALLET_COMMANDS,
	TOPIC_WALLET_FACTS,
	TOPIC_JACKPOT_FEED,
	TOPIC_JACKPOT_COMMANDS,
	TOPIC_JACKPOT_FACTS,
	TOPIC_DEAD_LETTERS,
	TOPICS_N
};
/* "wallet.facts". The commands are named like topics but travel by nanomsg (service.h). */
const char *topic_name(enum topic topic);

/* FAST favours latency: producers linger 0 ms without compression, consumers fetch as soon as there
 * is one byte. SLOW favours volume: producers linger 20 ms with lz4, consumers fetch 64 KB, or less
 * after 50 ms. service_send chooses the pace by topic (service.h). */
enum kafka_pace { KAFKA_FAST, KAFKA_SLOW };

struct kafka_producer;
struct kafka_consumer;

struct kafka_message {
	enum topic topic;
	uint32_t partition;
	int64_t offset;
	const uint8_t *key, *bytes; /* valid until kafka_batch_free */
	size_t key_length, length;
};
struct kafka_batch {
	struct kafka_message *messages;
	size_t n;
	void *internal;
};

/* Producers: acks=all, idempotent, no message timeout. A fatal error of librdkafka ends the
 * process. Producers and consumers connect and reconnect by themselves; creating one does not wait
 * for Kafka. */
struct kafka_producer *kafka_producer_new(const char *brokers, enum kafka_pace pace);
/* Copies key and bytes. While librdkafka's queue is full, waits and serves the queue. */
void kafka_produce(struct kafka_producer *producer, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length);
/* The same without waiting. False: the queue is full, and the message is not taken. */
bool kafka_offer(struct kafka_producer *producer, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length);
/* Fetches the topic's metadata ahead, so the first message does not wait for it. */
void kafka_producer_connect(struct kafka_producer *producer, enum topic topic);
/* Counts the messages given to the producer for a partition, and those that Kafka has acknowledged.
 * Kafka acknowledges them in order. */
void kafka_produced(const struct kafka_producer *producer, enum topic topic, uint32_t partition,
	uint64_t *given_r, uint64_t *acknowledged_r);
/* Serves delivery reports. Call each turn. */
void kafka_producer_poll(struct kafka_producer *producer);
/* True when Kafka has acknowledged all messages. */
bool kafka_producer_flush(struct kafka_producer *producer, int timeout_ms);
void kafka_producer_free(struct kafka_producer **producer);

struct kafka_consumer *kafka_consumer_new(const char *brokers, enum kafka_pace pace);
/* For epoll: readable when there may be messages. */
int kafka_consumer_fd(const struct kafka_consumer *consumer);
#define KAFKA_END (-1)
/* Starts to read a partition at an offset, or at its end (KAFKA_END). An offset that is past the
 * end or already deleted moves to the nearest existing one, with a warning. */
void kafka_consume(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition, int64_t offset);
/* The same for an offset that is known to exist (from kafka_bounds, kafka_offset_near); sends no
 * request to Kafka. A broker answers the requests of a connection in order, so a request that
 * follows a waiting fetch takes up to 100 ms: loops ask for offsets through a second consumer. If
 * the offset is gone after all, it moves as above. False when Kafka gives no metadata for the
 * topic; then nothing was started. */
bool kafka_consume_at(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition, int64_t offset);
void kafka_consume_stop(struct kafka_consumer *consumer, enum topic topic, uint32_t partition);
/* Up to max messages that have arrived. Never waits. */
struct kafka_batch kafka_poll(struct kafka_consumer *consumer, size_t max);
/* A copy that outlives the batch and its consumer; freed by kafka_batch_free. */
struct kafka_batch kafka_batch_copy(const struct kafka_batch *batch);
void kafka_batch_free(struct kafka_batch *batch);
/* Asks the broker for the first offset it keeps and the next offset it will write. False after 10 s
 * without a reply. */
bool kafka_bounds(struct kafka_consumer *consumer, enum topic topic, uint32_t partition,
	int64_t *first_r, int64_t *next_r);
/* The same with the caller's time limit, for loops that hold a lease. */
bool kafka_bounds_within(struct kafka_consumer *consumer, enum topic topic, uint32_t partition,
	int timeout_ms, int64_t *first_r, int64_t *next_r);
/* The offset itself if it is in first..next; else the nearer of the two, with a warning in the log.
 * KAFKA_END gives next. */
int64_t kafka_offset_near(
	enum topic topic, uint32_t partition, int64_t offset, int64_t first, int64_t next);
/* Messages after the last one read, as of the last fetch; -1 when unknown. */
int64_t kafka_lag(const struct kafka_consumer *consumer, enum topic topic, uint32_t partition);
/* The message at an offset, for instance the last one before `next`. Uses a short-lived consumer of
 * its own. The batch has 0 or 1 messages. */
struct kafka_batch kafka_read_at(
	const char *brokers, enum topic topic, uint32_t partition, int64_t offset);
void kafka_consumer_free(struct kafka_consumer **consumer);

#endif
