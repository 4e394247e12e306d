/* What no single member of a definition can tell: parts that must fit each other, and the proofs
 * that the core's bounds hold and that the published returns are kept. Mistakes go to the reader
 * of `root`. */
#ifndef CARILLON_GAME_DEFINITION_CHECK_H
#define CARILLON_GAME_DEFINITION_CHECK_H

#include "libcommon/game/definition/json.h"
#include "libcommon/game/game.h"

/* All of the checks below, before the game is compiled. */
void definition_check(const struct node *root, const struct game *game);
/* For a compiled game with its ranks: a round of more than GAME_ROUND_PHASES_MAX phases has a
 * probability below 10^-18. */
void definition_prove(const struct node *root, const struct game *game);
/* The exact return of each mode and class of bets is in its published band. */
void definition_prove_returns(const struct node *root, const struct game *game);

/* ---- parts of definition_check ---- */

/* What a window can show: the most cells of a symbol on a reel of a set. Bought and expanding wilds
 * not counted; falling potions are. */
struct strips_seen {
	uint8_t most[GAME_STRIP_SETS_MAX][GAME_REELS_MAX][GAME_SYMBOLS_MAX];
};

/* Fills it, and checks what stands on which strips and how far apart. */
void definition_check_strips(
	const struct node *root, const struct game *game, struct strips_seen *seen_r);
/* Features that could never come, or not together. */
void definition_check_features(
	const struct node *root, const struct game *game, const struct strips_seen *seen);
/* Outcomes of the vials, the progressive's rows. RULE bewitched 3.9, 4.2 */
void definition_check_jackpot(
	const struct node *root, const struct game *game, const struct strips_seen *seen);
/* Bets that can be placed and paid for, and totals that fit. */
void definition_check_bets(const struct node *root, const struct game *game);

/* Sets of strips by where they are played: bits by set. */
uint32_t definition_base_sets(const struct game *game);
/* On how many reels of the best of the sets (bits) the symbol can be seen. */
uint32_t definition_reels_with(
	const struct game *game, const struct strips_seen *seen, uint32_t sets, uint8_t symbol);

/* Can the reel that sticky respins lock show this symbol beside the ones that lock it? */
bool definition_locked_with(const struct game *game, uint8_t symbol);

#endif
