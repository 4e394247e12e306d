/* The odds of Jackpot Cards that a proof knows: those of the sets' files and of operators, each
 * with the time in which it was in force. A recorded draw must have been made with those of its
 * time. */
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
/* Were all draws of Jackpot Cards in this row, booked at time_us, made with the odds of that time?
 * `play`, `game`: as proof_check takes them. False: *difference_r names the draw. */
bool proof_odds_check(const struct proof_odds *known, player_id player,
	const struct player_game *play, const struct game *game, const struct proof_row *row,
	uint64_t time_us, struct proof_difference *difference_r);

#endif
