/* What the files of the features share. */
#ifndef CARILLON_GAME_MONTECARLO_FEATURES_H
#define CARILLON_GAME_MONTECARLO_FEATURES_H

#include "libcommon/game/montecarlo/internal.h"

/* The window as it is paid. */
void window_of(const struct place *place, uint8_t *window);
/* One reel of a set spins. */
void column_draw(
	struct fast_player *player, uint32_t set, uint32_t reel, struct reel_column *column_r);

/* Potions of a paid spin, whose tag has them, and what they start. fast_potions.c */
void potions_collected(struct fast_player *player, uint32_t tag, const struct place *place);
/* What a free spin of a potion game may start. */
void potions_in_free_spin(struct fast_player *player);

#endif
