/* The JSON of what is pushed (docs/contracts.md, "WebSocket of notifications"). Pure: written into
 * the caller's buffer. All return the length, or 0 when the buffer is too small. */
#ifndef CARILLON_NOTIFICATIONS_FRAMES_H
#define CARILLON_NOTIFICATIONS_FRAMES_H

#include "services/notifications/core/counters.h"
#include "services/notifications/core/holdback.h"
#include "services/notifications/core/winners.h"

#define FRAME_EPOCH_MAX 64
/* All rows of all pools at most. */
#define FRAME_MAX (COUNTERS_POOLS_MAX * COUNTERS_ROWS_MAX * 192)
#define FRAME_WINNERS_SHOWN 20 /* in a snapshot */

/* epoch and offset stand in the frame as strings, so that clients hand them back untouched. */
struct frame_head {
	const char *epoch;
	const char *offset;
	uint64_t time_us; /* wall */
};

size_t frame_counters(char *out, size_t room, const struct frame_head *head,
	const struct counters *counters, bool snapshot);
size_t frame_winner(
	char *out, size_t room, const struct frame_head *head, const struct winner *winner);
/* The newest FRAME_WINNERS_SHOWN, newest last. */
size_t frame_winners(
	char *out, size_t room, const struct frame_head *head, const struct winners *winners);
size_t frame_recovered(
	char *out, size_t room, const struct frame_head *head, const char *channel, bool recovered);
size_t frame_own(
	char *out, size_t room, const struct frame_head *head, const struct holdback_event *event);

#endif
