/* Shared by the two files of the rule. */
#ifndef CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_RULE_H
#define CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_RULE_H

#include "libcommon/game/core/rule.h"

/* Requires round->features != 0. Opens PHASE_UNLOCK_RESPIN and plays one respin; clears
 * round->features after the last respin. */
void unlock_respin(struct round *round, struct phase *phase);
/* Requires round->exploding. Opens PHASE_EXPLOSION and puts marks on round->window; clears
 * round->exploding. */
void unlock_explode(struct round *round, struct phase *phase);

#endif
