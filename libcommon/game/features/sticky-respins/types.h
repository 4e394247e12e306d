/* The rules of sticky respins. Included only by libcommon/game/game.h, through features/types.h. */
#ifndef CARILLON_GAME_FEATURES_STICKY_RESPINS_TYPES_H
#define CARILLON_GAME_FEATURES_STICKY_RESPINS_TYPES_H

/* Respins with one reel locked and some symbols sticky on the other reels. They run before free
 * spins, their wins are never multiplied, and a respin does not trigger further sticky respins. */
struct sticky_rules {
	bool offered;
	uint8_t strips;
	uint8_t symbol; /* `at_least` or more of these on `reel` trigger; expanded and bought wilds
			   do not count */
	uint8_t reel;	/* 0-based; the one that is locked */
	uint32_t at_least;
	uint32_t spins;
	uint32_t sticky; /* bit s: symbol s stays in its cell */
	bool player_starts;
};

#endif
