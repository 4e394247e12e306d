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

/* The newest row of the player's account that he has been told of; seq 0: none. */
struct own_position {
	uint32_t incarnation;
	uint64_t seq;
};

struct subscription {
	unsigned channels;	       /* of enum channel */
	char token[TOKEN_MAX];	       /* "" : none */
	char game[SUBSCRIBE_GAME_MAX]; /* the one he plays over this connection; "": none */
	unsigned resume;	       /* channels for which it was asked */
	char epoch[FRAME_EPOCH_MAX];   /* of the winners */
	struct winners_position position;
	bool position_known; /* false: not an offset of ours, so there is no way back to it */
	struct own_position own;
};

/* Takes any bytes. False, with an error frame (JSON, NUL at the end) in error, when it is no
 * subscription. */
bool subscribe_parse(
	const char *bytes, size_t length, struct subscription *subscription_r, char *error);
/* One of the three by name; 0: none of them. */
unsigned channel_parse(const char *name);

#endif
