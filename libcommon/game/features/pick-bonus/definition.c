/* The pick bonus of a definition: "vials". */
#include "libcommon/game/definition/feature.h"

static void read_pick_outcome(const struct node *node, struct pick_outcome *pick_outcome)
{
	struct node kind = node_member(node, "kind"), value = node_member(node, "value");
	struct node weight = node_member(node, "weight");
	struct node per_coin = node_member(node, "weight_per_coin");

	node_keys(node, "kind value weight weight_per_coin");
	pick_outcome->kind = (enum pick_outcome_kind)node_word(&kind, "money free_spins jackpot");
	pick_outcome->value = pick_outcome->kind == PICK_JACKPOT
				      ? node_u32(&value, 0, 0)
				      : node_u32(&value, 1, GAME_AWARD_MAX);
	pick_outcome->weight = node_integer(&weight, 0, GAME_WEIGHT_MAX);
	pick_outcome->weight_per_coin = node_integer(&per_coin, -GAME_WEIGHT_MAX, GAME_WEIGHT_MAX);
}

static void read_pick_outcomes(const struct node *pick_outcomes, struct game *game)
{
	struct node min = node_member(pick_outcomes, "bonus_min"),
		    shown = node_member(pick_outcomes, "shown");
	struct node picked = node_member(pick_outcomes, "picked");
	struct node outcomes = node_member(pick_outcomes, "outcomes");
	size_t count = node_array(&outcomes, 1, GAME_PICK_OUTCOMES_MAX);

	node_keys(pick_outcomes, "bonus_min shown picked outcomes");
	if (game->bonus == GAME_NO_SYMBOL)
		node_fail(pick_outcomes, NULL, "null in a game without a symbol of the kind bonus");
	game->bonus_count_min = node_u32(&min, 1, game->reels);
	game->picks_offered = node_u32(&shown, 1, GAME_PICKS_OFFERED_MAX);
	game->picks_made = node_u32(&picked, 1,
		game->picks_offered < GAME_PICKS_MAX ? game->picks_offered : GAME_PICKS_MAX);
	game->pick_outcome_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct node node = node_item(&outcomes, i);

		read_pick_outcome(&node, &game->pick_outcome[i]);
	}
}

static void check(const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	uint32_t sets = definition_base_sets(game) | definition_free_sets(game), shown;

	if (game->pick_outcome_count == 0)
		return;
	shown = definition_reels_with(game, seen, sets, game->bonus);
	if (shown < game->bonus_count_min) {
		struct node pick_outcomes = node_member(root, "vials");
		struct node least = node_member(&pick_outcomes, "bonus_min");

		node_fail(&least, NULL, "at most the %u that the strips can show", shown);
	}
}

static uint32_t phases(const struct game *game, enum spin_context context)
{
	(void)game;
	(void)context;
	return 1;
}

const struct feature_definition pick_bonus_definition = {
	.member = "vials", .read = read_pick_outcomes, .check = check, .phases = phases
};
