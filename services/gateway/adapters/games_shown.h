/* What players may know of a game: symbols, pays, lines, bets, modes and their published returns,
 * and of each feature what its rules say. Never strips, weights or odds; always the math version.
 */
#ifndef CARILLON_GATEWAY_ADAPTERS_GAMES_SHOWN_H
#define CARILLON_GATEWAY_ADAPTERS_GAMES_SHOWN_H

#include <jansson.h>

/* Of a definition as the engine registered it. The caller's. */
json_t *games_shown(const json_t *definition, const char *math_version);

#endif
