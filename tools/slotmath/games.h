/* Definitions by name, as the subcommands are asked for them. */
#ifndef CARILLON_SLOTMATH_GAMES_H
#define CARILLON_SLOTMATH_GAMES_H

#include "libcommon/game/game.h"
#include "tools/slotmath/options.h"

#include <jansson.h>
#include <stddef.h>

#define GAMES_MAX 64

/* Loads GAME (an id of the folder, or a file); exits with 2 and the loader's words if it is
 * refused. The caller frees it with game_release. */
struct game *game_open(const struct options *options, const char *subject);
void game_release(struct game **game);
/* Ids of all games of the folder, in alphabetical order; exits with 2 if there is none. */
size_t games_list(const struct options *options, char ids_r[GAMES_MAX][GAME_ID_MAX]);

/* Index of --mode; exits with 2 if the game has no such mode. Without --mode: -1. */
int mode_wanted(const struct options *options, const struct game *game);

/* Prints and frees. */
void json_print(json_t *json);

#endif
