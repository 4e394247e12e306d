/* The client's message: {"subscribe":["jackpots","winners","player"],"token":"..",
 * "game":"bewitched","resume":{"winners":{"epoch","offset"},"player":{"epoch","offset"}}}. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_SUBSCRIBE_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_SUBSCRIBE_H

#include "libcommon/edge/token.h"
#include "services/notifications/core/frames.h"

#include <stdbool.h>
#include <stddef.h>

#define SUBSCRIBE_BYTES_MAX 4096
#define SUBSCRIBE_ERROR_MAX 512
#define SUBSCRIBE_GAME_MAX 32 /* with the NUL */

enum channel {
	CHANNEL_JACKPOTS = 1,
	CHANNEL_WINNERS = 2,
	CHANNEL_PLAYER = 4,
};

/* The newest row of their account that the player has been told of; seq 0: none. */
struct own_position {
	uint32_t incarnation;
	uint64_t seq;
};

struct subscription {
	unsigned channels;	       /* of enum channel */
	char token[TOKEN_MAX];	       /* "" : none */
	char game[SUBSCRIBE_GAME_MAX]; /* the game played over this connection; "": none */
	unsigned resume;	       /* channels to resume */
	char epoch[FRAME_EPOCH_MAX];   /* of the winners */
	struct winners_position position;
	bool position_known; /* false: not an offset that this service sent, so it cannot resume
				there */
	struct own_position own;
};

/* Accepts any bytes. False for an invalid subscription; `error` then holds an error frame (JSON,
 * NUL-terminated). */
bool subscribe_parse(
	const char *bytes, size_t length, struct subscription *subscription_r, char *error);
/* A channel by name; 0: unknown. */
unsigned channel_parse(const char *name);

#endif
