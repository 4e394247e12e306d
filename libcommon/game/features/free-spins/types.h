/* The rules of free spins. Included only by libcommon/game/game.h, through features/types.h. */
#ifndef CARILLON_GAME_FEATURES_FREE_SPINS_TYPES_H
#define CARILLON_GAME_FEATURES_FREE_SPINS_TYPES_H

struct free_spins_rules {
	bool offered;
	uint8_t strips;	    /* their strip set */
	bool player_starts; /* the player starts the first one, so autoplay stops there */
	uint32_t line_multiplier;
	/* The number of entries of wild_multiplier; 0: wilds do not multiply. Entry n, from 0,
	 * multiplies a combination paid with n wilds; the last entry also applies to more wilds. */
	uint32_t wild_multiplier_count;
	uint32_t wild_multiplier[GAME_REELS_MAX + 1];
	uint8_t award_symbol; /* the scatter that awards them; GAME_NO_SYMBOL: none */
	uint16_t award[SPIN_CONTEXTS][GAME_REELS_MAX + 1]; /* by count of award_symbol */
};

#endif
