/* The types that features add to a game (rules) and to a round (state). If no other feature uses
 * the rules and state of a feature, its types.h declares them as struct NAME_rules and struct
 * NAME_state; its row OWN(NAME) in features.def puts them into struct game and struct round. */
#ifndef CARILLON_GAME_FEATURES_TYPES_H
#define CARILLON_GAME_FEATURES_TYPES_H

#include "libcommon/game/features/cascade/types.h"
#include "libcommon/game/features/collect-and-unlock/types.h"
#include "libcommon/game/features/free-spins/types.h"
#include "libcommon/game/features/hold-and-win/types.h"
#include "libcommon/game/features/pick-bonus/types.h"
#include "libcommon/game/features/scatter-award/types.h"
#include "libcommon/game/features/sticky-respins/types.h"

/* game->own.NAME and round->own.NAME. All zero: the game does not have the feature; the feature is
 * not running. */
struct feature_rules_own {
	char none; /* C does not allow empty structs */
#define OWN(name) struct name##_rules name;
#include "libcommon/game/features.def"
};

struct feature_state_own {
	char none;
#define OWN(name) struct name##_state name;
#include "libcommon/game/features.def"
};

#endif
