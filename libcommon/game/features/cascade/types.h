/* The rules of cascades and their state in a round. Included only by libcommon/game/game.h, through
 * features/types.h. */
#ifndef CARILLON_GAME_FEATURES_CASCADE_TYPES_H
#define CARILLON_GAME_FEATURES_CASCADE_TYPES_H

#define CASCADE_MULTIPLIERS_MAX 10
#define CASCADE_TUMBLES_MAX 50

struct cascade_rules {
	uint32_t tumbles_max; /* in one spin; 0: the game has no cascades */
	/* By context (paid spins, free spins): the multiplier on line wins of the first tumble, the
	 * second, ..; the last entry is for all later tumbles. The multiplier of free spins applies
	 * as well. */
	uint32_t multiplier_count[2];
	uint32_t multiplier[2][CASCADE_MULTIPLIERS_MAX];
};

struct cascade_state {
	uint32_t winning;		 /* cells whose symbols leave next; 0: no tumble follows */
	uint32_t tumbles;		 /* of this spin so far */
	enum spin_context context;	 /* of the spin */
	uint16_t fallen[GAME_REELS_MAX]; /* symbols that came in on each reel since the spin */
};

#endif
