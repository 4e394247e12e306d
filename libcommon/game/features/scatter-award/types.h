/* The outcomes of a scatter award. Included only by libcommon/game/game.h, through
 * features/types.h. */
#ifndef CARILLON_GAME_FEATURES_SCATTER_AWARD_TYPES_H
#define CARILLON_GAME_FEATURES_SCATTER_AWARD_TYPES_H

/* An outcome of the scatter award. In a game with witches, the player's witch wins the battle (the
 * award's own name there) exactly if free_spins > 0. */
struct scatter_outcome {
	uint32_t weight;
	uint32_t free_spins;
};

#endif
