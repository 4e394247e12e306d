/* Finds and loads the definitions that the subcommands name. */
#ifndef CARILLON_SLOTMATH_GAMES_H
#define CARILLON_SLOTMATH_GAMES_H

#include "libcommon/game/game.h"
#include "tools/slotmath/options.h"

#include <jansson.h>
#include <stddef.h>

#define GAMES_MAX 64

/* Loads GAME (an id in the folder, or a file); prints the loader's error and exits with 2 if it is
 * refused. The caller frees it with game_release. */
struct game *game_open(const struct options *options, const char *subject);
void game_release(struct game **game);
/* The ids of all games in the folder, in alphabetical order; exits with 2 if there are none. */
size_t games_list(const struct options *options, char ids_r[GAMES_MAX][GAME_ID_MAX]);

/* The index of --mode; -1 without --mode. Exits with 2 if the game does not have the mode. */
int mode_wanted(const struct options *options, const struct game *game);

/* Prints `json` and frees it. */
void json_print(json_t *json);

#endif
