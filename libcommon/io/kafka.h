/* Kafka by librdkafka: explicit partitions, manual assignment, no consumer groups. The settings
 * come from measurements (docs/performance.md). */
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

/* FAST favours latency: producers send at once, without compression; consumers fetch as soon as
 * there is one byte. SLOW favours volume: producers send at most one request a partition every 40
 * ms (kafka_lane.h), compressed with lz4; consumers fetch 64 KB, or less after 50 ms. service_send
 * chooses the pace by topic (service.h). */
enum kafka_pace { KAFKA_FAST, KAFKA_SLOW };

struct kafka_producer;
struct kafka_consumer;

/* This value in place of the brokers' addresses means that the installation has no Kafka. Producers
 * then drop what they are given and count it as acknowledged; consumers read nothing, and every
 * topic is empty. */
#define KAFKA_NONE "none"
bool kafka_is_none(const char *brokers);
/* Why Kafka does not let this process in, with the file of its user and password, what was found
 * and what was expected (kafka_login.h); "" if no log-in failed in the last 10 s. */
const char *kafka_login_refusal(void);

struct kafka_message {
	enum topic topic;
	uint32_t partition;
	int64_t offset;
	const uint8_t *key, *bytes; /* valid until kafka_batch_free */
	size_t key_length, length;
	bool refused;	    /* its MAC is missing or wrong: skip it (event_mac.h) */
	const char *sender; /* the service whose MAC it has; NULL: no MAC was checked */
};
struct kafka_batch {
	struct kafka_message *messages;
	size_t n;
	void *internal;
};

/* Producers: acks=all, idempotent, no message timeout. After a fatal error of librdkafka, or a
 * message that can never be delivered, kafka_producer_poll replaces the librdkafka producer inside;
 * messages on their way are lost and count as acknowledged. Producers and consumers connect and
 * reconnect by themselves; creating one does not wait for Kafka. */
struct kafka_producer *kafka_producer_new(const char *brokers, enum kafka_pace pace);
/* Copies key and bytes. Waits while librdkafka's queue is full. */
void kafka_produce(struct kafka_producer *producer, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length);
/* The same without waiting. False: the queue is full, and the message is not taken. */
bool kafka_offer(struct kafka_producer *producer, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length);
/* Fetches the topic's metadata in advance, so that the first message does not wait for it. */
void kafka_producer_connect(struct kafka_producer *producer, enum topic topic);
/* Counts the messages given to the producer for a partition, and those that Kafka has acknowledged.
 * Kafka acknowledges them in order. */
void kafka_produced(const struct kafka_producer *producer, enum topic topic, uint32_t partition,
	uint64_t *given_r, uint64_t *acknowledged_r);
/* A number that grows whenever the producer loses messages, of any partition. */
uint64_t kafka_producer_lost(const struct kafka_producer *producer);
/* Serves delivery reports and sends the messages that are due. Call it each turn. */
void kafka_producer_poll(struct kafka_producer *producer);
/* Does the producer hold messages that are not due yet? If so, call kafka_producer_poll within 10
 * ms. */
bool kafka_producer_holds(const struct kafka_producer *producer);
/* True when Kafka has acknowledged all messages. */
bool kafka_producer_flush(struct kafka_producer *producer, int timeout_ms);
void kafka_producer_free(struct kafka_producer **producer);

struct kafka_consumer *kafka_consumer_new(const char *brokers, enum kafka_pace pace);
/* For epoll: readable when there may be messages. */
int kafka_consumer_fd(const struct kafka_consumer *consumer);
#define KAFKA_END (-1)
/* Starts to read a partition at an offset, or at its end (KAFKA_END). If the offset is past the end
 * or already deleted, reading starts at the nearest existing one, with a warning in the log. */
void kafka_consume(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition, int64_t offset);
/* The same for an offset that is known to exist (from kafka_bounds or kafka_offset_near). Never
 * waits, because it sends no request to Kafka. If the offset does not exist after all (it may
 * disappear while Kafka is away), reading moves to the nearest existing one. A loop queries offsets
 * with a second consumer: a broker answers the requests of a connection in order, so behind a
 * waiting fetch a query would take up to 100 ms. */
void kafka_consume_at(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition, int64_t offset);
/* Starts to read the last n messages of a partition, and all that follow, once Kafka answers. Never
 * waits. */
void kafka_consume_last(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition, int64_t n);
/* Sets where reading continues if an offset is past the end of a partition: n messages before the
 * end (0 without this call). An offset can be past the end only if Kafka was restarted empty or has
 * lost its newest messages. The messages that are now at the end of the partition may then be new
 * to us. */
void kafka_reread(struct kafka_consumer *consumer, int64_t n);
void kafka_consume_stop(struct kafka_consumer *consumer, enum topic topic, uint32_t partition);
/* Up to max messages that have arrived. Does not wait for messages. If Kafka has rejected the
 * offset of a partition, the call also asks Kafka, at most once a second, for an offset that
 * exists. It sends this query for one such partition after another, waits up to 100 ms for each
 * reply, and stops at the first partition that gets none. */
struct kafka_batch kafka_poll(struct kafka_consumer *consumer, size_t max);
void kafka_batch_free(struct kafka_batch *batch);
/* Queries the broker: *first_r is the first offset that it still has, *next_r the offset of the
 * next message. False after 10 s without a reply. */
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
/* The offset after the last message, if all messages were read; KAFKA_END: not so, or not known. */
int64_t kafka_read_all(const struct kafka_consumer *consumer, enum topic topic, uint32_t partition);
void kafka_consumer_free(struct kafka_consumer **consumer);

#endif
