/* Kafka's broker and its consumers: partitions that only grow, except when the broker loses their
 * tails; consumers as kafka_consumer.c makes them. */
#include "tests/sim/servers/kafka.h"
#include "tests/sim/fake.h"

#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FAKE(topic_name);
FAKE(kafka_consumer_new);
FAKE(kafka_consumer_fd);
FAKE(kafka_bounds_within);
FAKE(kafka_bounds);
FAKE(kafka_offset_near);
FAKE(kafka_consume);
FAKE(kafka_consume_at);
FAKE(kafka_consume_stop);
FAKE(kafka_poll);
FAKE(kafka_batch_free);
FAKE(kafka_lag);
FAKE(kafka_consumer_free);

#define CONSUMERS_MAX 128
#define REPAIR_PAUSE_US 1000000
#define METADATA_MS 500
#define STEP_US 20000

static const char *const TOPIC_NAMES[TOPICS_N] = {
	[TOPIC_SPIN_COMMANDS] = "spin.commands",
	[TOPIC_WALLET_COMMANDS] = "wallet.commands",
	[TOPIC_WALLET_FACTS] = "wallet.facts",
	[TOPIC_JACKPOT_FEED] = "jackpot.feed",
	[TOPIC_JACKPOT_COMMANDS] = "jackpot.commands",
	[TOPIC_JACKPOT_FACTS] = "jackpot.facts",
	[TOPIC_DEAD_LETTERS] = "dead.letters",
};

const char *__wrap_topic_name(enum topic topic)
{
	return TOPIC_NAMES[topic];
}

#define READERS_MAX 16

struct log {
	struct record *records;
	size_t n, room;
	struct kafka_consumer *readers[READERS_MAX];
	size_t readers_n;
};

struct reading {
	bool reading, lost, fetching;
	int64_t offset;	 /* next to hand out; KAFKA_END: not known yet */
	int64_t visible; /* fetched up to here */
};

struct kafka_consumer {
	bool used;
	struct sim_process *process;
	enum kafka_pace pace;
	int fd;
	uint64_t life;
	bool metadata[TOPICS_N];
	struct reading readings[TOPICS_N][PARTITIONS_MAX];
	size_t lost;
	uint64_t repair_us;
};

static struct log logs[TOPICS_N][PARTITIONS_MAX];
static struct kafka_consumer consumers[CONSUMERS_MAX];
static uint64_t lives;
static sim_kafka_filter *filter;
static sim_bus_filter *bus_filter_set;

sim_bus_filter *bus_filter(void)
{
	return bus_filter_set;
}

sim_kafka_filter *kafka_filter(void)
{
	return filter;
}

void sim_filter(sim_kafka_filter *kafka, sim_bus_filter *bus)
{
	filter = kafka;
	bus_filter_set = bus;
}

/* ---- the broker --------------------------------------------------------------------------------
 */

bool kafka_broker_up(void)
{
	return sim_faults.kafka_up && !sim_faults.disk_full;
}

void kafka_partition_check(enum topic topic, uint32_t partition)
{
	if (partition >= PARTITIONS_MAX || partition >= sim_world.shards)
		sim_fail("%s: found partition %u, expected one of %u", topic_name(topic), partition,
			sim_world.shards);
}

static struct log *log_of(enum topic topic, uint32_t partition)
{
	kafka_partition_check(topic, partition);
	return &logs[topic][partition];
}

static void readable_set(struct kafka_consumer *consumer)
{
	bool readable = consumer->lost > 0;
	for (int t = 0; t < TOPICS_N && !readable; t++)
		for (uint32_t p = 0; p < sim_world.shards; p++) {
			const struct reading *r = &consumer->readings[t][p];
			readable |= r->reading && r->offset >= 0 && r->visible > r->offset;
		}
	sim_fd_set(consumer->fd, readable);
}

#define FETCH_NUMBER(c, t, p) ((c)->life << 16 | (uint64_t)(t) << 8 | (p))

static void fetched(void *context, uint64_t number)
{
	struct kafka_consumer *consumer = context;
	uint32_t topic = (number >> 8) & 0xff;
	uint32_t partition = number & 0xff;
	struct reading *reading = &consumer->readings[topic][partition];
	if (!consumer->used || consumer->life != number >> 16 || !reading->fetching)
		return;
	reading->fetching = false;
	if (!reading->reading || !sim_faults.kafka_up)
		return;
	int64_t end = (int64_t)logs[topic][partition].n;
	if (reading->offset == KAFKA_END)
		reading->offset = end;
	if (reading->offset > end && !reading->lost) {
		reading->lost = true;
		consumer->lost++;
	}
	reading->visible = end;
	readable_set(consumer);
}

