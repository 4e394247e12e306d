/* The table of features, and members that are not features: expanding wilds, symbols that win the
 * progressive, witches. */
#include "libcommon/game/definition/feature.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void read_expanding(const struct node *root, struct game *game)
{
	struct node wild = node_member(root, "expanding_wild"), reels;
	size_t count;

	if (node_is_null(&wild))
		return;
	reels = node_member(&wild, "reels");
	node_keys(&wild, "reels");
	count = node_array(&reels, 1, game->reels);
	for (size_t i = 0; i < count; i++) {
		struct node reel = node_item(&reels, i);
		uint32_t bit = UINT32_C(1) << definition_reel(&reel, game);

		if (game->expanding_reels & bit)
			node_fail(&reel, NULL, "each reel only once");
		game->expanding_reels |= bit;
	}
	if (game->wild == GAME_NO_SYMBOL)
		node_fail(&wild, NULL, "null in a game without a wild");
}

static void read_progressive(const struct node *root, struct game *game)
{
	struct jackpot_symbols *rules = &game->jackpot_symbols;
	struct node progressive = node_member(root, "progressive_symbols");
	struct node symbol, count, where, bets;

	rules->symbol = GAME_NO_SYMBOL;
	if (node_is_null(&progressive))
		return;
	symbol = node_member(&progressive, "symbol");
	count = node_member(&progressive, "count");
	where = node_member(&progressive, "where");
	bets = node_member(&progressive, "bets");
	node_keys(&progressive, "symbol count where bets");
	rules->symbol = definition_symbol(&symbol, game, KIND_BIT(SYMBOL_JACKPOT));
	rules->count = node_u32(&count, 1, game->reels);
	rules->anywhere = node_word(&where, "line anywhere") == 1;
	rules->max_bet_only = node_word(&bets, "all max") == 1;
}

static void read_witches(const struct node *root, struct game *game)
{
	struct node witches = node_member(root, "witches");
	size_t count = node_array(&witches, 0, GAME_WITCHES_MAX);

	game->witch_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct node witch = node_item(&witches, i);

		node_slug(&witch, game->witch[i], sizeof(game->witch[i]));
		for (size_t other = 0; other < i; other++)
			if (strcmp(game->witch[other], game->witch[i]) == 0)
				node_fail(&witch, NULL, "each witch only once");
	}
}

const struct feature_definition *const feature_definitions[FEATURES] = {
#define FEATURE(name) [FEATURE_##name] = &name##_definition,
#include "libcommon/game/features.def"
};

static void read_feature(
	const struct node *root, const struct feature_definition *feature, struct game *game)
{
	struct node node;

	if (feature->without)
		feature->without(game);
	if (feature->optional && !node_has(root, feature->member))
		return;
	node = node_member(root, feature->member);
	if (!node_is_null(&node))
		feature->read(&node, game);
}

void definition_read_features(const struct node *root, struct game *game)
{
	struct node hours = node_member(root, "resolve_after_hours");

	read_expanding(root, game);
	for (uint32_t f = 0; f < FEATURES; f++)
		read_feature(root, feature_definitions[f], game);
	read_progressive(root, game);
	read_witches(root, game);
	/* RULE bewitched 7.4 */
	game->resolve_after_hours = node_u32(&hours, 1, 24 * 365);
}

void definition_members(char out[DEFINITION_MEMBERS_MAX])
{
	size_t at = strlen(out);

	for (uint32_t f = 0; f < FEATURES; f++)
		at += (size_t)snprintf(out + at, DEFINITION_MEMBERS_MAX - at, " %s",
			feature_definitions[f]->member);
	assert(at < DEFINITION_MEMBERS_MAX);
}
