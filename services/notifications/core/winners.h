/* The last winners told, and the positions at which clients resume. Pure.
 *
 * Within a pool the stream has the order of the pool: hits are numbered 1, 2, .. and kept for ever.
 * So a position is the last hit of each pool that a client was told of, as text "1:17,2:4". It
 * means the same on every instance, in whatever order an instance merged the partitions, and it
 * stays valid if a topic loses its tail and facts are published again. Clients send it back
 * unchanged. */
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
	WINNERS_SEEN, /* already told */
	WINNERS_GAP,  /* accepted, but earlier hits are missing: a client cannot resume from before
			 them */
	WINNERS_FULL, /* too many pools */
};

enum winners_status winners_offer(struct winners *winners, const struct winner *winner);
/* i = 0 is the oldest stored winner. */
const struct winner *winners_at(const struct winners *winners, size_t i);

/* True when all winners after this position are stored. */
bool winners_can_resume(const struct winners *winners, const struct winners_position *from);
/* True when this winner comes after the position. */
bool winners_is_after(const struct winner *winner, const struct winners_position *from);
/* Moves *position past `winner`. */
void winners_position_pass(struct winners_position *position, const struct winner *winner);

/* out holds WINNERS_POSITION_TEXT_MAX bytes. */
void winners_position_format(const struct winners_position *position, char *out);
/* "" is the start of the stream. False, with nothing changed, for any text that
 * winners_position_format would not write. */
bool winners_position_parse(const char *text, struct winners_position *position_r);

#endif
