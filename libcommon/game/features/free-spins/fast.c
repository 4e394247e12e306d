/* Free spins are spins: montecarlo/settle.c plays them. */
#include "libcommon/game/montecarlo/feature.h"

const struct feature_fast free_spins_fast = { 0 };
