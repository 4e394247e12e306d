/* A world for the tests of the player's state machine: an engine that proposes, a wallet that books
 * by the formula of proto/wallet.proto, and a second engine that sees only the rows. */
#ifndef CARILLON_SPIN_ENGINE_TEST_PLAYER_WORLD_H
#define CARILLON_SPIN_ENGINE_TEST_PLAYER_WORLD_H

#include "services/spin-engine/core/player.h"

#include <stddef.h>

struct world {
	struct game game;
	struct player player, other; /* the proposing engine's; the second engine's */
	struct player_game play, other_play;
	int64_t balance, pending; /* the wallet's */
	int64_t staked, won, forfeited, deposited;
	uint64_t seq, now_us, requests;
	uint8_t salt;	      /* of the run: keys are derived from it */
	uint32_t refuse_next; /* refusal of the next row, if not 0 */
	uint32_t forced_count;
	uint32_t forced[PLAYER_FORCED_MAX];
	uint32_t awards;	 /* claims paid */
	struct cards_odds cards; /* cards.of is 0: no cards */
};

/* An open account with money. windows: see game_fixture.h; count 0: the shipped strips. */
void world_init(struct world *world, const char *const *windows, size_t count, int64_t balance);
/* A command of this verb that names the move and round at hand. */
struct player_command world_command(struct world *world, enum player_verb verb);
/* Decides, books and adopts; writes what happened: "bet stake 1 win 0+30", "feature_open", "cursor
 * 2". */
void world_do(struct world *world, const struct player_command *command, char *out, size_t room);
/* A guess that wins, or loses, the next gamble attempt. */
uint32_t world_guess(struct world *world, bool win);
/* Fails the test unless both engines have the same state, the wallet agrees, and no money appeared
 * or vanished. */
void world_check(const struct world *world);

/* Compares field by field: padding may differ. */
void assert_same_bonus_spins(
	const struct player_bonus_spins *found, const struct player_bonus_spins *expected);

#endif
