/* How a PAR sheet shows a feature (features.def). Both hooks may be NULL and are called only for
 * games that have the feature. */
#ifndef CARILLON_GAME_PAR_FEATURE_H
#define CARILLON_GAME_PAR_FEATURE_H

#include "libcommon/game/par.h"
#include "libcommon/game/rational.h"

struct feature_par {
	/* Adds sections on how the windows of a context start the feature. Called only if the game
	 * has spins in that context. */
	void (*context)(struct par_mode *mode, const struct par_context *context, json_t *sections);
	/* Adds sections on the whole mode. */
	void (*mode)(struct par_mode *mode, json_t *sections);
};

#define FEATURE(name) extern const struct feature_par name##_par;
#include "libcommon/game/features.def"

extern const struct feature_par *const feature_pars[FEATURES];

#endif
