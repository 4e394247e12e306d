/* A lane gathers the messages to one partition, so that they go to librdkafka together. This keeps
 * the number of requests to Kafka small, for two reasons. A request holds the messages of one
 * partition and costs the broker about 100 us. And with five requests unanswered, librdkafka 2.0's
 * thread polls without a pause while further messages wait. So a partition has at most one
 * unanswered request and sends at most one every KAFKA_LANE_US. A producer has at most
 * KAFKA_LANES_OPEN unanswered requests over all partitions. A message that comes alone is sent at
 * once. A request that stays unanswered for KAFKA_LANE_STALLED_US (its broker is away) holds up
 * only its own partition. Pure, except that it allocates. */
#ifndef CARILLON_IO_KAFKA_LANE_H
#define CARILLON_IO_KAFKA_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KAFKA_LANE_US UINT64_C(40000)
#define KAFKA_LANES_OPEN 5
#define KAFKA_LANE_STALLED_US UINT64_C(500000)

/* All zero: an empty lane. */
struct kafka_lane {
	uint64_t given, left, acknowledged; /* counts of messages: taken here, sent, acknowledged */
	uint64_t left_us;		    /* when the last ones were sent */
	uint8_t *bytes;			    /* messages that have not been sent yet */
	size_t at, length, room;
};

struct kafka_held {
	const uint8_t *key, *bytes;
	size_t key_length, length;
};

static inline bool kafka_lane_open(const struct kafka_lane *lane)
{
	return lane->left != lane->acknowledged;
}

/* Does this lane count towards its producer's KAFKA_LANES_OPEN? */
static inline bool kafka_lane_counts(const struct kafka_lane *lane, uint64_t now_us)
{
	return kafka_lane_open(lane) && now_us < lane->left_us + KAFKA_LANE_STALLED_US;
}

static inline size_t kafka_lane_held(const struct kafka_lane *lane)
{
	return lane->length - lane->at;
}

/* Appends a copy of the message. False: out of memory. */
bool kafka_lane_add(struct kafka_lane *lane, const void *key, size_t key_length, const void *bytes,
	size_t length);
/* May the waiting messages be sent now? `open`: the number of the producer's lanes for which
 * kafka_lane_counts is true. */
bool kafka_lane_due(const struct kafka_lane *lane, uint64_t now_us, size_t open);
/* The oldest waiting message; false: none. It stays until kafka_lane_leaves. */
bool kafka_lane_next(const struct kafka_lane *lane, struct kafka_held *held_r);
/* Removes the oldest waiting message and counts it as sent. */
void kafka_lane_leaves(struct kafka_lane *lane, uint64_t now_us);

#endif
