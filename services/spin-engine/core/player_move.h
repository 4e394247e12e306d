/* Private to the files of the player's state machine. */
#ifndef CARILLON_SPIN_ENGINE_CORE_PLAYER_MOVE_H
#define CARILLON_SPIN_ENGINE_CORE_PLAYER_MOVE_H

#include "services/spin-engine/core/player.h"

/* Proposes what to book at the end of a feature. `watched` is `play` after its last phase was
 * shown. False: nothing to book, because the feature won nothing and the round stays open for a
 * gamble. */
bool player_propose_end(const struct player *player, const struct player_game *play,
	const struct player_game *watched, const struct game *game,
	const struct player_command *command, const struct player_entropy *entropy,
	struct player_proposal *proposal_r);

/* Play an abandoned round to its end for the house: pick the first free vials, up to `needed`; show
 * every remaining phase. */
void player_pick_all(struct player_game *play, uint32_t needed);
void player_watch_all(struct player_game *play, const struct game *game,
	const uint8_t round_key[PLAYER_KEY_BYTES]);

#endif
