/* Collectibles are collected from left to right. Three are a combination, which starts its feature,
 * an explosion or nothing. Collectibles and unlocked features belong to the bet value (struct
 * round_state) and are carried from round to round. */
#include "libcommon/game/features/collect-and-unlock/rule.h"

#include <assert.h>
#include <string.h>

#define COMBINATION 3u

static uint32_t collected_count(const struct round_state *state)
{
	uint32_t count = 0;

	for (uint32_t c = 0; c < GAME_COLOURS; c++)
		count += state->collectibles[c];
	return count;
}

/* The step with this combination, locked or not; step_count: none. RULE witch-feature 3.6 */
static uint32_t step_of(const struct unlock_rules *rules, const struct round_state *state)
{
	for (uint32_t i = 0; i < rules->step_count; i++)
		if (memcmp(rules->step[i].needs, state->collectibles,
			    sizeof(state->collectibles)) == 0)
			return i;
	return rules->step_count;
}

/* RULE witch-feature 3.8 to 3.10: each feature unlocks the next. RULE witch-feature 3.11: an
 * unlocked feature stays unlocked, so a step before the last unlocked one unlocks nothing new. */
static void trigger(struct round *round, struct phase *phase, uint32_t step)
{
	const struct unlock_rules *rules = &round->game->unlock;

	if (step == round->state.unlocked && step + 1 < rules->step_count)
		round->state.unlocked++;
	round->features = UINT32_C(1) << rules->step[step].kind;
	round->feature_multiplier = 0;
	phase->features = round->features;
}

/* RULE witch-feature 3.5: three collectibles are used up, whatever they start. RULE witch-feature
 * 3.7: only unlocked features start. RULE witch-feature 5.1: a combination that starts no feature
 * may explode. */
static void combine(struct round *round, struct phase *phase)
{
	const struct unlock_rules *rules = &round->game->unlock;
	uint32_t step = step_of(rules, &round->state);

	memset(round->state.collectibles, 0, sizeof(round->state.collectibles));
	if (step < rules->step_count && step <= round->state.unlocked) {
		trigger(round, phase, step);
		return;
	}
	phase->explodes = draw_odds(round, phase, DRAW_EXPLODES, 0,
		step < rules->step_count ? rules->explosion_locked[rules->step[step].kind]
					 : rules->explosion);
	round->exploding = phase->explodes;
}

/* RULE witch-feature 3.1: reels show them if the strips have them. RULE witch-feature 3.3: from
 * left to right. RULE witch-feature 3.12, 3.13: round->state is what this bet value carries. RULE
 * witch-feature 4.1, 5.2: called when the lines are paid. */
static void collect(struct round *round, struct phase *phase, const struct reel_column columns[])
{
	const struct game *game = round->game;

	assert(collected_count(&round->state) < COMBINATION);
	assert(round->state.unlocked < game->unlock.step_count);
	phase->features = 0;
	phase->explodes = false;
	for (uint32_t r = 0; r < game->reels; r++) {
		uint8_t colour = columns[r].collectible;

		phase->collected_colour[r] = colour;
		if (colour == 0)
			continue;
		assert(colour <= GAME_COLOURS);
		round->state.collectibles[colour - 1]++;
		if (collected_count(&round->state) == COMBINATION)
			combine(round, phase);
	}
}

/* RULE witch-feature 6.3: free spins have no collectibles: any feature may start, locked or not,
 * and none is unlocked. RULE witch-feature 6.4: a set is one feature, or the multiplier with one
 * other. */
static void free_spin_feature(struct round *round, struct phase *phase)
{
	const struct unlock_rules *rules = &round->game->unlock;

	phase->features = 0;
	if (rules->free_feature.in == 0 ||
		!draw_odds(round, phase, DRAW_FEATURE, 0, rules->free_feature))
		return;
	round->features = draw_choice(round, phase, DRAW_FEATURE_SET, 0, &rules->free_set);
	round->feature_multiplier = 0;
	phase->features = round->features;
}

static bool offered(const struct game *game)
{
	return game->unlock.offered;
}

/* The paid spin's collectibles, after its wins. A free spin collects none, but it may start a
 * feature by a draw. */
static void after_spin(struct round *round, struct phase *phase, const struct reel_column *columns,
	enum spin_context context)
{
	if (context == CONTEXT_BASE)
		collect(round, phase, columns);
	else
		free_spin_feature(round, phase);
}

static bool waits(const struct round *round)
{
	return round->exploding || round->features != 0;
}

static void play(struct round *round, struct phase *phase)
{
	(round->exploding ? unlock_explode : unlock_respin)(round, phase);
}

const struct feature_rule collect_and_unlock_rule = {
	.offered = offered, .after_spin = after_spin, .waits = waits, .play = play
};
