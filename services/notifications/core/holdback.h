/* What a player is told of his own account, and when: balances at once, a jackpot only after he has
 * gone on, so that no message reveals it before his screen does. Pure.
 *
 * An award is booked while its winner still watches the round. Until a later move of his is booked
 * (and only a move that follows watching: no setting, none that was refused) the award is held
 * back, and the balances told in between are without it. */
#ifndef CARILLON_NOTIFICATIONS_CORE_HOLDBACK_H
#define CARILLON_NOTIFICATIONS_CORE_HOLDBACK_H

#include "libcommon/base/ids.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOLDBACK_HELD_MAX 8192
#define HOLDBACK_EVENTS_MAX 17 /* awards of one player at once, and the balance */

/* A journal row, as far as it matters here. */
struct holdback_fact {
	player_id player;
	uint64_t seq;
	bool refused;
	bool watched;	    /* a move that can only follow the watching of earlier rounds */
	uint64_t move;	    /* 0 for rows that are no moves */
	uint64_t last_move; /* of the account after the row */
	int64_t balance_after;
	bool award;
	uint64_t award_move; /* the round that won it */
	uint32_t award_index, award_pool;
	int64_t award_paid;
	bool award_seen; /* of Jackpot Cards: its player has turned the third card up himself */
};

struct holdback_event {
	bool award; /* else a balance */
	player_id player;
	uint64_t seq; /* of the row */
	int64_t balance;
	uint64_t round;
	uint32_t index, pool;
	int64_t paid;
};

struct holdback_held {
	player_id player; /* 0: free */
	uint64_t seq, move;
	uint32_t index, pool;
	int64_t paid;
	uint16_t next; /* of the same chain, +1; 0: none */
};

struct holdback {
	struct holdback_held held[HOLDBACK_HELD_MAX];
	uint16_t chain[HOLDBACK_HELD_MAX]; /* by hash of the player, +1 */
	size_t n;
	size_t search; /* where a free place is looked for first */
	uint64_t lost; /* awards there was no room for: told at once */
};

/* What follows from a row, in the order in which it is to be told: 0 to HOLDBACK_EVENTS_MAX. */
size_t holdback_offer(struct holdback *holdback, const struct holdback_fact *fact,
	struct holdback_event *events_r);
/* An award known to be unseen from before this process began: held, nothing is told. */
void holdback_remember(struct holdback *holdback, const struct holdback_fact *award);

#endif
