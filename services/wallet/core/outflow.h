/* How far the rows of a shard have reached Kafka. Each row is given to Kafka once, in order, right
 * after its commit. While Kafka is away too long, rows are not given any more: the shard is behind,
 * and later reads what is missing from the journal. The newest row that Kafka has acknowledged is
 * stored with each commit, so the next owner starts there without asking Kafka. */
#ifndef CARILLON_WALLET_CORE_OUTFLOW_H
#define CARILLON_WALLET_CORE_OUTFLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WALLET_OUTFLOW_WAITING_MAX 10000 /* messages that may wait for Kafka, of a shard */
#define WALLET_OUTFLOW_CHUNK 1000	 /* rows read from the journal in one turn */
#define WALLET_OUTFLOW_NEWEST                                                                      \
	10000 /* rows given at the start, if it is not known what Kafka has                        \
	       */

/* What Kafka knows of the shard's partition: messages given to it and acknowledged by it, in order,
 * since the process began; and a number that grows when messages were lost on the way. */
struct wallet_outflow_kafka {
	uint64_t given, acknowledged, lost;
};

struct wallet_outflow {
	uint64_t handed; /* the newest row given to Kafka; all before it were given too */
	uint64_t acked;	 /* the newest row that is acknowledged; all before it are too */
	bool behind;	 /* rows are not given to Kafka when they are booked */
	/* When mark_given messages are acknowledged, all rows up to mark_seq are. 0: no mark. */
	uint64_t mark_given, mark_seq;
	uint64_t lost; /* as last seen */
};

/* An owner takes the shard. acked: as stored, 0 when unknown; last: the newest row. */
void wallet_outflow_begin(struct wallet_outflow *flow, uint64_t acked, uint64_t last,
	const struct wallet_outflow_kafka *kafka);
/* After each commit, before the messages that waited for it leave; last: the newest row committed.
 * If the shard is not behind, the rows of the commit are among these messages. */
void wallet_outflow_committed(
	struct wallet_outflow *flow, uint64_t last, const struct wallet_outflow_kafka *kafka);
/* How many rows from handed + 1 on may be read from the journal and given to Kafka now. */
size_t wallet_outflow_missing(const struct wallet_outflow *flow, uint64_t committed,
	const struct wallet_outflow_kafka *kafka);
/* All rows up to `next` - 1 were given. `settled`: no row is booked that is not committed. */
void wallet_outflow_given(
	struct wallet_outflow *flow, uint64_t next, uint64_t committed, bool settled);

#endif
