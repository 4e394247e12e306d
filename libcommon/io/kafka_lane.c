#include "libcommon/io/kafka_lane.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 16384u
#define ROOM_KEPT ((size_t)1 << 20) /* a larger buffer is given back once it is empty */

struct head {
	size_t key_length, length;
};

static bool room_make(struct kafka_lane *lane, size_t more)
{
	size_t room = lane->room == 0 ? ROOM_FIRST : lane->room;
	while (room - lane->length < more)
		room *= 2;
	if (room == lane->room)
		return true;
	uint8_t *larger = realloc(lane->bytes, room);
	if (larger == NULL)
		return false;
	lane->bytes = larger;
	lane->room = room;
	return true;
}

static void put(struct kafka_lane *lane, const void *bytes, size_t length)
{
	if (length > 0)
		memcpy(lane->bytes + lane->length, bytes, length);
	lane->length += length;
}

bool kafka_lane_add(struct kafka_lane *lane, const void *key, size_t key_length, const void *bytes,
	size_t length)
{
	const struct head head = { key_length, length };
	if (!room_make(lane, sizeof(head) + key_length + length))
		return false;
	put(lane, &head, sizeof(head));
	put(lane, key, key_length);
	put(lane, bytes, length);
	lane->given++;
	return true;
}

bool kafka_lane_due(const struct kafka_lane *lane, uint64_t now_us, size_t open)
{
	return kafka_lane_held(lane) > 0 && !kafka_lane_open(lane) && open < KAFKA_LANES_OPEN &&
	       (lane->left_us == 0 || now_us >= lane->left_us + KAFKA_LANE_US);
}

bool kafka_lane_next(const struct kafka_lane *lane, struct kafka_held *held_r)
{
	struct head head;
	if (kafka_lane_held(lane) == 0)
		return false;
	memcpy(&head, lane->bytes + lane->at, sizeof(head));
	const uint8_t *key = lane->bytes + lane->at + sizeof(head);
	*held_r = (struct kafka_held){ key, key + head.key_length, head.key_length, head.length };
	return true;
}

void kafka_lane_leaves(struct kafka_lane *lane, uint64_t now_us)
{
	struct kafka_held held;
	if (!kafka_lane_next(lane, &held))
		return;
	lane->at += sizeof(struct head) + held.key_length + held.length;
	lane->left++;
	lane->left_us = now_us;
	if (lane->at < lane->length)
		return;
	lane->at = lane->length = 0;
	if (lane->room > ROOM_KEPT) {
		free(lane->bytes);
		lane->bytes = NULL;
		lane->room = 0;
	}
}
