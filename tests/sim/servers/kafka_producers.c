/* Kafka's producers, whose messages are on their way for a while and die with them.
 *
 * A producer keeps the order within a partition, and nothing else: each (instance, pace, topic,
 * partition) is a lane of its own with times of its own. What a producer has not delivered when its
 * instance dies is lost from some point of each lane on. */
#include "tests/sim/servers/kafka.h"
#include "tests/sim/fake.h"

#include "libcommon/io/log.h"

#include <string.h>

FAKE(kafka_producer_new);
FAKE(kafka_offer);
FAKE(kafka_login_refusal);
FAKE(kafka_produce);
FAKE(kafka_producer_connect);
FAKE(kafka_produced);
FAKE(kafka_producer_poll);
FAKE(kafka_producer_holds);
FAKE(kafka_producer_flush);
FAKE(kafka_producer_free);
FAKE(kafka_producer_lost);

#define PACES 3
#define MESSAGE_BYTES_MAX 1000000
#define CLIENTS_SLOT SLOTS_MAX /* lanes of the clients */

/* A message on its way. */
struct flight {
	struct flight *next;
	struct record record;
};

struct lane {
	size_t n;		     /* on the way */
	struct sim_process *process; /* NULL: clients */
	enum kafka_pace pace;
	enum topic topic;
	uint32_t partition;
	struct flight *first, *last;
	bool due; /* an event is on its way that delivers all of it */
	uint64_t token;
};

struct kafka_producer {
	enum kafka_pace pace;
	struct sim_process *process;
	uint64_t given[TOPICS_N][PARTITIONS_MAX];
};

static struct lane lanes[SLOTS_MAX + 1][PACES][TOPICS_N][PARTITIONS_MAX];

/* ---- lanes -------------------------------------------------------------------------------------
 */

/* A message that comes once more, or much later than the others. */
struct stray {
	enum topic topic;
	uint32_t partition;
	struct record record;
};

static void stray_arrives(void *context, uint64_t number)
{
	struct stray *stray = context;
	(void)number;
	if (!kafka_broker_up()) {
		event_at(sim_now_us() + 200000, stray_arrives, stray, 0);
		return;
	}
	kafka_append(stray->topic, stray->partition, stray->record);
}

static void stray_send(const struct lane *lane, struct record record, uint64_t after_us)
{
	struct stray *stray = world_alloc(sizeof(*stray));
	*stray = (struct stray){ lane->topic, lane->partition, record };
	event_at(sim_now_us() + after_us, stray_arrives, stray, 0);
}

static void deliver(const struct lane *lane, struct record record)
{
	enum sim_fate fate = SIM_PASS;
	if (kafka_filter() != NULL)
		fate = kafka_filter()(lane->topic, lane->partition, record.bytes, record.n);
	if (fate == SIM_PASS && stream_chance(STREAM_KAFKA, sim_faults.kafka_repeat_ppm)) {
		stray_send(lane, record, stream_us(STREAM_KAFKA, 100, 3000000));
	}
	if (fate == SIM_DROP)
		return;
	if (fate == SIM_LATE_3S) {
		stray_send(lane, record, 3000000);
		return;
	}
	kafka_append(lane->topic, lane->partition, record);
	if (fate == SIM_TWICE)
		kafka_append(lane->topic, lane->partition, record);
}

static void lane_arrives(void *context, uint64_t number);

static void lane_soon(struct lane *lane)
{
	static const struct {
		uint64_t least_us, most_us;
	} TIMES[] = { [KAFKA_FAST] = { 150, 1200 }, [KAFKA_SLOW] = { 1000, 45000 } };
	uint64_t us =
		stream_us(STREAM_TIMES, TIMES[lane->pace].least_us, TIMES[lane->pace].most_us);
	if (stream_chance(STREAM_KAFKA, sim_faults.kafka_late_ppm))
		us += stream_us(STREAM_KAFKA, 1000, 3000000);
	lane->due = true;
	event_at(sim_now_us() + us, lane_arrives, lane, ++lane->token);
}

static void lane_empty(struct lane *lane, size_t most)
{
	for (; lane->first != NULL && most > 0; most--) {
		struct record record = lane->first->record;
		lane->n--;
		lane->first = lane->first->next;
		deliver(lane, record);
	}
	if (lane->first == NULL)
		lane->last = NULL;
}

static void lane_arrives(void *context, uint64_t number)
{
	struct lane *lane = context;
	if (number != lane->token)
		return;
	/* The threads of a frozen instance stand still too. */
	if (lane->process != NULL && process_frozen(lane->process)) {
		event_at(lane->process->frozen_until + 100, lane_arrives, lane, lane->token);
		return;
	}
	if (!kafka_broker_up()) {
		event_at(sim_now_us() + stream_us(STREAM_TIMES, 50000, 200000), lane_arrives, lane,
			lane->token);
		return;
	}
	lane->due = false;
	lane_empty(lane, SIZE_MAX);
}

