/* Cascades of a definition: "cascades". */
#include "libcommon/game/features/cascade/cycle.h"

#include "libcommon/game/definition/feature.h"

#define MULTIPLIER_MAX 100

static void read_multipliers(
	const struct node *list, struct cascade_rules *rules, enum spin_context context)
{
	size_t count = node_array(list, 1, CASCADE_MULTIPLIERS_MAX);

	rules->multiplier_count[context] = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct node node = node_item(list, i);
		uint32_t least = i > 0 ? rules->multiplier[context][i - 1] : 1;

		rules->multiplier[context][i] = node_u32(&node, least, MULTIPLIER_MAX);
	}
}

static void read_cascades(const struct node *cascades, struct game *game)
{
	struct cascade_rules *rules = &game->own.cascade;
	struct node most = node_member(cascades, "tumbles_max");
	struct node paid = node_member(cascades, "multipliers");
	struct node in_free = node_member(cascades, "free_spin_multipliers");

	node_keys(cascades, "tumbles_max multipliers free_spin_multipliers");
	rules->tumbles_max = node_u32(&most, 1, CASCADE_TUMBLES_MAX);
	read_multipliers(&paid, rules, CONTEXT_BASE);
	if (!node_is_null(&in_free))
		read_multipliers(&in_free, rules, CONTEXT_FREE);
}

/* Features that change windows themselves, or use the lines of a single window, cannot be combined
 * with cascades. */
static void check_together(const struct node *root, const struct game *game)
{
	definition_not_with(root, "cascades", game->unlock.offered, "potions");
	definition_not_with(root, "cascades", game->sticky.offered, "sticky_respins");
	definition_not_with(root, "cascades", game->hold.offered, "hold_and_win");
	definition_not_with(root, "cascades", game->expanding_reels != 0, "expanding_wild");
	definition_not_with(root, "cascades", game->jackpot_symbols.symbol != GAME_NO_SYMBOL,
		"progressive_symbols");
}

/* The exact mathematics plays every combination of stops and does not support bought reels and
 * guarantees; returns of other modes may be simulated. */
static void check_exact(const struct node *cascades, const struct game *game)
{
	for (uint32_t m = 0; m < game->mode_count; m++) {
		const struct game_mode *mode = &game->mode[m];

		if (game_mode_simulated(mode))
			continue;
		if (mode->position_count > 0 || mode->guarantee != GUARANTEE_NONE)
			node_fail(cascades, NULL,
				"null, or a simulated return for mode %s, because that mode has "
				"bought wild reels or a guarantee",
				mode->id);
		if (cycle_stops(game, mode->strips) > CYCLE_STOPS_MAX ||
			(game->free_spins.offered &&
				cycle_stops(game, game->free_spins.strips) > CYCLE_STOPS_MAX))
			node_fail(cascades, NULL,
				"strips with at most %u combinations of stops, or a simulated "
				"return for mode %s",
				CYCLE_STOPS_MAX, mode->id);
	}
}

static void check(const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	struct node cascades, in_free;

	(void)seen;
	if (game->own.cascade.tumbles_max == 0)
		return;
	cascades = node_member(root, "cascades");
	in_free = node_member(&cascades, "free_spin_multipliers");
	check_together(root, game);
	check_exact(&cascades, game);
	if (game->free_spins.offered != (game->own.cascade.multiplier_count[CONTEXT_FREE] > 0))
		node_fail(&in_free, NULL, "multipliers in a game with free spins, else null");
}

static uint32_t line_factor(const struct game *game)
{
	const struct cascade_rules *rules = &game->own.cascade;
	uint32_t most = 1;

	for (uint32_t c = 0; c < 2; c++)
		for (uint32_t i = 0; i < rules->multiplier_count[c]; i++)
			if (rules->multiplier[c][i] > most)
				most = rules->multiplier[c][i];
	return most;
}

static uint32_t phases(const struct game *game, enum spin_context context)
{
	(void)context;
	return game->own.cascade.tumbles_max;
}

const struct feature_definition cascade_definition = { .member = "cascades",
	.optional = true,
	.read = read_cascades,
	.check = check,
	.line_factor = line_factor,
	.phases = phases };
