/* What kafka.c (the broker and its consumers) and kafka_producers.c share. */
#ifndef CARILLON_SIM_SERVERS_KAFKA_H
#define CARILLON_SIM_SERVERS_KAFKA_H

#include "tests/sim/world/kernel.h"

#define PARTITIONS_MAX 16

struct record {
	const uint8_t *key, *bytes;
	uint32_t key_n, n;
	uint64_t appended_us;
};

bool kafka_broker_up(void);
/* Ends the run if the topic has no such partition. */
void kafka_partition_check(enum topic topic, uint32_t partition);
/* The record is in its partition, and reaches the consumers after the time of a fetch. */
void kafka_append(enum topic topic, uint32_t partition, struct record record);
/* What the schedule does to messages; NULL: nothing. */
sim_kafka_filter *kafka_filter(void);
sim_bus_filter *bus_filter(void);

void kafka_lanes_begin(void);
void kafka_lanes_died(struct sim_process *process);

#endif