static void lane_add(struct lane *lane, const void *key, size_t key_n, const void *bytes, size_t n)
{
	struct flight *flight = world_alloc(sizeof(*flight) + key_n + n);
	uint8_t *at = (uint8_t *)(flight + 1);
	if (key_n > 0)
		memcpy(at, key, key_n);
	if (n > 0)
		memcpy(at + key_n, bytes, n);
	*flight = (struct flight){ .record = {
					   .key = at,
					   .bytes = at + key_n,
					   .key_n = (uint32_t)key_n,
					   .n = (uint32_t)n,
				   } };
	if (lane->last != NULL)
		lane->last->next = flight;
	else
		lane->first = flight;
	lane->last = flight;
	lane->n++;
	if (!lane->due)
		lane_soon(lane);
}

static struct lane *lane_of(
	struct sim_process *process, enum kafka_pace pace, enum topic topic, uint32_t partition)
{
	kafka_partition_check(topic, partition);
	struct lane *lane =
		&lanes[process == NULL ? CLIENTS_SLOT : process->slot][pace][topic][partition];
	lane->process = process;
	lane->pace = pace;
	lane->topic = topic;
	lane->partition = partition;
	return lane;
}

/* What a dead instance had on its way: some of each lane may have left already. */
static void lane_died(struct lane *lane)
{
	if (lane->n > 0 && kafka_broker_up())
		lane_empty(lane, stream_random(STREAM_KAFKA, lane->n + 1));
	lane->first = lane->last = NULL;
	lane->n = 0;
	lane->due = false;
	lane->token++;
}

/* ---- producers ---------------------------------------------------------------------------------
 */

/* This Kafka asks nobody who they are. */
const char *__wrap_kafka_login_refusal(void)
{
	return "";
}

struct kafka_producer *__wrap_kafka_producer_new(const char *brokers, enum kafka_pace pace)
{
	struct kafka_producer *producer = sim_alloc(sizeof(*producer));
	(void)brokers;
	producer->pace = pace;
	producer->process = sim_current();
	return producer;
}

void __wrap_kafka_produce(struct kafka_producer *producer, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length)
{
	if (length > MESSAGE_BYTES_MAX)
		fatal("kafka: message to %s: found %zu bytes, expected at most %d",
			topic_name(topic), length, MESSAGE_BYTES_MAX);
	sim_effect("kafka: a message leaves");
	producer->given[topic][partition]++;
	lane_add(lane_of(producer->process, producer->pace, topic, partition), key, key_length,
		bytes, length);
	sim_effect("kafka: a message has left");
}

bool __wrap_kafka_offer(struct kafka_producer *producer, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length)
{
	kafka_produce(producer, topic, partition, key, key_length, bytes, length);
	return true;
}

void __wrap_kafka_producer_connect(struct kafka_producer *producer, enum topic topic)
{
	(void)producer;
	(void)topic;
}

/* A frozen or dead broker loses nothing that was given to it here. */
uint64_t __wrap_kafka_producer_lost(const struct kafka_producer *producer)
{
	(void)producer;
	return 0;
}

void __wrap_kafka_produced(const struct kafka_producer *producer, enum topic topic,
	uint32_t partition, uint64_t *given_r, uint64_t *acknowledged_r)
{
	const struct lane *lane = &lanes[producer->process->slot][producer->pace][topic][partition];
	*given_r = producer->given[topic][partition];
	*acknowledged_r = *given_r - lane->n;
}

void __wrap_kafka_producer_poll(struct kafka_producer *producer)
{
	(void)producer;
}

bool __wrap_kafka_producer_holds(const struct kafka_producer *producer)
{
	(void)producer; /* how long messages are gathered is part of how long they travel */
	return false;
}

static bool delivered(const struct kafka_producer *producer)
{
	for (int t = 0; t < TOPICS_N; t++)
		for (uint32_t p = 0; p < sim_world.shards; p++)
			if (lanes[producer->process->slot][producer->pace][t][p].first != NULL)
				return false;
	return true;
}

bool __wrap_kafka_producer_flush(struct kafka_producer *producer, int timeout_ms)
{
	uint64_t until = sim_now_us() + (uint64_t)timeout_ms * 1000;
	while (!delivered(producer) && sim_now_us() < until)
		sim_wait_us(1000);
	return delivered(producer);
}

void __wrap_kafka_producer_free(struct kafka_producer **producer)
{
	if (*producer == NULL)
		return;
	for (int t = 0; t < TOPICS_N; t++)
		for (uint32_t p = 0; p < sim_world.shards; p++)
			lane_died(&lanes[(*producer)->process->slot][(*producer)->pace][t][p]);
	sim_free(*producer);
	*producer = NULL;
}

/* ---- the world ----------------------------------------------------------------------------------
 */

void sim_kafka_produce(enum topic topic, uint32_t partition, const void *key, size_t key_n,
	const void *bytes, size_t n)
{
	lane_add(lane_of(NULL, KAFKA_FAST, topic, partition), key, key_n, bytes, n);
}

void kafka_lanes_begin(void)
{
	memset(lanes, 0, sizeof(lanes));
}

void kafka_lanes_died(struct sim_process *process)
{
	for (int pace = 0; pace < PACES; pace++)
		for (int t = 0; t < TOPICS_N; t++)
			for (uint32_t p = 0; p < sim_world.shards; p++)
				lane_died(&lanes[process->slot][pace][t][p]);
}
