/* The winners last told, and where a client that comes back goes on. Pure.
 *
 * The stream's order within a pool is the pool's own: hits are numbered 1, 2, .. and are kept for
 * ever. A position is therefore the last hit of each pool that a client was told of, in text
 * "1:17,2:4". It means the same on every instance, however the partitions of the topic were merged
 * there, and it outlives a topic that lost its tail and had facts published again. Clients give it
 * back as they got it. */
#ifndef CARILLON_NOTIFICATIONS_CORE_WINNERS_H
#define CARILLON_NOTIFICATIONS_CORE_WINNERS_H

#include "libcommon/base/ids.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WINNERS_MAX 1024     /* kept, over all pools */
#define WINNERS_POOLS_MAX 32 /* and sets, of an installation (docs/contracts.md) */
#define WINNERS_POSITION_TEXT_MAX (WINNERS_POOLS_MAX * 32)

struct winner {
	uint32_t pool;
	uint64_t hit;
	uint32_t currency;  /* ISO 4217 number */
	int64_t coin_minor; /* progressive; 0 for levels */
	uint32_t level;
	int64_t paid_minor;
	player_id player;
	uint64_t time_us; /* wall: of the hit */
};

struct winners_position {
	size_t n;
	struct {
		uint32_t pool;
		uint64_t hit;
	} last[WINNERS_POOLS_MAX];
};

struct winners {
	struct winner ring[WINNERS_MAX];
	size_t n, next;
	struct winners_position position; /* after the newest */
};

enum winners_status {
	WINNERS_OK = 0,
	WINNERS_SEEN, /* told before */
	WINNERS_GAP, /* taken, but hits before it are missing: a position before it cannot resume */
	WINNERS_FULL, /* a pool too many */
};

enum winners_status winners_offer(struct winners *winners, const struct winner *winner);
/* i = 0 is the oldest kept. */
const struct winner *winners_at(const struct winners *winners, size_t i);

/* Can everything after this position be told without a hole? */
bool winners_can_resume(const struct winners *winners, const struct winners_position *from);
/* Is this winner after the position? */
bool winners_is_after(const struct winner *winner, const struct winners_position *from);
/* The position after telling `winner` to one who stood at *position. */
void winners_position_pass(struct winners_position *position, const struct winner *winner);

/* out holds WINNERS_POSITION_TEXT_MAX bytes. */
void winners_position_format(const struct winners_position *position, char *out);
/* "" is the beginning. False, nothing changed, for anything that winners_position_format would not
 * write. */
bool winners_position_parse(const char *text, struct winners_position *position_r);

#endif
