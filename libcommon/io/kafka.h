/* Kafka by librdkafka, with the settings that were measured (docs/architecture.md): explicit
 * partitions, manual assignment, no groups. */
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
const char *topic_name(enum topic topic); /* "spin.commands" */

/* FAST: commands; linger 0, no compression, fetch.min.bytes 1. SLOW: facts; linger 20 ms, lz4, 64
 * KB or 50 ms a fetch. BULK, for producers only: commands under load; as FAST, but linger 5 ms. */
enum kafka_pace { KAFKA_FAST, KAFKA_SLOW, KAFKA_BULK };

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

/* Producers: acks=all, idempotent, no message time-out. A fatal error of librdkafka ends the
 * process. Both are created connected or not: they connect by themselves and again. */
struct kafka_producer *kafka_producer_new(const char *brokers, enum kafka_pace pace);
/* Copies key and bytes. Waits (serving the queue) when librdkafka's queue is full. */
void kafka_produce(struct kafka_producer *producer, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length);
/* Makes the topic known to the producer ahead, so that the first message does not wait for
 * metadata. */
void kafka_producer_connect(struct kafka_producer *producer, enum topic topic);
/* How many messages for a partition it was given, and how many of those Kafka has acknowledged: in
 * order, so the first ones. */
void kafka_produced(const struct kafka_producer *producer, enum topic topic, uint32_t partition,
	uint64_t *given_r, uint64_t *acknowledged_r);
void kafka_producer_poll(
	struct kafka_producer *producer); /* serve delivery reports; call each turn */
bool kafka_producer_flush(struct kafka_producer *producer, int timeout_ms); /* all acknowledged? */
void kafka_producer_free(struct kafka_producer **producer);

struct kafka_consumer *kafka_consumer_new(const char *brokers, enum kafka_pace pace);
int kafka_consumer_fd(
	const struct kafka_consumer *consumer); /* readable when there may be messages: for epoll */
#define KAFKA_END (-1)
/* Starts a partition at an offset, or at its end. An offset past the end or already deleted is
 * moved to the nearest there is, with a warning. */
void kafka_consume(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition, int64_t offset);
/* The same for an offset that is known to be there (kafka_bounds, kafka_offset_near): asks Kafka
 * nothing. A broker answers the requests of one connection one after the other, so that a question
 * behind a waiting fetch takes up to 100 ms: loops ask by a handle of their own. Should the offset
 * be gone after all, it is moved as above. False when Kafka did not even tell about the topic; then
 * nothing was started. */
bool kafka_consume_at(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition, int64_t offset);
void kafka_consume_stop(struct kafka_consumer *consumer, enum topic topic, uint32_t partition);
/* Up to max messages that are there now, never waits. */
struct kafka_batch kafka_poll(struct kafka_consumer *consumer, size_t max);
/* A copy that needs neither the batch nor its consumer any more; freed likewise. */
struct kafka_batch kafka_batch_copy(const struct kafka_batch *batch);
void kafka_batch_free(struct kafka_batch *batch);
/* Ask the broker: first offset kept and the next offset to be written. Waits up to 10 s, false
 * then. */
bool kafka_bounds(struct kafka_consumer *consumer, enum topic topic, uint32_t partition,
	int64_t *first_r, int64_t *next_r);
/* The same with a time limit of the caller's: for loops that hold a lease. */
bool kafka_bounds_within(struct kafka_consumer *consumer, enum topic topic, uint32_t partition,
	int timeout_ms, int64_t *first_r, int64_t *next_r);
/* The offset itself if it is first..next, else the nearest of these, with a warning in the log.
 * KAFKA_END is next. */
int64_t kafka_offset_near(
	enum topic topic, uint32_t partition, int64_t offset, int64_t first, int64_t next);
/* Messages behind the one read last, as far as the last fetch told; -1 when not known. */
int64_t kafka_lag(const struct kafka_consumer *consumer, enum topic topic, uint32_t partition);
/* The message at an offset, e.g. the last one before `next`, read by a short-lived consumer of its
 * own; batch of 0 or 1. */
struct kafka_batch kafka_read_at(
	const char *brokers, enum topic topic, uint32_t partition, int64_t offset);
void kafka_consumer_free(struct kafka_consumer **consumer);

#endif
