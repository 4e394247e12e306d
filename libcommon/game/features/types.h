/* The types that features add to a game (rules) and to a round (state), and nothing else. A feature
 * whose rules and state are its own alone has a struct NAME_rules and a struct NAME_state there,
 * and a row in features.def (OWN) that puts them into struct game and struct round. */
#ifndef CARILLON_GAME_FEATURES_TYPES_H
#define CARILLON_GAME_FEATURES_TYPES_H

#include "libcommon/game/features/cascade/types.h"
#include "libcommon/game/features/collect-and-unlock/types.h"
#include "libcommon/game/features/free-spins/types.h"
#include "libcommon/game/features/hold-and-win/types.h"
#include "libcommon/game/features/pick-bonus/types.h"
#include "libcommon/game/features/scatter-award/types.h"
#include "libcommon/game/features/sticky-respins/types.h"

/* game->own.NAME and round->own.NAME; all zero: the game has no such feature, nothing is going on.
 */
struct feature_rules_own {
	char none; /* C knows no empty struct */
#define OWN(name) struct name##_rules name;
#include "libcommon/game/features.def"
};

struct feature_state_own {
	char none;
#define OWN(name) struct name##_state name;
#include "libcommon/game/features.def"
};

#endif
