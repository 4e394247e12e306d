/* Features on lines and scatters: expanding wilds, battles, vials, free spins, sticky respins,
 * symbols that win the progressive, witches. */
#include "libcommon/game/definition/parts.h"

#include <stdio.h>
#include <string.h>

#define STICKY_SPINS_MAX                                                                           \
	5 /* the weights of a reel over all of them fit 60 bits,                                   \
	     features/sticky-respins/exact_reels.h */
#define MULTIPLIER_MAX 100

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
			node_fail(&reel, NULL, "each reel once");
		game->expanding_reels |= bit;
	}
	if (game->wild == GAME_NO_SYMBOL)
		node_fail(&wild, NULL, "null in a game without a wild");
}

static void read_battle_outcomes(const struct node *list, struct game *game, uint32_t scatters)
{
	size_t count = node_array(list, 1, GAME_BATTLE_OUTCOMES_MAX);

	game->battle_count[scatters] = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct node outcome = node_item(list, i);
		struct node weight = node_member(&outcome, "weight");
		struct node spins = node_member(&outcome, "free_spins");

		node_keys(&outcome, "weight free_spins");
		/* eight of them stay below 2^32 together */
		game->battle[scatters][i].weight = node_u32(&weight, 1, GAME_WEIGHT_MAX / 8);
		game->battle[scatters][i].free_spins = node_u32(&spins, 0, GAME_AWARD_MAX);
	}
}

/* The scatter that starts battles is the first of the game's. */
static void put_first(struct game *game, uint8_t symbol)
{
	for (uint32_t i = 0; i < game->scatter_symbols; i++)
		if (game->scatter[i] == symbol) {
			game->scatter[i] = game->scatter[0];
			game->scatter[0] = symbol;
		}
}

static void read_battle(const struct node *root, struct game *game)
{
	struct node battle = node_member(root, "battle");
	struct node symbol, min, outcomes;
	size_t count;

	if (node_is_null(&battle))
		return;
	symbol = node_member(&battle, "symbol");
	min = node_member(&battle, "scatters_min");
	outcomes = node_member(&battle, "outcomes");
	count = node_object(&outcomes, 1, game->reels);
	node_keys(&battle, "symbol scatters_min outcomes");
	put_first(game, definition_symbol(&symbol, game, KIND_BIT(SYMBOL_SCATTER)));
	game->scatter_count_min = node_u32(&min, 1, game->reels);
	for (size_t i = 0; i < count; i++) {
		const char *key;
		struct node list = node_nth(&outcomes, i, &key);
		uint32_t scatters;

		if (node_number_key(&list, key, game->scatter_count_min, game->reels, &scatters))
			read_battle_outcomes(&list, game, scatters);
	}
	for (uint32_t n = game->scatter_count_min; n <= game->reels; n++)
		if (game->battle_count[n] == 0)
			node_fail(&outcomes, NULL, "outcomes for %u scatters too", n);
}

static void read_vial(const struct node *node, struct vial_outcome *vial)
{
	struct node kind = node_member(node, "kind"), value = node_member(node, "value");
	struct node weight = node_member(node, "weight");
	struct node per_coin = node_member(node, "weight_per_coin");

	node_keys(node, "kind value weight weight_per_coin");
	vial->kind = (enum vial_kind)node_word(&kind, "money free_spins jackpot");
	vial->value = vial->kind == VIAL_JACKPOT ? node_u32(&value, 0, 0)
						 : node_u32(&value, 1, GAME_AWARD_MAX);
	vial->weight = node_integer(&weight, 0, GAME_WEIGHT_MAX);
	vial->weight_per_coin = node_integer(&per_coin, -GAME_WEIGHT_MAX, GAME_WEIGHT_MAX);
}

