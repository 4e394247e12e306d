/* What players are told of their own account, and when: balances at once, a jackpot only after
 * their next move, so that no message reveals it before their screen does. Pure.
 *
 * The wallet books an award while its winner still watches the round. The award is held back until
 * the winner has made a later move that follows watching (not a setting, not a refused move).
 * Balances told until then are without the award. */
#ifndef CARILLON_NOTIFICATIONS_CORE_HOLDBACK_H
#define CARILLON_NOTIFICATIONS_CORE_HOLDBACK_H

#include "libcommon/base/ids.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOLDBACK_HELD_MAX 8192
#define HOLDBACK_EVENTS_MAX 17 /* awards of one player at once, and the balance */

/* The used part of a journal row. */
struct holdback_fact {
	player_id player;
	uint64_t seq;
	bool refused;
	bool watched;	    /* a move that the player can make only after watching earlier rounds */
	uint64_t move;	    /* 0 for rows that are not moves */
	uint64_t last_move; /* of the account after the row */
	int64_t balance_after;
	bool award;
	uint64_t award_move; /* the round that won it */
	uint32_t award_index, award_pool;
	int64_t award_paid;
	bool award_seen; /* of Jackpot Cards: the player has turned the third card up themselves */
};

struct holdback_event {
	bool award; /* false: a balance */
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
	size_t search; /* where the search for a free place starts */
	uint64_t lost; /* number of awards that did not fit and were told at once */
};

/* The events that a row causes, in the order in which to tell them: 0 to HOLDBACK_EVENTS_MAX. */
size_t holdback_offer(struct holdback *holdback, const struct holdback_fact *fact,
	struct holdback_event *events_r);
/* Holds back an unseen award that was booked before this process started; tells nothing. */
void holdback_remember(struct holdback *holdback, const struct holdback_fact *award);

#endif
