/* Shared by the files of the player's state machine; not for others. */
#ifndef CARILLON_SPIN_ENGINE_CORE_PLAYER_MOVE_H
#define CARILLON_SPIN_ENGINE_CORE_PLAYER_MOVE_H

#include "services/spin-engine/core/player.h"

/* The feature of `watched` (the state `play` after its last phase was shown) is at its end: what is
 * to be booked. False when there is nothing to book, because the round stays open for the gamble
 * and the feature won nothing. */
bool player_propose_end(const struct player *player, const struct player_game *play,
	const struct player_game *watched, const struct game *game,
	const struct player_command *command, const struct player_entropy *entropy,
	struct player_proposal *proposal_r);

/* Picks the first vials there are, up to `needed`; shows every phase that is left: the house plays
 * an abandoned round to its end. */
void player_pick_all(struct player_game *play, uint32_t needed);
void player_watch_all(struct player_game *play, const struct game *game,
	const uint8_t round_key[PLAYER_KEY_BYTES]);

#endif