/* What is there, or comes, reaches a consumer after the time of a fetch; the slow ones wait for
 * more. */
static void fetch_soon(struct kafka_consumer *consumer, enum topic topic, uint32_t partition)
{
	struct reading *reading = &consumer->readings[topic][partition];
	if (reading->fetching || !reading->reading)
		return;
	reading->fetching = true;
	uint64_t us = consumer->pace == KAFKA_SLOW ? stream_us(STREAM_TIMES, 1000, 50000)
						   : stream_us(STREAM_TIMES, 100, 800);
	if (stream_chance(STREAM_KAFKA, sim_faults.kafka_late_ppm))
		us += stream_us(STREAM_KAFKA, 1000, 2000000);
	event_at(sim_now_us() + us, fetched, consumer, FETCH_NUMBER(consumer, topic, partition));
}

void kafka_append(enum topic topic, uint32_t partition, struct record record)
{
	struct log *log = log_of(topic, partition);
	if (log->n == log->room) {
		log->room = log->room == 0 ? 256 : 2 * log->room;
		log->records = realloc(log->records, log->room * sizeof(*log->records));
		if (log->records == NULL)
			abort();
	}
	record.appended_us = sim_now_us();
	if (sim_tracing())
		sim_trace("%s %u @%zu%s", topic_name(topic), partition, log->n,
			trace_kafka(topic, record.bytes, record.n));
	log->records[log->n++] = record;
	for (size_t i = 0; i < log->readers_n; i++)
		fetch_soon(log->readers[i], topic, partition);
}

/* ---- consumers ---------------------------------------------------------------------------------
 */

struct kafka_consumer *__wrap_kafka_consumer_new(const char *brokers, enum kafka_pace pace)
{
	(void)brokers;
	for (size_t i = 0; i < CONSUMERS_MAX; i++) {
		if (consumers[i].used)
			continue;
		consumers[i] = (struct kafka_consumer){
			.used = true,
			.process = sim_current(),
			.pace = pace,
			.fd = sim_fd_open(),
			.life = ++lives,
		};
		return &consumers[i];
	}
	sim_fail("no consumer left");
}

int __wrap_kafka_consumer_fd(const struct kafka_consumer *consumer)
{
	return consumer->fd;
}

static bool answered(int timeout_ms)
{
	uint64_t until = sim_now_us() + (uint64_t)timeout_ms * 1000;
	sim_wait_us(stream_us(STREAM_TIMES, 100, 1000));
	while (!sim_faults.kafka_up && sim_now_us() < until)
		sim_wait_us(STEP_US);
	return sim_faults.kafka_up;
}

static bool metadata_known(struct kafka_consumer *consumer, enum topic topic, int timeout_ms)
{
	if (!consumer->metadata[topic])
		consumer->metadata[topic] = answered(timeout_ms);
	return consumer->metadata[topic];
}

bool __wrap_kafka_bounds_within(struct kafka_consumer *consumer, enum topic topic,
	uint32_t partition, int timeout_ms, int64_t *first_r, int64_t *next_r)
{
	if (!metadata_known(consumer, topic, timeout_ms) || !answered(timeout_ms)) {
		log_info(
			"kafka: cannot read the first and last offset of %s, partition %u: timed out",
			topic_name(topic), partition);
		return false;
	}
	*first_r = 0;
	*next_r = (int64_t)log_of(topic, partition)->n;
	return true;
}

bool __wrap_kafka_bounds(struct kafka_consumer *consumer, enum topic topic, uint32_t partition,
	int64_t *first_r, int64_t *next_r)
{
	return kafka_bounds_within(consumer, topic, partition, 10000, first_r, next_r);
}

int64_t __wrap_kafka_offset_near(
	enum topic topic, uint32_t partition, int64_t offset, int64_t first, int64_t next)
{
	if (offset == KAFKA_END)
		return next;
	if (offset >= first && offset <= next)
		return offset;
	int64_t nearest = offset < first ? first : next;
	log_warn("kafka: %s, partition %u: offset %" PRId64 " is not there, kept are %" PRId64
		 " to %" PRId64 ": reading on at %" PRId64,
		topic_name(topic), partition, offset, first, next - 1, nearest);
	return nearest;
}

