/* One phase as a message: all that a client needs to draw the screen, nothing of later phases. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_VIEW_PHASE_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_VIEW_PHASE_H

#include "libcommon/io/arena.h"
#include "libcommon/game/carried.h"
#include "libcommon/game/game.h"
#include "libcommon/game/round.h"

#include "spin.pb-c.h"

/* The arena owns the messages. */
ProtobufCBinaryData view_bytes(struct arena *arena, const void *bytes, size_t count);
/* One byte for each cell in the mask. */
ProtobufCBinaryData view_cells(struct arena *arena, uint32_t mask);
/* `total`: the total bet of the phase's round. The message lacks a jackpot's value, which view.c
 * adds; it has room for one more win. */
Carillon__Phase *view_phase(struct arena *arena, const struct game *game, struct money total,
	const struct phase *phase);
Carillon__WinItem *view_win(struct arena *arena, const char *what, const char *name);
/* The carried state of a bet value, in a game with potions. */
Carillon__Carried *view_carried(struct arena *arena, const struct game *game, struct money total,
	const struct round_state *state);

#endif
