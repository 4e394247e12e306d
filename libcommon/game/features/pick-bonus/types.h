/* The outcomes of the pick bonus. Included only by libcommon/game/game.h, through
 * features/types.h. */
#ifndef CARILLON_GAME_FEATURES_PICK_BONUS_TYPES_H
#define CARILLON_GAME_FEATURES_PICK_BONUS_TYPES_H

enum pick_outcome_kind { PICK_MONEY, PICK_FREE_SPINS, PICK_JACKPOT };

/* One outcome of the pick bonus. Its weight at a bet is weight + weight_per_coin * y, with y =
 * lines x coins a line, so the odds of the progressive follow the bet. The loader proves that no
 * weight is negative and that their sum does not depend on y. */
struct pick_outcome {
	enum pick_outcome_kind kind;
	uint32_t value; /* MONEY: times the total bet; FREE_SPINS: how many; JACKPOT: 0 */
	int64_t weight;
	int64_t weight_per_coin;
};

#endif
