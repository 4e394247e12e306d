/* What a subscriber holds the pushes of notifications to (docs/contracts.md, "WebSocket"). No I/O:
 * frames and times are handed in, faults come out as text. */
#ifndef CARILLON_SUPPORT_PLAYERS_WATCH_H
#define CARILLON_SUPPORT_PLAYERS_WATCH_H

#include "tests/support/players/record.h"

#include <jansson.h>

#define WATCH_GAP_MAX_US 3500000 /* 3 s by contract, and half a second for the way */

struct watch_row {
	uint32_t pool;
	char currency[8];
	int64_t coin; /* coin value, or minus the level */
	int64_t value;
	uint64_t version, hits;
};
struct watch_winner {
	uint32_t pool;
	uint64_t hit;
	int64_t coin_minor, paid_minor;
	uint64_t late_us; /* received minus the time in the frame */
	char player[32], currency[8];
};
struct watch {
	bool connected, snapshot; /* of the present connection */
	uint64_t connected_us;
	uint64_t counters_us; /* last snapshot or counters */
	uint64_t max_gap_us;
	uint64_t snapshots, counters;
	uint64_t own_seq; /* of the last balance event */
	char own_epoch[16];
	LIST(struct watch_row) rows;
	LIST(struct watch_winner) winners;
	char winners_epoch[64], winners_offset[512]; /* of the last frame: handed back to resume */
};
typedef void watch_fault(void *context, const char *text);

void watch_connected(struct watch *watch, uint64_t mono_us);
void watch_closed(struct watch *watch);
/* One frame. mono_us for gaps, wall_us for the age of news. */
void watch_frame(struct watch *watch, const json_t *frame, uint64_t mono_us, uint64_t wall_us,
	watch_fault *fault, void *context);
/* Call a few times a second: has it been silent for too long? */
void watch_tick(struct watch *watch, uint64_t mono_us, watch_fault *fault, void *context);
void watch_free(struct watch *watch);

#endif
