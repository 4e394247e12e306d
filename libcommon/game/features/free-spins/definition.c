/* Free spins of a definition: "free_spins". */
#include "libcommon/game/definition/feature.h"

#include <stdio.h>

#define MULTIPLIER_MAX 100

static void read_wild_multipliers(const struct node *list, struct game *game)
{
	struct free_spins_rules *rules = &game->free_spins;
	size_t count;

	if (node_is_null(list))
		return;
	count = node_array(list, 2, game->reels + 1);
	rules->wild_multiplier_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct node node = node_item(list, i);
		uint32_t least = i > 0 ? rules->wild_multiplier[i - 1] : 1;

		rules->wild_multiplier[i] = node_u32(&node, least, MULTIPLIER_MAX);
	}
	if (game->wild == GAME_NO_SYMBOL)
		node_fail(list, NULL, "null in a game without a wild");
}

/* Free spins by the count of a scatter, in one context. */
static void read_award(
	const struct node *awards, const char *context, const struct game *game, uint16_t *award)
{
	struct node counts = node_member(awards, context);
	size_t count = node_object(&counts, 0, game->reels);

	for (size_t i = 0; i < count; i++) {
		const char *key;
		struct node spins = node_nth(&counts, i, &key);
		uint32_t number;

		if (node_number_key(&spins, key, 1, game->reels, &number))
			award[number] = (uint16_t)node_u32(&spins, 1, GAME_AWARD_MAX);
	}
}

static void read_awards(const struct node *awards, struct game *game)
{
	struct free_spins_rules *rules = &game->free_spins;
	struct node symbol;

	if (node_is_null(awards))
		return;
	symbol = node_member(awards, "symbol");
	node_keys(awards, "symbol base free respin");
	rules->award_symbol = definition_symbol(&symbol, game, KIND_BIT(SYMBOL_SCATTER));
	read_award(awards, "base", game, rules->award[CONTEXT_BASE]);
	read_award(awards, "free", game, rules->award[CONTEXT_FREE]);
	read_award(awards, "respin", game, rules->award[CONTEXT_RESPIN]);
}

static void without(struct game *game)
{
	game->free_spins.award_symbol = GAME_NO_SYMBOL;
	game->free_spins.line_multiplier = 1;
}

static void read_free_spins(const struct node *free_spins, struct game *game)
{
	struct free_spins_rules *rules = &game->free_spins;
	struct node strips = node_member(free_spins, "strips");
	struct node starts = node_member(free_spins, "player_starts");
	struct node multiplier = node_member(free_spins, "line_multiplier");
	struct node wilds = node_member(free_spins, "wild_multipliers");
	struct node awards = node_member(free_spins, "awards");

	node_keys(free_spins, "strips player_starts line_multiplier wild_multipliers awards");
	rules->offered = true;
	rules->strips = definition_strips(&strips, game);
	rules->player_starts = node_bool(&starts);
	rules->line_multiplier = node_u32(&multiplier, 1, MULTIPLIER_MAX);
	read_wild_multipliers(&wilds, game);
	read_awards(&awards, game);
}

/* The smallest count of the symbol that awards in a context; 0: it never awards there. */
static uint32_t award_from(const struct game *game, enum spin_context context)
{
	for (uint32_t n = 1; n <= game->reels; n++)
		if (game->free_spins.award[context][n] > 0)
			return n;
	return 0;
}

/* In a sticky respin the locked reel shows the window it was locked with, not its strip. */
static uint32_t respin_reach(const struct game *game, const struct strips_seen *seen)
{
	uint8_t symbol = game->free_spins.award_symbol;
	uint32_t reels = definition_locked_with(game, symbol) ? 1 : 0;

	for (uint32_t r = 0; r < game->reels; r++)
		reels += r != game->sticky.reel && seen->most[game->sticky.strips][r][symbol] > 0;
	return reels;
}

static void check_award(const struct node *awards, const struct game *game,
	const struct strips_seen *seen, enum spin_context context)
{
	static const char *const words[SPIN_CONTEXTS] = { "base", "free", "respin" };
	const uint32_t sets[SPIN_CONTEXTS] = { definition_base_sets(game),
		definition_free_sets(game), definition_sticky_sets(game) };
	const uint16_t *award = game->free_spins.award[context];
	uint32_t from = award_from(game, context), reach;
	struct node node = node_member(awards, words[context]);

	if (from == 0)
		return;
	if (sets[context] == 0) {
		node_fail(&node, NULL, "an empty object in a game without sticky respins");
		return;
	}
	reach = definition_reels_with(game, seen, sets[context], game->free_spins.award_symbol);
	if (context == CONTEXT_RESPIN)
		reach = respin_reach(game, seen);
	if (from > reach)
		node_fail(&node, NULL,
			"awards for at most %u symbols, because the strips show no more", reach);
	for (uint32_t n = 2; n <= game->reels; n++)
		if (award[n] < award[n - 1] && (n <= reach || award[n] > 0))
			node_fail(&node, "awards that fall as the count grows",
				"a larger count to award at least as many (%u award %u, %u award "
				"%u)",
				n - 1, award[n - 1], n, award[n]);
}

static bool scatter_award_gives(const struct game *game)
{
	for (uint32_t n = 0; n <= game->reels; n++)
		for (uint32_t i = 0; i < game->scatter_award_count[n]; i++)
			if (game->scatter_award[n][i].free_spins > 0)
				return true;
	return false;
}

static bool picks_award(const struct game *game)
{
	for (uint32_t i = 0; i < game->pick_outcome_count; i++)
		if (game->pick_outcome[i].kind == PICK_FREE_SPINS)
			return true;
	return false;
}

static void check_free_spins(
	const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	struct node node = node_member(root, "free_spins"), awards;
	bool others = scatter_award_gives(game) || picks_award(game);

	if (!game->free_spins.offered) {
		if (others)
			node_fail(&node, NULL, "free spins, because %s award them",
				scatter_award_gives(game) ? "battles" : "vials");
		return;
	}
	if (game->free_spins.award_symbol != GAME_NO_SYMBOL) {
		awards = node_member(&node, "awards");
		for (uint32_t c = 0; c < SPIN_CONTEXTS; c++)
			check_award(&awards, game, seen, (enum spin_context)c);
		others |=
			award_from(game, CONTEXT_BASE) > 0 || award_from(game, CONTEXT_RESPIN) > 0;
	}
	if (!others)
		node_fail(&node, "free spins that nothing awards",
			"a scatter, battle or vials that award them, or null");
}

const struct feature_definition free_spins_definition = { .member = "free_spins",
	.read = read_free_spins,
	.without = without,
	.check = check_free_spins };