static void read_vials(const struct node *root, struct game *game)
{
	struct node vials = node_member(root, "vials");
	struct node min, shown, picked, outcomes;
	size_t count;

	if (node_is_null(&vials))
		return;
	min = node_member(&vials, "bonus_min");
	shown = node_member(&vials, "shown");
	picked = node_member(&vials, "picked");
	outcomes = node_member(&vials, "outcomes");
	count = node_array(&outcomes, 1, GAME_VIAL_OUTCOMES_MAX);
	node_keys(&vials, "bonus_min shown picked outcomes");
	if (game->bonus == GAME_NO_SYMBOL)
		node_fail(&vials, NULL, "null in a game without a symbol of the kind bonus");
	game->bonus_count_min = node_u32(&min, 1, game->reels);
	game->vials_shown = node_u32(&shown, 1, GAME_VIALS_MAX);
	game->vials_picked = node_u32(&picked, 1,
		game->vials_shown < GAME_PICKS_MAX ? game->vials_shown : GAME_PICKS_MAX);
	game->vial_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct node node = node_item(&outcomes, i);

		read_vial(&node, &game->vial[i]);
	}
}

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

static void read_free_spins(const struct node *root, struct game *game)
{
	struct free_spins_rules *rules = &game->free_spins;
	struct node free_spins = node_member(root, "free_spins");
	struct node strips, starts, multiplier, wilds, awards;

	rules->award_symbol = GAME_NO_SYMBOL;
	rules->line_multiplier = 1;
	if (node_is_null(&free_spins))
		return;
	strips = node_member(&free_spins, "strips");
	starts = node_member(&free_spins, "player_starts");
	multiplier = node_member(&free_spins, "line_multiplier");
	wilds = node_member(&free_spins, "wild_multipliers");
	awards = node_member(&free_spins, "awards");
	node_keys(&free_spins, "strips player_starts line_multiplier wild_multipliers awards");
	rules->offered = true;
	rules->strips = definition_strips(&strips, game);
	rules->player_starts = node_bool(&starts);
	rules->line_multiplier = node_u32(&multiplier, 1, MULTIPLIER_MAX);
	read_wild_multipliers(&wilds, game);
	read_awards(&awards, game);
}

static void read_sticky(const struct node *root, struct game *game)
{
	struct sticky_rules *rules = &game->sticky;
	struct node sticky = node_member(root, "sticky_respins");
	struct node strips, symbol, reel, least, spins, list, starts;
	size_t count;

	rules->symbol = GAME_NO_SYMBOL;
	if (node_is_null(&sticky))
		return;
	strips = node_member(&sticky, "strips");
	symbol = node_member(&sticky, "symbol");
	reel = node_member(&sticky, "reel");
	least = node_member(&sticky, "at_least");
	spins = node_member(&sticky, "spins");
	list = node_member(&sticky, "sticky");
	starts = node_member(&sticky, "player_starts");
	node_keys(&sticky, "strips symbol reel at_least spins sticky player_starts");
	rules->offered = true;
	rules->strips = definition_strips(&strips, game);
	rules->symbol = definition_symbol(&symbol, game, KIND_BIT(SYMBOL_LINE));
	rules->reel = definition_reel(&reel, game);
	rules->at_least = node_u32(&least, 1, game->rows);
	rules->spins = node_u32(&spins, 1, STICKY_SPINS_MAX);
	rules->player_starts = node_bool(&starts);
	count = node_array(&list, 1, GAME_SYMBOLS_MAX);
	for (size_t i = 0; i < count && !root->reader->failed; i++) {
		struct node node = node_item(&list, i);
		uint8_t id = definition_symbol(
			&node, game, KIND_BIT(SYMBOL_LINE) | KIND_BIT(SYMBOL_WILD));

		if (!root->reader->failed && (rules->sticky & (UINT32_C(1) << id)))
			node_fail(&node, NULL, "each symbol once");
		if (!root->reader->failed)
			rules->sticky |= UINT32_C(1) << id;
	}
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
				node_fail(&witch, NULL, "each witch once");
	}
}

void definition_read_features(const struct node *root, struct game *game)
{
	struct node hours = node_member(root, "resolve_after_hours");

	read_expanding(root, game);
	read_battle(root, game);
	read_vials(root, game);
	read_free_spins(root, game);
	read_sticky(root, game);
	read_progressive(root, game);
	read_witches(root, game);
	/* RULE bewitched 7.4 */
	game->resolve_after_hours = node_u32(&hours, 1, 24 * 365);
}