static void reader_remove(struct log *log, const struct kafka_consumer *consumer)
{
	for (size_t i = 0; i < log->readers_n; i++)
		if (log->readers[i] == consumer)
			log->readers[i--] = log->readers[--log->readers_n];
}

static void restart(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition, int64_t offset)
{
	struct log *log = log_of(topic, partition);
	reader_remove(log, consumer);
	if (log->readers_n == READERS_MAX)
		sim_fail("%s: more than %d readers", topic_name(topic), READERS_MAX);
	log->readers[log->readers_n++] = consumer;
	struct reading *reading = &consumer->readings[topic][partition];
	if (reading->lost)
		consumer->lost--;
	*reading = (struct reading){
		.reading = true,
		.fetching = reading->fetching,
		.offset = offset,
		.visible = offset,
	};
	fetch_soon(consumer, topic, partition);
	readable_set(consumer);
}

void __wrap_kafka_consume(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition, int64_t offset)
{
	int64_t first;
	int64_t next;
	if (kafka_bounds_within(consumer, topic, partition, METADATA_MS, &first, &next))
		offset = kafka_offset_near(topic, partition, offset, first, next);
	restart(consumer, topic, partition, offset);
}

void __wrap_kafka_consume_at(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition, int64_t offset)
{
	restart(consumer, topic, partition, offset);
}

void __wrap_kafka_consume_stop(
	struct kafka_consumer *consumer, enum topic topic, uint32_t partition)
{
	struct reading *reading = &consumer->readings[topic][partition];
	if (!reading->reading)
		return;
	if (reading->lost)
		consumer->lost--;
	*reading = (struct reading){ .fetching = reading->fetching };
	reader_remove(&logs[topic][partition], consumer);
	readable_set(consumer);
}

/* Readings whose offset is past the end: on at the nearest. */
static void repair(struct kafka_consumer *consumer)
{
	if (consumer->lost == 0 ||
		(consumer->repair_us != 0 && sim_now_us() < consumer->repair_us + REPAIR_PAUSE_US))
		return;
	consumer->repair_us = sim_now_us();
	for (int t = 0; t < TOPICS_N; t++) {
		for (uint32_t p = 0; p < sim_world.shards; p++) {
			int64_t first;
			int64_t next;
			if (!consumer->readings[t][p].lost)
				continue;
			if (!kafka_bounds_within(
				    consumer, (enum topic)t, p, METADATA_MS, &first, &next))
				return;
			restart(consumer, (enum topic)t, p,
				kafka_offset_near((enum topic)t, p, consumer->readings[t][p].offset,
					first, next));
		}
	}
}

static size_t fetched_count(const struct reading *reading)
{
	bool some = reading->reading && !reading->lost && reading->offset >= 0 &&
		    reading->visible > reading->offset;
	return some ? (size_t)(reading->visible - reading->offset) : 0;
}

static void take(const struct log *log, enum topic topic, uint32_t partition,
	struct reading *reading, size_t most, struct kafka_batch *batch)
{
	for (; most > 0 && reading->offset < reading->visible; most--, reading->offset++) {
		const struct record *record = &log->records[reading->offset];
		batch->messages[batch->n++] = (struct kafka_message){
			.topic = topic,
			.partition = partition,
			.offset = reading->offset,
			.key = record->key,
			.key_length = record->key_n,
			.bytes = record->bytes,
			.length = record->n,
		};
	}
}

/* Partitions come in any order, each as much at a time as it happens to. */
struct kafka_batch __wrap_kafka_poll(struct kafka_consumer *consumer, size_t max)
{
	struct kafka_batch batch = { 0 };
	size_t found = 0;
	repair(consumer);
	for (int t = 0; t < TOPICS_N; t++)
		for (uint32_t p = 0; p < sim_world.shards; p++)
			found += fetched_count(&consumer->readings[t][p]);
	if (found == 0) {
		readable_set(consumer);
		return batch;
	}
	if (found < max)
		max = found;
	batch.messages = sim_alloc(max * sizeof(*batch.messages));
	batch.internal = batch.messages;
	uint64_t at = stream_random(STREAM_TIMES, TOPICS_N * (uint64_t)sim_world.shards);
	for (; batch.n < max; at++) {
		uint32_t t = (uint32_t)(at / sim_world.shards % TOPICS_N);
		uint32_t p = (uint32_t)(at % sim_world.shards);
		struct reading *reading = &consumer->readings[t][p];
		size_t n = fetched_count(reading);
		if (n == 0)
			continue;
		size_t most = 1 + stream_random(STREAM_TIMES, n);
		take(&logs[t][p], (enum topic)t, p, reading,
			most < max - batch.n ? most : max - batch.n, &batch);
	}
	readable_set(consumer);
	return batch;
}

