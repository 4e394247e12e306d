/* Small games for the tests of one feature, made in memory, so that a case is a text: symbols are
 * letters, every entry of every table weighs 1, every chance is 1 of something. */
#ifndef CARILLON_SUPPORT_GAME_FEATURE_GAME_H
#define CARILLON_SUPPORT_GAME_FEATURE_GAME_H

#include "libcommon/game/round.h"

#define FEATURE_SCRIPT_MAX 512
#define FEATURE_TRACE_MAX 8192
#define FEATURE_EUR 978u

enum feature_set { SET_BASE, SET_FREE, SET_HIGH, SET_WILDS, SET_MULTIPLIER, SET_MEGA, SET_COUNT };

/* 5x3, two lines (middle, top), total bet 2 x coin. Symbols: W wild (no pays), B bonus, A (3: 5, 4:
 * 20, 5: 100), K, Q, J (3: 2, 4: 5, 5: 10). Six bonus symbols start three respins; values x1 to
 * x18; awards mini x20, minor x50, major x100, grand x1000; multipliers x2 to x5. */
void feature_game_hold(struct game *game);
/* 5x4, two lines (row 1, row 0). Symbols: W wild (3: 10, 4: 40, 5: 200), A, K, Q, J as above, F
 * free spins (on reels 1 and 5: 2; in free spins 1 for one, 2 for two), r g b potions. Random
 * wilds: none or one on a reel; multipliers x2 x3 x5 x8 x10; mega wilds: 3x3 at the first cell, two
 * 2x2 at reel 1 row 0 and reel 4 row 2; marks: none, one or two on a reel; revealed: W, A, K;
 * explosion 1 of 4, locked 1 of 5 (wilds), 1 of 6 (multiplier), 1 of 7 (mega); features of free
 * spins 1 of 8: high, wilds, multiplier, mega, multiplier and high, .. and wilds, .. and mega. */
void feature_game_unlock(struct game *game);

/* Puts windows on a set of strips; window i shows at "w" i of a script. A window is text, rows from
 * the top parted by '/'. With one row more than the game has, the first is what is above the
 * window.
 */
void feature_windows(
	struct game *game, enum feature_set set, const char *const *windows, uint32_t count);

/* Script to forced results, in the order of the draws. Tokens, each may be followed by a number:
 * w window on all reels; y it happens, n it does not (a number: so many times); v value, o own
 * value,
 * * multiplier of the hold and win; m Mystery, x Multiplying; anything else: the number itself, the
 * letter is for the reader. Returns how many. */
size_t feature_script(const struct game *game, const char *script, uint32_t *results);

/* Appends a phase as text. */
void feature_trace(const struct game *game, const struct phase *phase, char *out, size_t room);

/* Plays a round from the script and compares its phases with `expected`; all of the script must be
 * used. Every draw must be recorded with the value that was drawn. State after it in *state. */
void feature_round(const char *what, const struct game *game, struct round_state *state,
	const char *script, const char *expected);

/* What holds in every phase of every round: items add up, draws are below their bounds, the window
 * shows known symbols, the state is legal. */
void feature_check_phase(const struct game *game, const struct phase *phase);

#endif
