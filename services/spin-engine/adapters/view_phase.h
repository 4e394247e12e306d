/* One phase as a message: all that a screen needs to be drawn again, and nothing of what comes
 * after it. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_VIEW_PHASE_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_VIEW_PHASE_H

#include "libcommon/io/arena.h"
#include "libcommon/game/carried.h"
#include "libcommon/game/game.h"
#include "libcommon/game/round.h"

#include "spin.pb-c.h"

/* The messages are the arena's. */
ProtobufCBinaryData view_bytes(struct arena *arena, const void *bytes, size_t count);
/* One byte a cell that is in the mask. */
ProtobufCBinaryData view_cells(struct arena *arena, uint32_t mask);
/* `total`: the total bet of the phase's round. A jackpot's price is not in it: see view.c. There is
 * room for one more win. */
Carillon__Phase *view_phase(struct arena *arena, const struct game *game, struct money total,
	const struct phase *phase);
Carillon__WinItem *view_win(struct arena *arena, const char *what, const char *name);
/* What a bet value carries, in a game with potions. */
Carillon__Carried *view_carried(struct arena *arena, const struct game *game, struct money total,
	const struct round_state *state);

#endif
