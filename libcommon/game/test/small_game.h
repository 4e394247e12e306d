/* Small games for the tests of single features: symbols and windows as text, one letter a symbol,
 * nothing offered but lines. A test switches on what it is about and calls game_compile. */
#ifndef CARILLON_GAME_TEST_SMALL_GAME_H
#define CARILLON_GAME_TEST_SMALL_GAME_H

#include "libcommon/game/round.h"

#include <stddef.h>

#define SMALL_EUR 978u
#define SMALL_SCRIPT_MAX 512

/* Five reels. `symbols`: "A line 3:5 4:20 5:100;W wild;S scatter 3:2;B bonus;J jackpot 5:50". Lines
 * are the rows, from the top; a bet is in EUR at coin 1, 2, 10 or 100, 1 to 10 coins a line. Strip
 * set 0 is empty: small_strips comes next. */
void small_game(struct game *game, uint32_t rows, const char *symbols);
/* The symbol written with that letter. */
uint8_t small_symbol(const struct game *game, char letter);
/* Strips of set `set` that show window i at stop i x rows; windows are rows from the top, parted by
 * '/'. Compiles the game. */
void small_strips(struct game *game, uint32_t set, const char *const *windows, size_t count);
/* A script of draws: "2" the stops of window 2 on all reels, "!2" on all but the first, "=7" the
 * value 7. Returns how many. */
size_t small_script(const struct game *game, const char *script, uint32_t *results);
/* The window of a phase as text, as small_strips takes it. */
void small_window(const struct game *game, const struct phase *phase, char *out, size_t room);
/* Plays a round from a script and writes its phases as fixture_trace does; fails the test if the
 * script and the draws of the round are not of one length. */
void small_round(const struct game *game, const struct bet *bet, const char *script, char *trace,
	size_t room);

#endif
