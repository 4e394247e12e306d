/* The rules of free spins. Included by libcommon/game/game.h, behind what it needs. */
#ifndef CARILLON_GAME_FEATURES_FREE_SPINS_TYPES_H
#define CARILLON_GAME_FEATURES_FREE_SPINS_TYPES_H

struct free_spins_rules {
	bool offered;
	uint8_t strips;	    /* the set they are played on */
	bool player_starts; /* the first waits for the player, so autoplay stops there */
	uint32_t line_multiplier;
	uint32_t wild_multiplier_count; /* 0: none. Else entries of: by wilds in the paid
					   combination, the last for more */
	uint32_t wild_multiplier[GAME_REELS_MAX + 1];
	uint8_t award_symbol; /* scatter that awards them by its count; GAME_NO_SYMBOL: none does */
	uint16_t award[SPIN_CONTEXTS][GAME_REELS_MAX + 1]; /* by count of award_symbol */
};

#endif