void __wrap_kafka_batch_free(struct kafka_batch *batch)
{
	if (batch->internal == NULL)
		return;
	sim_free(batch->messages);
	*batch = (struct kafka_batch){ 0 };
}

int64_t __wrap_kafka_lag(
	const struct kafka_consumer *consumer, enum topic topic, uint32_t partition)
{
	const struct reading *reading = &consumer->readings[topic][partition];
	int64_t end = (int64_t)logs[topic][partition].n;
	return reading->reading && reading->offset >= 0 && end >= reading->offset
		       ? end - reading->offset
		       : -1;
}

static void consumer_forget(struct kafka_consumer *consumer)
{
	consumer->used = false;
	for (int t = 0; t < TOPICS_N; t++)
		for (uint32_t p = 0; p < sim_world.shards; p++)
			reader_remove(&logs[t][p], consumer);
}

void __wrap_kafka_consumer_free(struct kafka_consumer **consumer)
{
	if (*consumer == NULL)
		return;
	sim_fd_close((*consumer)->fd);
	consumer_forget(*consumer);
	*consumer = NULL;
}

/* ---- the world ----------------------------------------------------------------------------------
 */

bool sim_kafka_read(
	enum topic topic, uint32_t partition, int64_t *offset, const uint8_t **bytes_r, size_t *n_r)
{
	const struct log *log = log_of(topic, partition);
	if (*offset < 0 || (size_t)*offset >= log->n)
		return false;
	const struct record *record = &log->records[(*offset)++];
	*bytes_r = record->bytes;
	*n_r = record->n;
	return true;
}

int64_t sim_kafka_end(enum topic topic, uint32_t partition)
{
	return (int64_t)log_of(topic, partition)->n;
}

void sim_kafka_up(bool up)
{
	sim_trace("kafka is %s", up ? "back" : "away");
	sim_faults.kafka_up = up;
	for (size_t i = 0; up && i < CONSUMERS_MAX; i++)
		for (int t = 0; consumers[i].used && t < TOPICS_N; t++)
			for (uint32_t p = 0; p < sim_world.shards; p++)
				fetch_soon(&consumers[i], (enum topic)t, p);
}

void sim_kafka_lose_tail(uint64_t since_us)
{
	size_t lost = 0;
	for (int t = 0; t < TOPICS_N; t++) {
		for (uint32_t p = 0; p < sim_world.shards; p++) {
			struct log *log = &logs[t][p];
			while (log->n > 0 && log->records[log->n - 1].appended_us > since_us) {
				log->n--;
				lost++;
			}
			for (size_t i = 0; i < CONSUMERS_MAX; i++) {
				struct reading *r = &consumers[i].readings[t][p];
				if (r->visible > (int64_t)log->n)
					r->visible = (int64_t)log->n;
			}
		}
	}
	sim_trace("kafka has lost %zu messages", lost);
}

void kafka_process_died(struct sim_process *process)
{
	kafka_lanes_died(process);
	for (size_t i = 0; i < CONSUMERS_MAX; i++)
		if (consumers[i].used && consumers[i].process == process)
			consumer_forget(&consumers[i]);
}

void kafka_world_begin(void)
{
	kafka_lanes_begin();
	filter = NULL;
	bus_filter_set = NULL;
	if (sim_world.shards > PARTITIONS_MAX)
		sim_fail("found %u shards, expected at most %d", sim_world.shards, PARTITIONS_MAX);
}

void kafka_world_end(void)
{
	for (int t = 0; t < TOPICS_N; t++)
		for (uint32_t p = 0; p < PARTITIONS_MAX; p++)
			logs[t][p].n = logs[t][p].readers_n = 0;
	for (size_t i = 0; i < CONSUMERS_MAX; i++)
		consumers[i].used = false;
}
