#include "libcommon/game/definition/check.h"

#include "libcommon/game/game_state.h"

void definition_check(const struct node *root, const struct game *game)
{
	struct strips_seen seen;

	definition_check_strips(root, game, &seen);
	definition_check_features(root, game, &seen);
	definition_check_jackpot(root, game, &seen);
	definition_check_bets(root, game);
	if (game_state_bytes(game) > GAME_STATE_BYTES_MAX)
		node_fail(root, "a player state of too many bytes", "at most %d",
			GAME_STATE_BYTES_MAX);
}
