/* Free spins: spins on their own strips, with multiplied line wins. */
#include "libcommon/game/core/rule.h"

#include <stddef.h>

/* RULE bewitched 3.12, 3.16: multiplied, also in free spins won by free spins. RULE bewitched 3.14:
 * the bet is that of the round. RULE bewitched 6.2: the first waits for the player. RULE bewitched
 * 3.18: they take no stake, so they contribute nothing. RULE mona-lisa 3.11, 3.12, 3.19, 3.20, 4.4,
 * 5.2; RULE witch-feature 6.2, 6.12, 6.13, 6.14 */
static void play(struct round *round, struct phase *phase)
{
	const struct free_spins_rules *rules = &round->game->free_spins;
	struct line_terms terms = { .multiplier = rules->line_multiplier,
		.wild_multiplier_count = rules->wild_multiplier_count,
		.wild_multiplier = rules->wild_multiplier,
		.progressive = progressive_live(round, CONTEXT_FREE) };

	phase_open(round, PHASE_FREE_SPIN, phase);
	if (round->free_left == 0) {
		round->free_left = round->free_appended;
		round->free_appended = 0;
	}
	round->free_left--;
	if (!round->free_started && rules->player_starts)
		phase->needs_player = NEEDS_START;
	round->free_started = true;
	phase->multiplier = rules->line_multiplier;
	spin_reels(round, phase, rules->strips, NULL);
	pay_lines(round, phase, &terms);
	pay_scatters(round, phase, CONTEXT_FREE);
	claim_anywhere(round, phase, CONTEXT_FREE);
	end_spin(round, phase, NULL, CONTEXT_FREE);
}

static bool offered(const struct game *game)
{
	return game->free_spins.offered;
}

static bool waits(const struct round *round)
{
	return round->free_left > 0 || round->free_appended > 0;
}

const struct feature_rule free_spins_rule = { .offered = offered, .waits = waits, .play = play };
