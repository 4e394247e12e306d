/* The exact figures as JSON, in the form that `rtp --json`, `par --format json` and others
 * share. */
#ifndef CARILLON_GAME_MODE_JSON_H
#define CARILLON_GAME_MODE_JSON_H

#include "libcommon/game/exact.h"

#include <jansson.h>
#include <stdbool.h>

/* `quick`: leaves out the figures that only EXACT_ALL computes. Returns a new reference. */
json_t *mode_json(const struct exact_mode *mode, bool quick);
/* Every win of the paid spin's own lines and scatters: [{"x": "p/q", "probability": "p/q"}]. */
json_t *distribution_json(const struct exact_mode *mode);
/* Takes ownership of `modes`. */
json_t *game_json(const struct game *game, json_t *modes, uint64_t elapsed_us);

#endif
