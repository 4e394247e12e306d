/* The public part of a definition: symbols, paytable, lines, bets, modes with their published
 * returns, the rules of each feature, and the math version. Never strips, weights or odds. */
#ifndef CARILLON_GATEWAY_ADAPTERS_GAMES_SHOWN_H
#define CARILLON_GATEWAY_ADAPTERS_GAMES_SHOWN_H

#include <jansson.h>

/* From a definition as the engine registered it. The caller owns the result. */
json_t *games_shown(const json_t *definition, const char *math_version);

#endif
