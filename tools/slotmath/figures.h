/* Exact numbers as text, and definitions by name. */
#ifndef CARILLON_SLOTMATH_FIGURES_H
#define CARILLON_SLOTMATH_FIGURES_H

#include "services/spin-engine/core/game.h"
#include "services/spin-engine/exact/exact.h"
#include "tools/slotmath/options.h"

#include <jansson.h>

#define DIGITS 12 /* behind the point, in JSON */
#define GAMES_MAX 64

/* Decimals of a rational, correctly rounded (half away from zero). The caller frees it. */
char *rational_decimals(const mpq_t value, unsigned digits);
/* The square root of a rational, 40 digits good; for deviations. */
char *rational_root_decimals(const mpq_t value, const char *factor, unsigned digits);
/* x 100, as people write percents. */
char *rational_percent(const mpq_t value, unsigned digits);
json_t *json_decimals(const mpq_t value);
json_t *json_fraction(const mpq_t value); /* "p/q" */

/* 1 / frequency, "0" where it never happens. */
char *one_in(const mpq_t frequency, unsigned digits);

/* z of a two-sided 90 % interval: the volatility index is this many standard deviations of one
 * round's win in stakes. */
#define VOLATILITY_Z "1.644853626951472714863848907991632136"
/* The same of 99 % and 99.9 %. */
#define Z_99 2.5758293035489004
#define Z_999 3.2905267314919255

void hex_text(const uint8_t *bytes, size_t count, char *out);

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
