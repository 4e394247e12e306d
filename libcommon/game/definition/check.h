/* Checks across members of a definition: that its parts fit together, that the core's bounds hold,
 * and that the exact returns are in their published bands. Mistakes are recorded in
 * root->reader. */
#ifndef CARILLON_GAME_DEFINITION_CHECK_H
#define CARILLON_GAME_DEFINITION_CHECK_H

#include "libcommon/game/definition/json.h"
#include "libcommon/game/definition_load.h"

/* All checks before the game is compiled. */
void definition_check(const struct node *root, const struct game *game);
/* Proves that a round of more than GAME_ROUND_PHASES_MAX phases has a probability below 10^-18. The
 * game is compiled and has its ranks. */
void definition_prove(const struct node *root, const struct game *game);
/* Proves that the exact return of each mode and class of bets is in its published band. */
void definition_prove_returns(const struct node *root, const struct game *game);

/* Reads a definition and does all checks; `returns` does the last one (NULL: it is left out). In a
 * file of its own (read.c), because it runs in browsers, where the exact mathematics does not. The
 * arguments and the result are those of definition_parse_flags. */
typedef void definition_proof(const struct node *root, const struct game *game);
enum definition_status definition_read(const char *name, const char *text, size_t count,
	uint32_t flags, definition_proof *returns, struct game *game_r, char *error);

/* ---- parts of definition_check ---- */

/* The largest number of cells that a symbol can have on a reel of a set. Includes symbols that fall
 * when collectibles are removed, but not bought and expanding wilds. */
struct strips_seen {
	uint8_t most[GAME_STRIP_SETS_MAX][GAME_REELS_MAX][GAME_SYMBOLS_MAX];
};

/* Fills `seen_r`. Checks which symbols are on which strips, and how far apart symbols are on a
 * strip. */
void definition_check_strips(
	const struct node *root, const struct game *game, struct strips_seen *seen_r);
/* Refuses features that can never start, and features that cannot be combined. */
void definition_check_features(
	const struct node *root, const struct game *game, const struct strips_seen *seen);
/* Checks the outcomes of the pick bonus and the progressive's rows. RULE bewitched 3.9, 4.2 */
void definition_check_jackpot(
	const struct node *root, const struct game *game, const struct strips_seen *seen);
/* Checks that bets can be placed and that all totals fit. */
void definition_check_bets(const struct node *root, const struct game *game);

/* The strip sets (bits) of the paid spins. */
uint32_t definition_base_sets(const struct game *game);
/* The largest number of reels that can show the symbol in one strip set of `sets` (bits). */
uint32_t definition_reels_with(
	const struct game *game, const struct strips_seen *seen, uint32_t sets, uint8_t symbol);

/* Can a stop of the sticky respins' locked reel show this symbol beside enough of the symbols that
 * lock the reel? */
bool definition_locked_with(const struct game *game, uint8_t symbol);

#endif
