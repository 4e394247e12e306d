/* The order of a round: which feature plays its next phase. The features are files of their own. */
#include "libcommon/game/round.h"

#include "libcommon/game/core/round_parts.h"

/* RULE mystic-gem 2.13: nothing but definition, bet, carried state and stream decides. */
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

/* What a spin triggered is played in this order, before the next spin of the same kind. RULE
 * mona-lisa 3.9, 3.14 to 3.17: sticky respins before free spins. RULE witch-feature 3.15: potion
 * features before free spins. */
static bool next_kind(const struct round *round, enum phase_kind *kind_r)
{
	if (!round->spin_played)
		*kind_r = PHASE_SPIN;
	else if (round->scatters > 0)
		*kind_r = PHASE_BATTLE;
	else if (round->bonuses > 0)
		*kind_r = PHASE_BONUS;
	else if (round->hold_running)
		*kind_r = hold_is_over(round) ? PHASE_HOLD_END : PHASE_HOLD_RESPIN;
	else if (round->exploding)
		*kind_r = PHASE_EXPLOSION;
	else if (round->features != 0)
		*kind_r = PHASE_POTION_RESPIN;
	else if (round->sticky_left > 0)
		*kind_r = PHASE_STICKY_SPIN;
	else if (round->free_left > 0 || round->free_appended > 0)
		*kind_r = PHASE_FREE_SPIN;
	else
		return false;
	return true;
}

enum round_status round_next(struct round *round, struct phase *phase_r)
{
	static void (*const play[])(struct round *, struct phase *) = {
		[PHASE_SPIN] = play_spin,
		[PHASE_BATTLE] = play_battle,
		[PHASE_BONUS] = play_bonus,
		[PHASE_FREE_SPIN] = play_free_spin,
		[PHASE_STICKY_SPIN] = play_sticky_spin,
		[PHASE_HOLD_RESPIN] = hold_respin,
		[PHASE_HOLD_END] = hold_end,
		[PHASE_POTION_RESPIN] = potions_respin,
		[PHASE_EXPLOSION] = potions_explode,
	};
	enum phase_kind kind;

	if (!next_kind(round, &kind))
		return ROUND_DONE;
	/* RULE bewitched 3.17; RULE mona-lisa 3.18; RULE witch-feature 6.9: free spins have no
	 * limit, memory and time have. */
	if (round->phases >= GAME_ROUND_PHASES_MAX)
		return ROUND_PHASE_LIMIT;
	play[kind](round, phase_r);
	phase_close(round, phase_r);
	return ROUND_OK;
}

/* RULE bewitched 7.2; RULE mystic-gem 8.3; RULE mystery-elves 6.8; RULE mona-lisa 6.2; RULE
 * witch-feature 8.4: the point a player had reached is played again from the same stream. */
enum round_status round_replay(const struct game *game, const struct bet *bet,
	const struct round_state *state, struct rng *rng, uint32_t index, struct phase *phase_r)
{
	struct round round;
	enum round_status status = round_begin(game, bet, state, rng, &round);

	for (uint32_t i = 0; status == ROUND_OK && i <= index; i++)
		status = round_next(&round, phase_r);
	return status;
}
