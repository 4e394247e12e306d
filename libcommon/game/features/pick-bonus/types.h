/* The outcomes of the pick bonus ("vials"). Included by libcommon/game/game.h, behind what it
 * needs. */
#ifndef CARILLON_GAME_FEATURES_PICK_BONUS_TYPES_H
#define CARILLON_GAME_FEATURES_PICK_BONUS_TYPES_H

enum pick_outcome_kind { PICK_MONEY, PICK_FREE_SPINS, PICK_JACKPOT };

/* One result of the pick bonus. Its weight at a bet is weight + weight_per_coin * y, y = lines x
 * coins a line, so that the odds of the progressive follow the wager; the loader proves that no
 * weight is negative and that the sum does not depend on y (requirements 28, 46). */
struct pick_outcome {
	enum pick_outcome_kind kind;
	uint32_t value; /* MONEY: times the total bet; FREE_SPINS: how many; JACKPOT: 0 */
	int64_t weight;
	int64_t weight_per_coin;
};

#endif
