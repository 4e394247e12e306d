/* Games for the tests of the core: the shipped definition, and copies of it whose reels show given
 * windows, so that a case is a text. Tests run from the project's root. */
#ifndef CARILLON_SUPPORT_GAME_GAME_FIXTURE_H
#define CARILLON_SUPPORT_GAME_GAME_FIXTURE_H

#include "libcommon/game/round.h"

#define FIXTURE_DEFINITION "services/spin-engine/games/bewitched/definition.json"
#define FIXTURE_DEMO "services/spin-engine/games/bewitched/definition.demo.json"
#define FIXTURE_EUR 978u
#define FIXTURE_WINDOWS_MAX 16
#define FIXTURE_SCRIPT_MAX 256

/* The game, loaded once; fails the test if it is refused. */
const struct game *fixture_game(void);
/* The same with reels that show window i at stop i x rows. A window is text: rows from the top,
 * parted by '/', two letters for a symbol (see fixture_symbol). */
void fixture_windows(struct game *game, const char *const *windows, size_t count);
/* "WI" wild, "BA" battle, "MU" wizard, "CT" cat, "CA" cauldron, others by their first letters. */
uint8_t fixture_symbol(const struct game *game, const char *two);

/* Turns a script into forced results: "0" .. a window on all reels, "b8" a battle that awards 8
 * free spins, "vm50" "vf15" "vj" vials. Returns their number. */
size_t fixture_script(
	const struct game *game, const struct bet *bet, const char *script, uint32_t *results);
/* Appends a phase as text: "spin L1 wand 3 =40; " ... */
void fixture_trace(const struct game *game, const struct phase *phase, char *out, size_t room);

#endif
