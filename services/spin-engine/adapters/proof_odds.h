/* The odds of Jackpot Cards that a proof knows: those of the sets' files and of operators, of all
 * times. A recorded draw must have been made with one of them. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_PROOF_ODDS_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_PROOF_ODDS_H

#include "services/spin-engine/core/proof.h"

#include "proof.pb-c.h"

struct proof_odds {
	size_t count, room;
	Carillon__ProofOdds *odds;
};

/* Copies it. Ends the process if there is no memory. */
void proof_odds_add(struct proof_odds *known, const Carillon__ProofOdds *odds);
void proof_odds_free(struct proof_odds *known);
/* Were all draws of Jackpot Cards in this row made with known odds? `play`, `game`: as proof_check
 * takes them. False: *difference_r names the draw. */
bool proof_odds_check(const struct proof_odds *known, player_id player,
	const struct player_game *play, const struct game *game, const struct proof_row *row,
	struct proof_difference *difference_r);

#endif
