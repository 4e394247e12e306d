/* What no single field of a definition can tell: parts that must fit each other, and the proofs
 * that the core's bounds hold. Mistakes go to the reader of `root`. */
#ifndef CARILLON_SPIN_ENGINE_DEFINITION_CHECK_H
#define CARILLON_SPIN_ENGINE_DEFINITION_CHECK_H

#include "services/spin-engine/adapters/definition_json.h"
#include "services/spin-engine/core/game.h"

void definition_check(const struct node *root, const struct game *game);
/* For a compiled game: a round of more than GAME_ROUND_PHASES_MAX phases has a probability below
 * 10^-18. */
void definition_prove(const struct node *root, const struct game *game);

#endif
