/* The outcomes of a scatter award ("battle"). Included by libcommon/game/game.h, behind what it
 * needs. */
#ifndef CARILLON_GAME_FEATURES_SCATTER_AWARD_TYPES_H
#define CARILLON_GAME_FEATURES_SCATTER_AWARD_TYPES_H

/* Free spins a battle awards. The player's witch wins exactly when it awards some. */
struct scatter_outcome {
	uint32_t weight;
	uint32_t free_spins;
};

#endif
