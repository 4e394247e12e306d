/* What the two files of the rule share. */
#ifndef CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_RULE_H
#define CARILLON_GAME_FEATURES_COLLECT_AND_UNLOCK_RULE_H

#include "libcommon/game/core/rule.h"

/* round->features != 0. One respin, opens PHASE_UNLOCK_RESPIN; clears round->features when no
 * further one follows. */
void unlock_respin(struct round *round, struct phase *phase);
/* round->exploding. Marks over round->window, opens PHASE_EXPLOSION; clears round->exploding. */
void unlock_explode(struct round *round, struct phase *phase);

#endif
