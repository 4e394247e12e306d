/* The order of a round: which feature plays its next phase. */
#include "libcommon/game/round.h"

#include "libcommon/game/core/rule.h"

#include <stddef.h>

/* RULE mystic-gem 2.13: only definition, bet, carried state and stream decide. */
enum round_status round_begin(const struct game *game, const struct bet *bet,
	const struct round_state *state, struct rng *rng, struct round *round_r)
{
	struct bet_error error;
	struct money stake, total;

	if (bet_check(game, bet, &stake, &error) != BET_OK || bet_total(bet, &total) != BET_OK)
		return ROUND_BAD_BET;
	*round_r = (struct round){ .game = game,
		.rng = rng,
		.bet = *bet,
		.stake = stake,
		.total = total,
		.line_bet = times(money_of(bet->coin_minor), bet->coins) };
	if (state)
		round_r->state = *state;
	return ROUND_OK;
}

const struct feature_rule *const feature_rules[FEATURES] = {
#define FEATURE(name) [FEATURE_##name] = &name##_rule,
#include "libcommon/game/features.def"
};

/* The feature that plays the next phase; NULL: the round is over. */
static const struct feature_rule *next_feature(const struct round *round)
{
	for (uint32_t i = 0; i < FEATURES; i++)
		if (feature_rules[i]->waits && feature_rules[i]->waits(round))
			return feature_rules[i];
	return NULL;
}

enum round_status round_next(struct round *round, struct phase *phase_r)
{
	const struct feature_rule *feature = NULL;

	if (round->spin_played) {
		feature = next_feature(round);
		if (!feature)
			return ROUND_DONE;
	}
	/* RULE bewitched 3.17; RULE mona-lisa 3.18; RULE witch-feature 6.9: free spins have no
	 * limit, but memory and time do. */
	if (round->phases >= GAME_ROUND_PHASES_MAX)
		return ROUND_PHASE_LIMIT;
	if (feature)
		feature->play(round, phase_r);
	else
		play_spin(round, phase_r);
	phase_close(round, phase_r);
	return ROUND_OK;
}

/* RULE bewitched 7.2; RULE mystic-gem 8.3; RULE mystery-elves 6.8; RULE mona-lisa 6.2; RULE
 * witch-feature 8.4: a replay from the same stream restores the point that a player had reached. */
enum round_status round_replay(const struct game *game, const struct bet *bet,
	const struct round_state *state, struct rng *rng, uint32_t index, struct phase *phase_r)
{
	struct round round;
	enum round_status status = round_begin(game, bet, state, rng, &round);

	for (uint32_t i = 0; status == ROUND_OK && i <= index; i++)
		status = round_next(&round, phase_r);
	return status;
}
