/* Plays cascades from the stops of a winning spin; other spins have none. */
#include "libcommon/game/montecarlo/feature.h"

#include "libcommon/game/features/cascade/cycle.h"

static void play(struct fast_player *player, enum spin_context context, uint32_t tag,
	const struct place *place)
{
	const struct fast_sim *sim = player->sim;
	struct cycle_terms terms;
	struct cycle_spin spin;
	uint16_t stop[GAME_REELS_MAX];

	(void)tag;
	place_stops(place, stop);
	cycle_terms_init(sim->game, place->table->set, sim->bet.lines, context, &terms);
	terms.wild_reels = place->table->wild_reels;
	cycle_play(&terms, stop, &spin);
	player->stats->event[EVENT_TUMBLE] += spin.tumbles;
	player->stats->event[EVENT_CASCADE]++;
	run_add(player, SOURCE_CASCADE, spin.rest * sim->line_bet);
}

/* After a winning spin there is at least one tumble. */
static void count(const struct game *game, const struct phase *phase, uint64_t event[EVENTS])
{
	if (game->own.cascade.tumbles_max == 0 ||
		(phase->kind != PHASE_SPIN && phase->kind != PHASE_FREE_SPIN))
		return;
	for (uint32_t i = 0; i < phase->win_count; i++)
		if (phase->win[i].what == WIN_LINE) {
			event[EVENT_CASCADE]++;
			return;
		}
}

const struct feature_fast cascade_fast = { .play = play, .on_win = true, .count = count };
