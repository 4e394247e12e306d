/* A phase as `GET /v1/rounds/{round}` shows it: the same members, in the order of the message Phase
 * (proto/spin.proto). The player's picks are left out, because no draw depends on them. */
#ifndef CARILLON_FAIR_PHASE_JSON_H
#define CARILLON_FAIR_PHASE_JSON_H

#include "libcommon/fair/private/text_out.h"
#include "libcommon/game/round.h"

/* `paid`: what the pool paid for the phase's jackpot, 0 if the phase has none. `total`: the total
 * bet. */
void phase_json(struct text_out *out, const struct game *game, struct money total,
	const struct phase *phase, int64_t paid);

#endif
