/* Plans of tags, used to build tables. */
#ifndef CARILLON_GAME_MONTECARLO_TAGS_H
#define CARILLON_GAME_MONTECARLO_TAGS_H

#include "libcommon/game/montecarlo/internal.h"

/* Makes room for the counts of spins of this set. */
void tag_plan_widen(const struct game *game, uint32_t set, uint32_t wild_reels, bool progressive,
	struct tag_plan *plan);
/* Sets the place of every field. */
void tag_plan_close(const struct game *game, struct tag_plan *plan);
/* Pays (minor units) and awards of scatters by their counts. */
void tag_scatters(const struct game *game, uint64_t total, enum spin_context context,
	const uint32_t count[GAME_SCATTERS_MAX], uint64_t *pay_r, uint32_t *awards_r);
/* Builds sim->info and sim->quiet of a context; false if memory ends. */
bool tag_infos_build(struct fast_sim *sim, enum spin_context context);

#endif
