/* The pick bonus of a definition: "vials". */
#include "libcommon/game/definition/feature.h"

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

static void read_vials(const struct node *vials, struct game *game)
{
	struct node min = node_member(vials, "bonus_min"), shown = node_member(vials, "shown");
	struct node picked = node_member(vials, "picked");
	struct node outcomes = node_member(vials, "outcomes");
	size_t count = node_array(&outcomes, 1, GAME_VIAL_OUTCOMES_MAX);

	node_keys(vials, "bonus_min shown picked outcomes");
	if (game->bonus == GAME_NO_SYMBOL)
		node_fail(vials, NULL, "null in a game without a symbol of the kind bonus");
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

static void check(const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	uint32_t sets = definition_base_sets(game) | definition_free_sets(game);

	if (game->vial_count > 0 &&
		definition_reels_with(game, seen, sets, game->bonus) < game->bonus_count_min) {
		struct node vials = node_member(root, "vials");
		struct node least = node_member(&vials, "bonus_min");

		node_fail(&least, NULL, "as many as the strips can show");
	}
}

static uint32_t phases(const struct game *game, enum spin_context context)
{
	(void)game;
	(void)context;
	return 1;
}

const struct feature_definition pick_bonus_definition = {
	.member = "vials", .read = read_vials, .check = check, .phases = phases
};
