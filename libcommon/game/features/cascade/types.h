/* The rules of cascades, and what a round keeps of one. Included by libcommon/game/game.h, behind
 * what it needs. */
#ifndef CARILLON_GAME_FEATURES_CASCADE_TYPES_H
#define CARILLON_GAME_FEATURES_CASCADE_TYPES_H

#define CASCADE_MULTIPLIERS_MAX 10
#define CASCADE_TUMBLES_MAX 50

struct cascade_rules {
	uint32_t tumbles_max; /* of one spin; 0: the game has no cascades */
	/* Of the line wins of the first tumble, the second, ..; the last for all further ones. By
	 * context: paid spins and free spins. Free spins' own multiplier multiplies too. */
	uint32_t multiplier_count[2];
	uint32_t multiplier[2][CASCADE_MULTIPLIERS_MAX];
};

struct cascade_state {
	uint32_t winning;		 /* cells whose symbols leave next; 0: nothing tumbles */
	uint32_t tumbles;		 /* of this spin, up to now */
	enum spin_context context;	 /* of the spin */
	uint16_t fallen[GAME_REELS_MAX]; /* symbols that came in on each reel since the spin */
};

#endif
